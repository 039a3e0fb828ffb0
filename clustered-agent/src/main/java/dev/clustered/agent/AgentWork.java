// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.ContractNames;
import dev.clustered.agent.protocol.DesiredWork;
import dev.clustered.agent.protocol.DesiredWork.Step;
import dev.clustered.agent.protocol.Json;
import dev.clustered.agent.protocol.ObservedWork;
import dev.clustered.agent.protocol.ObservedWork.Status;
import dev.clustered.agent.protocol.ObservedWork.Stillness;
import dev.clustered.agent.protocol.Paths;
import dev.clustered.agent.protocol.Preamble;
import dev.clustered.agent.protocol.WorkDocument;
import dev.clustered.agent.protocol.WorkDocument.SentTree;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.HangPolicy;
import dev.clustered.model.ProcessEnd;
import dev.clustered.spi.NodeRuntime;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One rank of one attempt, from prepare to deleted, on a thread of its own: a slow one holds up no
 * other. Its life is the sequence of {@link Step}s, each of them begun when it is wanted, and left
 * at any point when the end is wanted. Thread-safe.
 */
final class AgentWork {

  private static final Logger LOGGER = LoggerFactory.getLogger(AgentWork.class);

  /** Has Python write its stacks when it gets SIGABRT. */
  private static final String PYTHON_STACKS = "PYTHONFAULTHANDLER";

  /** What surrounds a work. */
  interface Host {
    AgentOptions options();

    Session session();

    BlobCache blobs();

    /** A status has changed. */
    void changed();

    /** Nothing of the work is left. */
    void gone(AgentWork work);
  }

  private final Host host;
  private final WorkKey key;

  /** Names its processes on the machine, and its directory, which the runtime may look after. */
  private final String scope;

  private final Wish wish;
  private final WorkFiles files;
  private final long begun = System.nanoTime();
  private volatile Status status = new Status.Preparing();
  private volatile Optional<Stillness> stillness = Optional.empty();
  private @Nullable PortReservation port;
  private volatile @Nullable RankRun running;

  private AgentWork(Host host, DesiredWork desired) {
    this.host = host;
    key = WorkKey.of(desired);
    wish = new Wish(desired);
    scope = host.options().bootstrap().node() + "." + key;
    files = new WorkFiles(host.options().directory().resolve(scope));
  }

  static AgentWork start(Host host, DesiredWork desired) {
    AgentWork work = new AgentWork(host, desired);
    Thread.ofVirtual().name("clustered-work-" + work.key).start(work::live);
    return work;
  }

  WorkKey key() {
    return key;
  }

  Wish wish() {
    return wish;
  }

  ObservedWork observed() {
    return new ObservedWork(key.cluster(), key.attempt(), wish.desired().rank(), status, stillness);
  }

  /** Whether it may run on though no engine is heard. */
  boolean runsAlone() {
    boolean runs = status instanceof Status.Running || status instanceof Status.Exited;
    Duration age = Duration.ofNanos(System.nanoTime() - begun);
    return runs && wish.desired().alone().filter(limit -> age.compareTo(limit) < 0).isPresent();
  }

  /** Its process, once that was started. */
  Optional<RankRun> running() {
    return Optional.ofNullable(running);
  }

  private void live() {
    try {
      try {
        work();
      } catch (WorkFailure e) {
        status(new Status.Failed(e.code(), String.valueOf(e.getMessage())));
      } catch (RuntimeException e) {
        LOGGER.warn("Work failed unexpectedly work={}", key, e);
        status(new Status.Failed(ErrorCode.INTERNAL, "the agent failed: " + e));
      } finally {
        releasePort();
      }
      wish.await(wish::dropped);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      delete();
      host.gone(this);
    }
  }

  private void work() throws WorkFailure, InterruptedException {
    Optional<WorkDocument> document = wish.reached(Step.PREPARE) ? fetch() : Optional.empty();
    if (document.isEmpty()) {
      neverStarted();
      return;
    }
    Optional<RankCommand> prepared = prepare(document.get());
    if (prepared.isEmpty() || !wish.reached(Step.JOIN)) {
      neverStarted();
      return;
    }
    join();
    if (!wish.reached(Step.RUN)) {
      neverStarted();
      return;
    }
    releasePort();
    run(works(document.get(), prepared.get()), document.get().hangPolicy());
  }

  /** The work document; empty when the work is to end before it came. */
  private Optional<WorkDocument> fetch() throws InterruptedException {
    Backoff backoff = new Backoff();
    while (wish.ending().isEmpty()) {
      try {
        return Optional.of(host.session().document(key.cluster(), key.attempt()));
      } catch (IOException e) {
        LOGGER.debug("Work document not fetched work={}", key, e);
        wish.await(() -> wish.ending().isPresent(), backoff.next());
      }
    }
    return Optional.empty();
  }

  /** Makes everything ready; empty when the work is to end before that. */
  private Optional<RankCommand> prepare(WorkDocument document)
      throws WorkFailure, InterruptedException {
    files.create(document);
    if (document.sent().isPresent() && !bring(document.sent().get())) {
      return Optional.empty();
    }
    files.fill(document);
    RankCommand command = RankCommand.prepare(document, files);
    int reserved = 0;
    if (wish.desired().rank() == 0) {
      port = PortReservation.reserve(key, document);
      reserved = port.port();
    }
    status(new Status.Prepared(reserved));
    return Optional.of(command);
  }

  private boolean bring(SentTree tree) throws WorkFailure, InterruptedException {
    BlobFetch.Source source =
        pieces -> host.session().blobs(key.cluster(), key.attempt(), new Paths.Wanted(pieces));
    return new Delivery(
            host.blobs(), source, wish, (bytes, of) -> status(new Status.Preparing(bytes, of)))
        .bring(tree, files.work());
  }

  private void join() throws WorkFailure {
    DesiredWork desired = wish.desired();
    Contract contract = Contract.check(desired, host.options().addresses());
    String given = desired.contract().getOrDefault(ContractNames.MASTER_PORT, "");
    if (port != null && !given.equals(Integer.toString(port.port()))) {
      throw new WorkFailure(
          ErrorCode.JOIN_MISMATCH,
          "MASTER_PORT is %s where this node reserved %d".formatted(given, port.port()));
    }
    try {
      WorkFiles.write(files.context(), Json.mapper().writeValueAsBytes(desired.contract()));
      files.write(desired.preamble());
      if (desired.preamble().needsWorker()) {
        WorkerProgram.write(files);
      }
    } catch (IOException e) {
      throw new WorkFailure(
          ErrorCode.PREPARE_FAILED, "the node could not write the contract and its files: " + e, e);
    }
    status(new Status.Joined(contract.size(), contract.rank()));
  }

  /** Every process of the rank, and what stands beside them; all write the one log. */
  private RankRun.Works works(WorkDocument document, RankCommand command) {
    Preamble preamble = wish.desired().preamble();
    List<String> arguments = command.after(preamble).arguments();
    Map<String, String> environment = environment(document, command);
    List<Map<String, String>> each =
        preamble.processes().isEmpty() ? List.of(Map.of()) : preamble.processes();
    List<NodeRuntime.Work> processes = new ArrayList<>();
    for (int i = 0; i < each.size(); i++) {
      Map<String, String> own = new LinkedHashMap<>(environment);
      own.putAll(each.get(i));
      processes.add(work(i == 0 ? scope : scope + "." + i, arguments, own));
    }
    return new RankRun.Works(
        processes,
        Optional.of(preamble.companion())
            .filter(companion -> !companion.isEmpty())
            .map(companion -> work(scope + ".beside", companion, environment)),
        preamble.programs().stream()
            .map(program -> work(scope, List.of(program), environment))
            .toList());
  }

  private NodeRuntime.Work work(
      String name, List<String> arguments, Map<String, String> environment) {
    return new NodeRuntime.Work(
        name, arguments, environment, files.work(), files.runtime(), files.log());
  }

  private Map<String, String> environment(WorkDocument document, RankCommand command) {
    Map<String, String> contract = new LinkedHashMap<>(wish.desired().contract());
    contract.put(ContractNames.CONTEXT_FILE, files.context().toString());
    contract.put(ContractNames.ENVIRONMENT_FILE, files.environment().toString());
    contract.put(ContractNames.RESULT_FILE, files.result().toString());
    contract.put(ContractNames.PROGRESS_FILE, files.progress().toString());
    contract.put(ContractNames.NOTICE_FILE, files.notice().toString());
    contract.put(ContractNames.HEARTBEAT_FILE, files.heartbeat().toString());
    if (document.hangPolicy().isPresent() && !document.environment().containsKey(PYTHON_STACKS)) {
      contract.put(PYTHON_STACKS, "1"); // So that it can be asked for its stacks.
    }
    contract.putAll(command.variables());
    contract.putAll(SocketInterface.variables(ownAddress(), document.environment()));
    return RankEnvironment.of(System.getenv(), document.environment(), contract);
  }

  private String ownAddress() {
    DesiredWork desired = wish.desired();
    String all = desired.contract().getOrDefault(ContractNames.ADDRESSES, "");
    return List.of(all.split(",", -1)).get(desired.rank());
  }

  private void run(RankRun.Works works, Optional<HangPolicy> policy)
      throws WorkFailure, InterruptedException {
    NoticeBoard notices = new NoticeBoard(files.notice(), wish);
    notices.start(key.toString());
    try {
      run(works, notices, policy);
    } finally {
      notices.close();
    }
  }

  private void run(RankRun.Works works, NoticeBoard notices, Optional<HangPolicy> policy)
      throws WorkFailure, InterruptedException {
    RankRun run = begin(works, notices);
    running = run;
    LogShipper shipper = new LogShipper(host.session(), wish.desired(), wish, files.log());
    CompletableFuture<Long> shipped = ship(shipper);
    Optional<HangWatch> watch = policy.map(asked -> watch(asked, run));
    Status.Exited exit;
    try {
      exit = run.finish();
    } finally {
      watch.ifPresent(HangWatch::close);
    }
    shipper.finish();
    long bytes = shipped.join();
    Optional<String> result = wish.dropped() ? Optional.empty() : files.readResult();
    status(
        new Status.Finished(
            Optional.of(exit.end()),
            Optional.of(exit.at()),
            exit.killed(),
            exit.outOfMemory(),
            files.readProgress(),
            bytes,
            result));
  }

  private HangWatch watch(HangPolicy policy, RankRun run) {
    GpuWatch gpus = GpuWatch.of(wish.desired().contract());
    HangWatch watch = new HangWatch(policy, files, run.parts(), gpus, wish, this::still);
    watch.start(key.toString());
    return watch;
  }

  private void still(Stillness newer) {
    stillness = Optional.of(newer);
    host.changed();
  }

  private RankRun begin(RankRun.Works works, NoticeBoard notices) throws WorkFailure {
    try {
      return new RankRun(
          host.options().runtime(), works, wish, host.options().clock(), new Told(notices));
    } catch (IllegalArgumentException e) {
      throw new WorkFailure(
          ErrorCode.START_FAILED, "the node could not start the rank: " + e.getMessage(), e);
    }
  }

  private final class Told implements RankRun.Listener {

    private final NoticeBoard notices;

    Told(NoticeBoard notices) {
      this.notices = notices;
    }

    @Override
    public void changed(Status status) {
      status(status);
    }

    @Override
    public void failed(int process, ProcessEnd end) {
      files.note(
          "clustered: rank %d: the process with LOCAL_RANK %d ended by %s; the others are ended"
              .formatted(wish.desired().rank(), process, end));
    }

    @Override
    public void stopping(Duration grace) {
      notices.stopping(host.options().clock().instant(), grace);
    }

    @Override
    public void over() {
      files.over();
    }
  }

  private CompletableFuture<Long> ship(LogShipper shipper) {
    CompletableFuture<Long> shipped = new CompletableFuture<>();
    Thread.ofVirtual()
        .name("clustered-logs-" + key)
        .start(
            () -> {
              try {
                shipped.complete(shipper.run());
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                shipped.complete(0L);
              } catch (RuntimeException e) {
                shipped.completeExceptionally(e);
              }
            });
    return shipped;
  }

  private void neverStarted() {
    status(Status.Finished.NEVER_STARTED);
  }

  private void status(Status newer) {
    status = newer;
    LOGGER.debug("Work changed work={} status={}", key, newer.getClass().getSimpleName());
    host.changed();
  }

  private void releasePort() {
    if (port != null) {
      port.close();
      port = null;
    }
  }

  private void delete() {
    try {
      files.delete();
    } catch (IOException | RuntimeException e) {
      LOGGER.warn("Directory not deleted work={}", key, e);
    }
  }
}
