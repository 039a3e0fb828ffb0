// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.agent.protocol.DesiredWork;
import dev.clustered.agent.protocol.ObservedState;
import dev.clustered.agent.protocol.ObservedWork;
import dev.clustered.agent.protocol.ObservedWork.Status;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import dev.clustered.model.ProcessEnd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * The agents of all nodes. They outlive engines: each knows what was last desired of it and what it
 * has, and says both to whichever engine there is. Not thread-safe.
 */
final class SimulatedAgents implements SimulatedCloud.Machines {

  private final SimulatedTime time;
  private final Random random;
  private final Map<NodeId, Agent> agents = new TreeMap<>();
  private Consumer<Message> mailbox = ignored -> {};
  private int lines;

  /** Works that were ended although nobody had asked for it. */
  final List<String> unharmed = new ArrayList<>();

  SimulatedAgents(SimulatedTime time, Random random) {
    this.time = time;
    this.random = random;
  }

  /** The lines of a new engine, which takes the place of the one before. */
  Lines lines(Consumer<Message> inbox, long epoch) {
    mailbox = inbox;
    lines++;
    int own = lines;
    agents.values().forEach(agent -> agent.heard = time.nanos());
    return new Lines() {
      private final Map<NodeId, Long> generations = new TreeMap<>();
      private final Map<NodeId, List<DesiredWork>> desired = new TreeMap<>();

      @Override
      public void open(ClusterRecord cluster) {}

      @Override
      public void close(ClusterId cluster) {}

      @Override
      public void restore(NodeId node, boolean joined) {
        Agent agent = agents.get(node);
        if (!joined && agent != null) {
          tell(core -> core.joined(node, "10.0.0.1"));
        }
      }

      @Override
      public long desire(NodeId node, List<DesiredWork> work) {
        if (!work.equals(desired.get(node))) {
          desired.put(node, work);
          generations.merge(node, (epoch << 32) + 1, (was, first) -> was + 1);
          long generation = generations.get(node);
          time.after(
              Duration.ofMillis(1 + random.nextInt(400)), () -> take(node, generation, work));
        }
        return generations.get(node);
      }

      private void take(NodeId node, long generation, List<DesiredWork> work) {
        Agent agent = agents.get(node);
        if (own == lines && agent != null && agent.generation < generation) {
          agent.generation = generation;
          agent.take(work);
        }
      }

      @Override
      public Duration silence(NodeId node) {
        Agent agent = agents.get(node);
        return agent == null ? Duration.ofHours(1) : Duration.ofNanos(time.nanos() - agent.heard());
      }

      @Override
      public void forget(NodeId node) {}
    };
  }

  @Override
  public void boot(NodeId node) {
    agents.put(node, new Agent(node));
    tell(core -> core.joined(node, "10.0.0.1"));
  }

  @Override
  public void end(NodeId node) {
    agents.remove(node);
  }

  /** The machine of some node is switched off. */
  void kill() {
    if (!agents.isEmpty()) {
      List<NodeId> all = List.copyOf(agents.keySet());
      agents.remove(all.get(random.nextInt(all.size())));
    }
  }

  /** All works that run now, as cluster and rank. */
  List<String> running() {
    List<String> running = new ArrayList<>();
    agents.values().forEach(agent -> agent.works.values().forEach(work -> work.name(running)));
    return running;
  }

  private void tell(Message message) {
    Consumer<Message> now = mailbox;
    int own = lines;
    time.after(
        Duration.ofMillis(1 + random.nextInt(300)),
        () -> {
          if (own == lines) {
            now.accept(message);
          }
        });
  }

  /** One node's. */
  private final class Agent {
    private final NodeId node;
    private final Map<String, Work> works = new TreeMap<>();
    private long generation;
    private long sequence;
    private long newest;
    private long heard = time.nanos();

    Agent(NodeId node) {
      this.node = node;
    }

    long heard() {
      return agents.containsKey(node) ? time.nanos() : heard;
    }

    void take(List<DesiredWork> wanted) {
      Map<String, DesiredWork> byKey = new TreeMap<>();
      wanted.forEach(work -> byKey.put(work.cluster() + "." + work.attempt(), work));
      for (Map.Entry<String, Work> one : List.copyOf(works.entrySet())) {
        if (!byKey.containsKey(one.getKey())) {
          one.getValue().drop();
        }
      }
      byKey.forEach(
          (key, work) ->
              works.computeIfAbsent(key, unknown -> new Work(this, key, work)).want(work));
      report();
    }

    /** Level-triggered: says what is so when it is sent; the last one counts. */
    void report() {
      long number = ++sequence;
      ObservedState state =
          new ObservedState(
              number, generation, works.values().stream().map(Work::observed).toList());
      Consumer<Message> now = mailbox;
      int own = lines;
      time.after(
          Duration.ofMillis(1 + random.nextInt(250)),
          () -> {
            if (own != lines) {
              report(); // Nobody took it: what is so by now is said to the next engine.
            } else if (number > newest && agents.get(node) == this) {
              newest = number;
              now.accept(core -> core.observed(node, state));
            }
          });
    }
  }

  /** One rank of one attempt. */
  private final class Work {
    private final Agent agent;
    private final String key;
    private final DesiredWork first;
    private Status status = new Status.Preparing();
    private DesiredWork.Step done = null;
    private boolean stopping;

    Work(Agent agent, String key, DesiredWork first) {
      this.agent = agent;
      this.key = key;
      this.first = first;
    }

    void name(List<String> running) {
      if (status instanceof Status.Running) {
        running.add(key + " rank " + first.rank());
      }
    }

    ObservedWork observed() {
      return new ObservedWork(first.cluster(), first.attempt(), first.rank(), status);
    }

    void want(DesiredWork wanted) {
      if (wanted.step() == DesiredWork.Step.STOP) {
        stop();
      } else if (done == null || wanted.step().compareTo(done) > 0) {
        DesiredWork.Step next = done == null ? DesiredWork.Step.PREPARE : next(done);
        done = next;
        time.after(Duration.ofMillis(5 + random.nextInt(1_000)), () -> come(next, wanted));
      }
    }

    private static DesiredWork.Step next(DesiredWork.Step step) {
      return switch (step) {
        case PREPARE -> DesiredWork.Step.JOIN;
        case JOIN -> DesiredWork.Step.RUN;
        case RUN, STOP -> throw new AssertionError("nothing comes after " + step);
      };
    }

    private void come(DesiredWork.Step step, DesiredWork wanted) {
      if (stopping || agent.works.get(key) != this) {
        return;
      }
      switch (step) {
        case PREPARE -> status(new Status.Prepared(first.rank() == 0 ? 21_000 : 0));
        case JOIN -> status(new Status.Joined(size(wanted), first.rank()));
        case RUN -> {
          status(new Status.Running(4_711));
          time.after(Duration.ofSeconds(1 + random.nextInt(600)), this::exit);
        }
        case STOP -> throw new AssertionError("a stop is no step to come to");
      }
      want(wanted);
    }

    private static int size(DesiredWork wanted) {
      return Integer.parseInt(wanted.contract().get("CLUSTERED_SIZE"));
    }

    private void exit() {
      if (!stopping && agent.works.get(key) == this) {
        stopping = true;
        ended(new ProcessEnd.Code(random.nextInt(6) == 0 ? 1 : 0), false);
      }
    }

    private void stop() {
      if (!stopping) {
        stopping = true;
        boolean ran = status instanceof Status.Running;
        time.after(
            Duration.ofMillis(10 + random.nextInt(2_000)),
            () -> {
              if (ran) {
                ended(new ProcessEnd.Signal(15), true);
              } else {
                finish(Optional.empty(), true);
              }
            });
      }
    }

    private void ended(ProcessEnd end, boolean killed) {
      status(new Status.Exited(end, time.instant(), killed, Optional.empty()));
      time.after(
          Duration.ofMillis(1 + random.nextInt(500)), () -> finish(Optional.of(end), killed));
    }

    private void finish(Optional<ProcessEnd> end, boolean killed) {
      status(
          new Status.Finished(
              end,
              end.map(known -> time.instant()),
              killed,
              Optional.empty(),
              Optional.empty(),
              0,
              Optional.empty()));
    }

    /** Nobody wants it any more: it ends and is gone. */
    void drop() {
      if (status instanceof Status.Running && !stopping) {
        unharmed.add(key + " on " + agent.node);
      }
      stopping = true;
      time.after(
          Duration.ofMillis(10 + random.nextInt(1_000)),
          () -> {
            if (agent.works.remove(key, this)) {
              agent.report();
            }
          });
    }

    private void status(Status newer) {
      status = newer;
      agent.report();
    }
  }
}
