// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.gpu.GpuLook;
import dev.clustered.agent.gpu.GpuProbe;
import dev.clustered.agent.protocol.ContractNames;
import dev.clustered.agent.protocol.ObservedWork.Gpus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Since when the GPUs of a rank have been idle. Utilisation is that of a moment, so a GPU counts as
 * idle only when it was at every look for the whole limit. Used by one thread.
 */
final class GpuWatch implements AutoCloseable {

  /** For one look: a driver without its persistence mode takes long for the first. */
  private static final Duration LOOK_LIMIT = Duration.ofSeconds(1);

  private final List<String> gpus;
  private final GpuProbe probe;

  /** When each was last seen at work, or not seen. */
  private final Map<String, Long> worked = new LinkedHashMap<>();

  private List<GpuLook> looks = List.of();

  GpuWatch(List<String> gpus, GpuProbe probe) {
    this.gpus = gpus;
    this.probe = probe;
  }

  /** Of the GPUs that a contract gives; looks at nothing where it gives none. */
  static GpuWatch of(Map<String, String> contract) {
    return new GpuWatch(gpus(contract), new GpuProbe(GpuProbe.LIBRARY, LOOK_LIMIT));
  }

  /** The indices or UUIDs of a rank's GPUs on its node, all of the node's where it has it whole. */
  static List<String> gpus(Map<String, String> contract) {
    String count = contract.getOrDefault(ContractNames.GPUS_PER_NODE, "0");
    if (count.equals("0")) {
      return List.of();
    }
    String visible = contract.get(ContractNames.CUDA_VISIBLE_DEVICES);
    if (visible == null) {
      return IntStream.range(0, Integer.parseInt(count)).mapToObj(Integer::toString).toList();
    }
    // As CUDA reads it: what follows the first that cannot be does not count.
    return Stream.of(visible.split(",", -1))
        .map(String::strip)
        .takeWhile(gpu -> !gpu.isEmpty() && !gpu.startsWith("-"))
        .toList();
  }

  /** How much longer a look of the rank takes at most. */
  Duration limit() {
    return gpus.isEmpty() ? Duration.ZERO : probe.limit();
  }

  void look() throws InterruptedException {
    if (!gpus.isEmpty()) {
      looks = probe.look(gpus);
    }
  }

  /** What was seen before says nothing any more. */
  void begin() {
    worked.clear();
  }

  /** What the last look came to; empty where there are none. */
  Optional<Gpus> seen(long now, Duration limit) {
    if (gpus.isEmpty() || looks.isEmpty()) {
      return Optional.empty();
    }
    List<String> busy = new ArrayList<>();
    List<String> idle = new ArrayList<>();
    List<String> reasons = new ArrayList<>();
    long least = Long.MAX_VALUE;
    for (int i = 0; i < gpus.size(); i++) {
      String gpu = gpus.get(i);
      long since = worked.getOrDefault(gpu, now);
      if (looks.get(i) instanceof GpuLook.Unseen lost) {
        reasons.add(lost.why());
        worked.put(gpu, now);
      } else if (looks.get(i) instanceof GpuLook.Idle) {
        worked.putIfAbsent(gpu, now);
        boolean over = now - since > limit.toNanos();
        (over ? idle : busy).add(gpu);
        least = over ? Math.min(least, now - since) : least;
      } else {
        busy.add(gpu);
        worked.put(gpu, now);
      }
    }
    Duration idleFor = idle.isEmpty() ? Duration.ZERO : Duration.ofNanos(least);
    return Optional.of(new Gpus(busy, idle, idleFor, reasons.stream().findFirst()));
  }

  @Override
  public void close() {
    probe.close();
  }
}
