// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.agent.protocol.Preamble;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Starts each node by itself: no ssh, and so no variable is left behind. Its hosts have names and
 * no addresses: it looks none of them up, and splits what it is told at colons.
 */
final class DeepSpeed implements Handing {

  private static final String HOSTFILE = "hostfile";

  @Override
  public Preamble preamble(Place place, Map<String, String> user) {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "deepspeed",
                "--no_ssh",
                "--node_rank",
                Integer.toString(place.rank()),
                "--master_addr",
                place.leader(),
                "--master_port",
                Integer.toString(place.port()),
                "--hostfile",
                Preamble.path(HOSTFILE)));
    if (!place.members().stream().allMatch(Member::wholeNode)) {
      arguments.add("--include");
      arguments.add(everyHost(place, "@", member -> ":" + chosen(member, user)));
    }
    Map<String, String> files = new LinkedHashMap<>();
    files.put(HOSTFILE, everyHost(place, "\n", member -> " slots=" + slots(member, user)) + "\n");
    return new Preamble(arguments, files);
  }

  /** It gives each process one of them, and overwrites {@code CUDA_VISIBLE_DEVICES} with them. */
  private static String chosen(Member member, Map<String, String> user) {
    IntStream all =
        member.gpus().isEmpty() || member.wholeNode()
            ? IntStream.range(0, Handing.processes(member, user))
            : member.gpus().stream().mapToInt(gpu -> gpu).limit(Handing.processes(member, user));
    return all.mapToObj(Integer::toString).collect(Collectors.joining(","));
  }

  private static int slots(Member member, Map<String, String> user) {
    int processes = Handing.processes(member, user);
    return member.wholeNode() ? processes : Math.max(processes, member.nodeGpus());
  }

  private interface Text {
    String of(Member member);
  }

  private static String everyHost(Place place, String separator, Text text) {
    return IntStream.range(0, place.size())
        .mapToObj(rank -> "rank-" + rank + text.of(place.members().get(rank)))
        .collect(Collectors.joining(separator));
  }
}
