// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.Secret;
import dev.clustered.spi.StateStore;
import dev.clustered.testkit.Eventually;
import dev.clustered.testkit.NothingLeft;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.postgresql.ds.PGSimpleDataSource;

/** What a store does when its server, or the way there, fails. */
@Tag("integration")
@ExtendWith(NothingLeft.class)
class PostgresFailureTest {

  private static final int WRITERS = 4;
  private static final int RESTARTS = 3;
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private PostgresServer server;

  @BeforeEach
  void start() throws Exception {
    server = PostgresServer.start();
  }

  @AfterEach
  void stop() throws Exception {
    if (server != null) {
      server.close();
    }
  }

  /** Each event is unique, so one that stands twice or elsewhere is found. */
  private static void append(
      StateStore store, String name, AtomicBoolean over, Map<Long, String> kept) {
    for (int i = 0; !over.get(); i++) {
      String event = "\"%s-%d\"".formatted(name, i);
      kept.put(store.append(1, List.of(event)), event);
    }
  }

  private static void check(StateStore store, Map<Long, String> kept) {
    List<StateStore.Entry> all = store.read(1, Integer.MAX_VALUE);
    assertThat(all).extracting(StateStore.Entry::json).doesNotHaveDuplicates();
    assertThat(all)
        .extracting(StateStore.Entry::position)
        .containsExactlyElementsOf(kept.keySet())
        .hasSize(Math.toIntExact(all.getLast().position()));
    assertThat(all).extracting(StateStore.Entry::json).containsExactlyElementsOf(kept.values());
  }

  @Test
  void goesOnAfterTheServerWasKilledWithNothingLostAndNothingDoubled() throws Exception {
    Map<Long, String> kept = new ConcurrentSkipListMap<>();
    AtomicBoolean over = new AtomicBoolean();
    try (StateStore store = server.open(server.newSchema());
        ExecutorService threads = Executors.newFixedThreadPool(WRITERS)) {
      List<Future<?>> writers = new ArrayList<>();
      for (int i = 0; i < WRITERS; i++) {
        String name = "writer" + i;
        writers.add(threads.submit(() -> append(store, name, over, kept)));
      }
      try {
        for (int restart = 0; restart < RESTARTS; restart++) {
          int before = kept.size();
          Eventually.within(LIMIT).passes(() -> assertThat(kept).hasSizeGreaterThan(before + 100));
          server.kill();
          server.startAgain();
        }
      } finally {
        over.set(true);
      }
      for (Future<?> writer : writers) {
        writer.get(60, TimeUnit.SECONDS);
      }
      check(store, kept);
      assertThat(store.acquire("one", Duration.ofSeconds(10))).isPresent();
    }
  }

  @Test
  void writesOnceWhenTheWayIsCutAtACommit() throws Exception {
    long seed = System.nanoTime();
    System.out.println("seed=" + seed);
    Random random = new Random(seed);
    Map<Long, String> kept = new ConcurrentSkipListMap<>();
    String schema = server.newSchema();
    try (CuttingProxy proxy = new CuttingProxy(server.port());
        StateStore store = PostgresStore.open(simple(schema, proxy.port()))) {
      for (int i = 0; i < 60; i++) {
        CuttingProxy.Cut cut =
            random.nextBoolean()
                ? CuttingProxy.Cut.BEFORE_THE_SERVER
                : CuttingProxy.Cut.BEFORE_THE_ANSWER;
        if (i % 3 == 0) {
          proxy.cut(cut);
        }
        String event = "\"" + i + "\"";
        kept.put(store.append(1, List.of(event)), event);
        assertThat(proxy.left(cut)).isZero();
      }
      check(store, kept);
    }
  }

  @Test
  void givesOneLeaseWhenTheAnswerIsLost() throws Exception {
    String schema = server.newSchema();
    try (CuttingProxy proxy = new CuttingProxy(server.port());
        StateStore store = PostgresStore.open(simple(schema, proxy.port()))) {
      proxy.cut(CuttingProxy.Cut.BEFORE_THE_ANSWER);
      StateStore.Lease lease = store.acquire("one", Duration.ofMinutes(5)).orElseThrow();
      assertThat(lease.epoch()).isEqualTo(1);
      proxy.cut(CuttingProxy.Cut.BEFORE_THE_ANSWER);
      assertThat(store.renew(lease)).isTrue();
      proxy.cut(CuttingProxy.Cut.BEFORE_THE_ANSWER);
      store.append(lease.epoch(), List.of("1", "2"));
      proxy.cut(CuttingProxy.Cut.BEFORE_THE_ANSWER);
      store.compact(lease.epoch(), 1, "\"one\"");
      assertThat(proxy.left(CuttingProxy.Cut.BEFORE_THE_ANSWER)).isZero();
      assertThat(store.snapshot()).contains(new StateStore.Snapshot(1, "\"one\""));
      assertThat(store.read(2, 10)).hasSize(1);
    }
  }

  /** Commands then stand in the bytes as they are. */
  private PGSimpleDataSource simple(String schema, int port) {
    PGSimpleDataSource source = server.source(schema);
    source.setPortNumbers(new int[] {port});
    source.setPreferQueryMode(org.postgresql.jdbc.PreferQueryMode.SIMPLE);
    return source;
  }

  @Test
  void triesAgainWhenTransactionsConflict() throws Exception {
    PGSimpleDataSource serializable = server.source(server.newSchema());
    serializable.setOptions("-c default_transaction_isolation=serializable");
    Map<Long, String> kept = new ConcurrentSkipListMap<>();
    try (StateStore one = PostgresStore.open(serializable);
        StateStore other = PostgresStore.open(serializable);
        ExecutorService threads = Executors.newFixedThreadPool(2)) {
      List<Future<?>> writers = new ArrayList<>();
      Map<String, StateStore> named = new TreeMap<>(Map.of("one", one, "other", other));
      for (Map.Entry<String, StateStore> each : named.entrySet()) {
        StateStore store = each.getValue();
        String name = each.getKey();
        writers.add(
            threads.submit(
                () -> {
                  for (int i = 0; i < 150; i++) {
                    String event = "\"%s-%d\"".formatted(name, i);
                    kept.put(store.append(1, List.of(event)), event);
                  }
                }));
      }
      for (Future<?> writer : writers) {
        writer.get(60, TimeUnit.SECONDS);
      }
      check(one, kept);
      assertThat(kept).hasSize(300);
    }
  }

  /** An interrupt breaks the connection of a virtual thread. */
  @Test
  void writesOnceWhenVirtualThreadsAreInterrupted() throws Exception {
    Map<Long, String> kept = new ConcurrentSkipListMap<>();
    AtomicBoolean over = new AtomicBoolean();
    try (StateStore store = server.open(server.newSchema())) {
      Thread writer = Thread.ofVirtual().start(() -> append(store, "virtual", over, kept));
      try {
        for (int i = 0; i < 20; i++) {
          int before = kept.size();
          writer.interrupt();
          Eventually.within(LIMIT).passes(() -> assertThat(kept).hasSizeGreaterThan(before));
        }
      } finally {
        over.set(true);
      }
      writer.join();
      check(store, kept);
    }
  }

  @Test
  void letsAStandbyTakeOverFromAWriterThatStandsStillInItsTransaction() throws Exception {
    String schema = server.newSchema();
    try (StateStore standby = server.open(schema);
        var connection = server.source(schema).getConnection()) {
      PostgresDialect dialect = new PostgresDialect("frozen", server.source(schema));
      try (var frozen = dialect.connect()) {
        dialect.begin(frozen);
        assertThat(Head.lock(frozen, dialect).last()).isZero();
        assertThat(standby.acquire("standby", Duration.ofSeconds(10))).isPresent();
        assertThatThrownBy(() -> dialect.commit(frozen)).isInstanceOf(java.sql.SQLException.class);
      }
      assertThat(connection.isValid(5)).isTrue();
    }
  }

  @Test
  void refusesInWordsWhatCannotBeUsed() throws Exception {
    String schema = server.newSchema();
    String url = server.url(schema);
    refused(ErrorCode.INVALID_SETTING, url, "hunter3", "password");
    refused(ErrorCode.INVALID_SETTING, url.replace("/postgres", "/nothing"), "hunter2", "nothing");
    refused(ErrorCode.INVALID_SETTING, "jdbc:mysql://x/y?password=hunter2", "hunter2", "mysql");
    String refusing = url.replaceFirst(":[0-9]+/", ":1/");
    refused(ErrorCode.STORE_FAILED, refusing, "hunter2", "127.0.0.1:1", "answers");
    server.execute("public", "CREATE DATABASE plain ENCODING 'SQL_ASCII' TEMPLATE template0");
    refused(ErrorCode.INVALID_SETTING, url.replace("/postgres", "/plain"), "hunter2", "SQL_ASCII");
    server.open(schema).close();
    server.execute(schema, "UPDATE clustered_schema SET version = 99");
    refused(ErrorCode.INVALID_SETTING, url, "hunter2", "version 99", "newer");
    Eventually.within(LIMIT).passes(() -> assertThat(server.sessions()).isZero());
  }

  private static void refused(ErrorCode code, String url, String password, String... words) {
    assertThatThrownBy(() -> PostgresStore.open(url, "keeper", Secret.of(password)).close())
        .isInstanceOfSatisfying(ClusterException.class, e -> assertThat(e.code()).isEqualTo(code))
        .hasMessageContainingAll(words)
        .hasMessageNotContaining("hunter");
  }
}
