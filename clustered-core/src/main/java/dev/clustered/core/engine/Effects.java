// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.AgentBootstrap;
import dev.clustered.agent.protocol.Json;
import dev.clustered.core.backends.BackendRegistry;
import dev.clustered.core.backends.GuardedBackend;
import dev.clustered.core.control.ControlServer;
import dev.clustered.core.lifecycle.Fact;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.LaunchId;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import dev.clustered.spi.Notice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What the engine does outside itself, each on a virtual thread of its own; every answer comes back
 * as a message. Thread-safe.
 */
final class Effects implements Reach {

  private static final Logger log = LoggerFactory.getLogger(Effects.class);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(200);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

  private final BackendRegistry backends;
  private final ControlServer control;
  private final AgentLinks links;
  private final String owner;
  private final Consumer<Message> mailbox;
  private final Map<LaunchId, Thread> launching = new ConcurrentHashMap<>();
  private final Map<Thread, String> running = new ConcurrentHashMap<>();

  Effects(
      BackendRegistry backends,
      ControlServer control,
      AgentLinks links,
      String owner,
      Consumer<Message> mailbox) {
    this.backends = backends;
    this.control = control;
    this.links = links;
    this.owner = owner;
    this.mailbox = mailbox;
  }

  /** Asks every backend for its offers; one that fails is not one that has none. */
  @Override
  public void offers(long question) {
    start(
        "offers",
        () -> {
          List<Offer> offers = new ArrayList<>();
          Map<String, String> unreachable = new TreeMap<>();
          for (GuardedBackend backend : backends.all()) {
            try {
              offers.addAll(backend.offers());
            } catch (ClusterException e) {
              log.debug("A backend gave no offers backend={}", backend.name(), e);
              unreachable.put(backend.name(), String.valueOf(e.getMessage()));
            }
          }
          KnownOffers known = new KnownOffers(offers, unreachable);
          mailbox.accept(core -> core.offersKnown(question, known));
        });
  }

  /** Asks a backend to launch what was decided. */
  @Override
  public void launch(Fact.LaunchDecided decided) {
    List<LaunchRequest.Bootstrap> bootstraps = new ArrayList<>();
    for (NodeId node : decided.nodes()) {
      String token = links.expect(node);
      AgentBootstrap bootstrap =
          new AgentBootstrap(node, control.address(), control.certificate(), token);
      bootstraps.add(
          new LaunchRequest.Bootstrap(node, Json.mapper().writeValueAsString(bootstrap)));
    }
    LaunchRequest request =
        new LaunchRequest(decided.launch(), owner, decided.offer(), bootstraps, decided.rdma());
    Thread thread = thread("launch", () -> launch(decided, request));
    launching.put(decided.launch(), thread);
    thread.start();
  }

  private void launch(Fact.LaunchDecided decided, LaunchRequest request) {
    try {
      GuardedBackend backend = backends.require(decided.offer().backend());
      List<Instance> instances = backend.launch(request);
      mailbox.accept(core -> core.launchGranted(decided, instances));
    } catch (ClusterException e) {
      mailbox.accept(core -> core.launchFailed(decided, e.code(), String.valueOf(e.getMessage())));
    } catch (InterruptedException e) {
      mailbox.accept(
          core -> core.launchFailed(decided, ErrorCode.CANCELLED, "the launch was abandoned"));
    } finally {
      launching.remove(decided.launch());
    }
  }

  /** Interrupts a launch that is under way; its answer still comes. */
  @Override
  public void abandon(LaunchId launch) {
    Thread thread = launching.get(launch);
    if (thread != null) {
      thread.interrupt();
    }
  }

  /** Gives nodes of one backend back, again and again until the backend says that they are gone. */
  @Override
  public void terminate(String backend, List<String> instances, List<NodeId> nodes) {
    start(
        "terminate",
        () -> {
          terminate(backend, instances);
          mailbox.accept(core -> core.nodesEnded(nodes));
        });
  }

  @Override
  public void terminateOrphans(String backend, List<String> instances) {
    start(
        "terminate-orphans",
        () -> {
          log.warn("Instances of nobody are ended backend={} instances={}", backend, instances);
          terminate(backend, instances);
          mailbox.accept(core -> core.orphansEnded(backend, instances));
        });
  }

  private void terminate(String backend, List<String> instances) throws InterruptedException {
    Duration pause = FIRST_PAUSE;
    while (!terminated(backend, instances)) {
      TimeUnit.NANOSECONDS.sleep(pause.toNanos());
      Duration doubled = pause.multipliedBy(2);
      pause = doubled.compareTo(LONGEST_PAUSE) < 0 ? doubled : LONGEST_PAUSE;
    }
  }

  @Override
  public void list() {
    for (GuardedBackend backend : backends.all()) {
      start(
          "list",
          () -> {
            try {
              List<Instance> instances = backend.list(owner);
              mailbox.accept(core -> core.listed(backend.name(), instances));
            } catch (ClusterException e) {
              log.debug("A backend gave no list backend={}", backend.name(), e);
            }
          });
    }
  }

  /** Ends whatever still carries the engine's label, as far as the backends answer. */
  void sweep() throws InterruptedException {
    for (GuardedBackend backend : backends.all()) {
      try {
        List<String> left =
            backend.list(owner).stream()
                .filter(instance -> instance.state() != Instance.State.ENDED)
                .map(Instance::id)
                .toList();
        if (!left.isEmpty()) {
          log.warn("Instances of nobody are ended backend={} instances={}", backend.name(), left);
          backend.terminate(left);
        }
      } catch (ClusterException e) {
        log.warn("A backend could not say whether anything is left backend={}", backend.name(), e);
      }
    }
  }

  private boolean terminated(String backend, List<String> instances) throws InterruptedException {
    try {
      backends.require(backend).terminate(instances);
      return true;
    } catch (ClusterException e) {
      log.warn("Nodes could not be given back yet backend={} nodes={}", backend, instances, e);
      return false;
    }
  }

  /** What runs beside ranks of a lost node is not known any more. */
  @Override
  public void lost(NodeId node, String why) {
    links.lost(node, why);
  }

  /** Asks every backend what it has noticed. */
  @Override
  public void notices() {
    start(
        "notices",
        () -> {
          for (GuardedBackend backend : backends.all()) {
            for (Notice notice : backend.notices()) {
              mailbox.accept(core -> take(core, notice));
            }
          }
        });
  }

  private static void take(EngineCore core, Notice notice) {
    if (notice.kind() == Notice.Kind.ENDED) {
      core.nodeLost(notice.node(), notice.message());
    } else {
      core.noticed(notice);
    }
  }

  /** Runs something that may block. */
  void start(String name, Task task) {
    thread(name, () -> run(name, task)).start();
  }

  /** Something that may block. */
  interface Task {
    void run() throws InterruptedException;
  }

  private static void run(String name, Task task) {
    try {
      task.run();
    } catch (InterruptedException e) {
      log.debug("An effect was interrupted effect={}", name);
    } catch (RuntimeException e) {
      log.warn("An effect failed effect={}", name, e);
    }
  }

  private Thread thread(String name, Runnable task) {
    return Thread.ofVirtual()
        .name("clustered-effect-" + name)
        .unstarted(
            () -> {
              running.put(Thread.currentThread(), name);
              try {
                task.run();
              } finally {
                running.remove(Thread.currentThread());
              }
            });
  }

  /** Interrupts what still runs and returns when it has ended. */
  void close() throws InterruptedException {
    for (Thread thread : running.keySet()) {
      thread.interrupt();
      thread.join();
    }
  }
}
