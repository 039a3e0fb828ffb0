// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NothingLeft.class)
class GroupCommitTest {

  private static final Duration LIMIT = Duration.ofSeconds(20);

  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch go = new CountDownLatch(1);
  private final List<List<String>> groups = new CopyOnWriteArrayList<>();
  private final GroupCommit commits = new GroupCommit(this::write);

  /** The first group waits; an event named "bad" makes the writer fail. */
  private void write(List<Append> group) {
    groups.add(group.stream().flatMap(append -> append.events().stream()).toList());
    if (groups.size() == 1) {
      begun.countDown();
      awaitGo();
    }
    if (group.stream().anyMatch(append -> append.events().contains("bad"))) {
      throw new IllegalArgumentException("bad");
    }
    group.forEach(append -> append.end(() -> append.epoch()));
  }

  private void awaitGo() {
    try {
      assertThat(go.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** Starts one append, and when that is under way the others, one after the other. */
  private List<Future<Long>> append(ExecutorService threads, String... events) throws Exception {
    List<Future<Long>> all = new ArrayList<>();
    for (String event : events) {
      int epoch = all.size();
      Thread[] caller = new Thread[1];
      CountDownLatch started = new CountDownLatch(1);
      all.add(
          threads.submit(
              () -> {
                caller[0] = Thread.currentThread();
                started.countDown();
                return commits.append(new Append(epoch, List.of(event)));
              }));
      assertThat(started.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
      Eventually.within(LIMIT)
          .passes(
              () ->
                  assertThat(caller[0].getState())
                      .isIn(Thread.State.WAITING, Thread.State.TIMED_WAITING));
      assertThat(begun.await(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }
    return all;
  }

  @Test
  void commitsTogetherWhatCameDuringACommit() throws Exception {
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<Long>> all = append(threads, "a", "b", "c", "d");
      assertThat(all).noneMatch(Future::isDone);
      go.countDown();
      for (int i = 0; i < all.size(); i++) {
        assertThat(all.get(i).get(20, TimeUnit.SECONDS)).isEqualTo(i);
      }
    }
    assertThat(groups).containsExactly(List.of("a"), List.of("b", "c", "d"));
  }

  @Test
  void takesNoMoreIntoAGroupThanADatabaseTakes() throws Exception {
    String large = "x".repeat(10 << 20);
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<Long>> all = append(threads, "a", large, "b", large, large);
      go.countDown();
      for (Future<Long> one : all) {
        one.get(20, TimeUnit.SECONDS);
      }
    }
    assertThat(groups.stream().map(List::size)).containsExactly(1, 2, 1, 1);
  }

  @Test
  void failsAWholeGroupWithItsWriterAndGoesOn() throws Exception {
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      List<Future<Long>> all = append(threads, "a", "b", "bad");
      go.countDown();
      assertThat(all.getFirst().get(20, TimeUnit.SECONDS)).isZero();
      for (Future<Long> failed : all.subList(1, 3)) {
        assertThat(failed)
            .failsWithin(LIMIT)
            .withThrowableOfType(ExecutionException.class)
            .withStackTraceContaining("bad");
      }
      assertThat(commits.append(new Append(7, List.of("later")))).isEqualTo(7);
    }
  }
}
