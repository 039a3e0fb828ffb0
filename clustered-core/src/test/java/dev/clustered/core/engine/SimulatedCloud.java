// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.lifecycle.Fact;
import dev.clustered.model.ByteSize;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.LaunchId;
import dev.clustered.model.Market;
import dev.clustered.model.NodeId;
import dev.clustered.model.Offer;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import dev.clustered.model.TopologyPath;
import dev.clustered.spi.Instance;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/** A cloud with one zone, which answers late, fails, and forgets no instance. Not thread-safe. */
final class SimulatedCloud {

  static final Shape SHAPE =
      new Shape("gpu8", new Resources(8, "H200", 96, ByteSize.gibibytes(1_024)), 8, 3_200);

  private final SimulatedTime time;
  private final Random random;
  private final int most;

  /** What each launch was answered. */
  private final Map<LaunchId, List<Instance>> granted = new TreeMap<>();

  /** What is there and paid for, by the cloud's own identity. */
  final Map<String, Instance> instances = new TreeMap<>();

  /** Crashes the engine before a call. */
  Runnable beforeCall = () -> {};

  /** Hears of instances that come up and go. */
  interface Machines {
    void boot(NodeId node);

    void end(NodeId node);
  }

  SimulatedCloud(SimulatedTime time, Random random, int most) {
    this.time = time;
    this.random = random;
    this.most = most;
  }

  List<Offer> offers() {
    int free = most - instances.size();
    return List.of(
        new Offer(
            "cloud",
            SHAPE,
            "zone-a",
            Market.ON_DEMAND,
            BigDecimal.TEN,
            Duration.ofSeconds(40),
            Math.max(0, free)));
  }

  /** What one engine sees of it; nothing comes back to it once it has crashed. */
  Reach reach(Consumer<Message> mailbox, Machines machines) {
    return new Reach() {
      private void answer(Message message) {
        time.after(Duration.ofMillis(20 + random.nextInt(3_000)), () -> mailbox.accept(message));
      }

      @Override
      public void offers(long question) {
        time.after(
            Duration.ofMillis(5),
            () ->
                answer(core -> core.offersKnown(question, new KnownOffers(offersNow(), Map.of()))));
      }

      private List<Offer> offersNow() {
        return SimulatedCloud.this.offers();
      }

      @Override
      public void launch(Fact.LaunchDecided decided) {
        beforeCall.run();
        time.after(
            Duration.ofMillis(random.nextInt(5_000)),
            () -> {
              List<Instance> got = granted.get(decided.launch());
              if (got == null && random.nextInt(10) == 0) {
                answer(core -> core.launchFailed(decided, ErrorCode.LAUNCH_FAILED, "API error"));
              } else if (got == null && instances.size() + decided.nodes().size() > most) {
                answer(core -> core.launchFailed(decided, ErrorCode.NO_CAPACITY, "none left"));
              } else {
                List<Instance> given = got == null ? create(decided, machines) : got;
                answer(core -> core.launchGranted(decided, given));
              }
            });
      }

      @Override
      public void abandon(LaunchId launch) {}

      @Override
      public void terminate(String backend, List<String> which, List<NodeId> nodes) {
        beforeCall.run();
        time.after(
            Duration.ofMillis(500 + random.nextInt(20_000)),
            () -> {
              which.forEach(instances::remove);
              nodes.forEach(machines::end);
              answer(core -> core.nodesEnded(nodes));
            });
      }

      @Override
      public void terminateOrphans(String backend, List<String> which) {
        beforeCall.run();
        time.after(
            Duration.ofMillis(500 + random.nextInt(20_000)),
            () -> {
              for (String id : which) {
                Instance gone = instances.remove(id);
                if (gone != null) {
                  machines.end(gone.node());
                }
              }
              answer(core -> core.orphansEnded(backend, which));
            });
      }

      @Override
      public void list() {
        // A list lags: it is of some moment before its answer.
        List<Instance> then = List.copyOf(instances.values());
        time.after(
            Duration.ofMillis(random.nextInt(10_000)),
            () -> answer(core -> core.listed("cloud", then)));
      }

      @Override
      public void lost(NodeId node, String why) {}

      @Override
      public void notices() {}
    };
  }

  private List<Instance> create(Fact.LaunchDecided decided, Machines machines) {
    List<Instance> created = new ArrayList<>();
    for (NodeId node : decided.nodes()) {
      Instance instance =
          new Instance(
              "i-" + node.value(),
              node,
              decided.launch(),
              "owner",
              decided.offer(),
              new TopologyPath(
                  List.of(
                      new TopologyPath.Level(TopologyPath.ZONE, "zone-a"),
                      new TopologyPath.Level(TopologyPath.FABRIC, "fabric-a"))),
              List.of("10.0.0.1"),
              Instance.State.RUNNING);
      instances.put(instance.id(), instance);
      created.add(instance);
      time.after(
          Duration.ofSeconds(10 + random.nextInt(60)),
          () -> {
            if (instances.containsKey(instance.id())) {
              machines.boot(node);
            }
          });
    }
    granted.put(decided.launch(), created);
    return created;
  }
}
