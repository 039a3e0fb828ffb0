// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import dev.clustered.model.LaunchId;
import dev.clustered.model.Market;
import dev.clustered.model.Offer;
import dev.clustered.model.Shape;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import dev.clustered.spi.Notice;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Launches, lists and terminates local nodes. Thread-safe.
 *
 * <p>A launch takes its places at once and whole, waits for the boot time without holding anything
 * up, and starts all agents together. Nodes boot and end on virtual threads of this class: an
 * interrupted caller stops waiting, and never leaves a node half made.
 */
final class LocalCapacity implements CapacityProvider, AutoCloseable {

  private static final Logger LOG = LoggerFactory.getLogger(LocalCapacity.class);

  private final LocalSettings settings;
  private final List<LocalZone> zones;
  private final Path directory;
  private final AgentHosts hosts;
  private final InstantSource clock;
  private final LoopbackAddresses addresses = new LoopbackAddresses();
  private final LaunchAnswers answers = new LaunchAnswers();
  private final LocalNodes nodes = new LocalNodes();
  private final AtomicLong lastNode = new AtomicLong();
  private final Queue<Notice> notices = new ConcurrentLinkedQueue<>();
  private final CountDownLatch closing = new CountDownLatch(1);
  private final ExecutorService executor =
      Executors.newThreadPerTaskExecutor(Thread.ofVirtual().name("clustered-local-", 0).factory());

  LocalCapacity(LocalSettings settings, Path directory, AgentHosts hosts, InstantSource clock) {
    this.settings = settings;
    this.zones = LocalZone.all(settings);
    this.directory = directory;
    this.hosts = hosts;
    this.clock = clock;
    takeOver(hosts.find());
  }

  private void takeOver(FoundNodes found) {
    TakenOver taken = new TakenOver(zones, settings, directory, addresses, found);
    taken.launches(this::lost).forEach(this::know);
    found
        .lost()
        .forEach(
            record ->
                notices.add(
                    new Notice(
                        record.node(),
                        Notice.Kind.ENDED,
                        "the agent ended while no program had the backend open")));
  }

  private void know(LaunchId id, List<LocalNode> launched) {
    nodes.add(launched.stream().filter(node -> !node.ended().isDone()).toList());
    answers.know(id, launched);
    forgetOnceEnded(id, launched);
  }

  @Override
  public List<Offer> offers() {
    List<Offer> offers = new ArrayList<>();
    for (LocalZone zone : zones) {
      int free = zone.free();
      settings.shapes().forEach(shape -> offers.add(offer(zone, shape, free)));
    }
    return offers;
  }

  private Offer offer(LocalZone zone, Shape shape, int free) {
    return new Offer(
        LocalBackendFactory.NAME,
        shape,
        zone.name(),
        Market.ON_DEMAND,
        settings.hourlyPrice(),
        settings.bootTime(),
        free);
  }

  @Override
  public List<Instance> launch(LaunchRequest request) throws InterruptedException {
    LocalZone zone = LaunchRules.zone(request, zones, settings.shapes());
    List<LocalNode> launched = answers.first(request.id(), () -> launch(request, zone));
    return launched.stream().map(LocalNode::instance).toList();
  }

  private List<LocalNode> launch(LaunchRequest request, LocalZone zone)
      throws InterruptedException {
    OpenFiles.requireRoom(request, settings.agents());
    List<LocalNode> launched = place(request, zone.take(request));
    nodes.add(launched);
    try {
      if (closing.await(settings.bootTime().toNanos(), TimeUnit.NANOSECONDS)) {
        throw LocalNodes.closed();
      }
      Waiting.onAll(each(launched, this::boot));
      Waiting.onAll(each(launched, LocalNode::keep));
    } catch (InterruptedException | RuntimeException e) {
      Waiting.onAllInSpiteOfInterrupts(end(launched));
      if (closing.getCount() == 0) {
        throw LocalNodes.closed();
      }
      throw e;
    }
    forgetOnceEnded(request.id(), launched);
    LOG.debug("launched launch={} zone={} nodes={}", request.id(), zone.name(), launched.size());
    return launched;
  }

  private void forgetOnceEnded(LaunchId id, List<LocalNode> launched) {
    List<CompletableFuture<Void>> ends = launched.stream().map(LocalNode::ended).toList();
    Waiting.then(Waiting.all(ends), nothing -> answers.ended(id));
  }

  private List<LocalNode> place(LaunchRequest request, List<LocalZone.Place> places) {
    List<LocalNode> placed = new ArrayList<>();
    for (LocalZone.Place place : places) {
      LaunchRequest.Bootstrap bootstrap = request.nodes().get(placed.size());
      Path home = directory.resolve(bootstrap.node().value());
      String id = hosts.instance(lastNode.incrementAndGet());
      placed.add(new LocalNode(id, request, bootstrap, place, home));
    }
    return placed;
  }

  private List<CompletableFuture<Void>> each(List<LocalNode> some, Consumer<LocalNode> step) {
    return some.stream()
        .map(node -> CompletableFuture.runAsync(() -> step.accept(node), executor))
        .toList();
  }

  private void boot(LocalNode node) {
    node.boot(addresses, hosts, clock.instant(), this::lost);
  }

  /** The agent ended although nobody asked for it, so the node ends as a machine would. */
  private void lost(LocalNode node, String evidence) {
    notices.add(new Notice(node.instance().node(), Notice.Kind.ENDED, evidence));
    Waiting.then(
        node.end(executor), nothing -> LOG.debug("lost node={} why={}", node.id(), evidence));
  }

  @Override
  public List<Instance> list(String owner) {
    return nodes.all().stream()
        .map(LocalNode::instance)
        .filter(instance -> instance.owner().equals(owner))
        .toList();
  }

  @Override
  public void terminate(Collection<String> instanceIds) throws InterruptedException {
    Waiting.onAll(end(nodes.named(instanceIds)));
  }

  private List<CompletableFuture<Void>> end(Collection<LocalNode> ended) {
    return ended.stream().map(node -> node.end(executor)).toList();
  }

  @Override
  public List<Notice> notices() {
    List<Notice> fresh = new ArrayList<>();
    for (Notice notice = notices.poll(); notice != null; notice = notices.poll()) {
      fresh.add(notice);
    }
    return fresh;
  }

  /**
   * Ends every node but those that outlive this program, of which it lets go; launches under way
   * fail. Returns when nothing else is left.
   */
  @Override
  public void close() {
    nodes.close();
    closing.countDown();
    try {
      if (hosts.outlive()) {
        answers.awaitAll();
      } else {
        Waiting.onAllInSpiteOfInterrupts(end(nodes.all()));
      }
    } finally {
      executor.close();
      nodes.all().forEach(LocalNode::letGo);
      hosts.close();
    }
  }
}
