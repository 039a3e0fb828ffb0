// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.model.ClusterNotice;
import dev.clustered.model.ClusterNotice.Kind;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.OptionalInt;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Where a rank reads what is known of an end to come: a file of lines with a name, {@code =} and a
 * value, replaced as a whole. Nothing follows a stop. Thread-safe.
 */
final class NoticeBoard {

  private static final Logger LOGGER = LoggerFactory.getLogger(NoticeBoard.class);

  private final Path file;
  private final Wish wish;
  private Optional<ClusterNotice> told = Optional.empty();
  private boolean over;

  NoticeBoard(Path file, Wish wish) {
    this.file = file;
    this.wish = wish;
  }

  /** Tells whatever is wanted to be told from now on, until {@link #close}. */
  void start(String name) {
    Thread.ofVirtual().name("clustered-notices-" + name).start(this::follow);
  }

  private void follow() {
    try {
      while (true) {
        wish.await(this::due);
        if (isOver()) {
          return;
        }
        wish.desired().notice().ifPresent(this::tell);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private synchronized boolean due() {
    Optional<ClusterNotice> wanted = wish.desired().notice();
    return over || (wanted.isPresent() && !wanted.equals(told));
  }

  private synchronized boolean isOver() {
    return over;
  }

  /** The rank is told to end, and has so long for it. */
  synchronized void stopping(Instant now, Duration grace) {
    tell(
        new ClusterNotice(
            Kind.STOP,
            OptionalInt.empty(),
            Optional.of(now.plus(grace)),
            "this rank is ended: SIGTERM now, SIGKILL at the deadline"));
    over = true;
  }

  private synchronized void tell(ClusterNotice notice) {
    if (over) {
      return;
    }
    told = Optional.of(notice);
    StringBuilder text = new StringBuilder("kind=" + notice.kind() + "\n");
    notice.rank().ifPresent(rank -> text.append("rank=").append(rank).append('\n'));
    notice.deadline().ifPresent(at -> text.append("deadline=").append(at).append('\n'));
    text.append("message=").append(notice.message().replaceAll("\\p{Cntrl}", " ")).append('\n');
    try {
      Path whole = file.resolveSibling(file.getFileName() + ".new");
      Files.deleteIfExists(whole);
      WorkFiles.write(whole, text.toString().getBytes(StandardCharsets.UTF_8));
      Files.move(whole, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    } catch (IOException e) {
      LOGGER.warn("A rank could not be told of an end to come file={}", file, e);
    }
  }

  /** Nothing is told any more. */
  void close() {
    synchronized (this) {
      over = true;
    }
    wish.poke();
  }
}
