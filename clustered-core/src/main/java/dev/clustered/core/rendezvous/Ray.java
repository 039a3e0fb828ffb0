// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.agent.protocol.Preamble;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A head on rank 0 on the attempt's own port, the other nodes joined to it, then the command. */
final class Ray implements Handing {

  private static final List<String> PROGRAMS = List.of("ray");

  private static final String START = "ray.sh";

  private static final String SAME = "same";

  private static final String SCRIPT =
      """
      # Starts a Ray of all nodes, then the command. Stops none: it might be somebody else's.
      directory=$1
      others=$2
      shift 2
      # The leader beside may still be starting; it takes the name away in the end.
      mkdir -p ../files/short && ln -s "$(cd -P ../files/short && pwd)" "$directory" 2>/dev/null
      start='ray start --min-worker-port 0 --max-worker-port 0'
      $start --head --node-ip-address "$MASTER_ADDR" --port "$MASTER_PORT" \\
        --include-dashboard false --temp-dir "$directory" >../files/head.log 2>&1
      code=$?
      if [ "$code" != 0 ]; then
        cat ../files/head.log >&2
        exit "$code"
      fi
      joining=
      rank=0
      for address in $(echo "${CLUSTERED_ADDRESSES#"$MASTER_ADDR"}" | tr , ' '); do
        rank=$((rank + 1))
        own=
        [ "$others" = same ] || own="--temp-dir $others$rank"
        /bin/sh ../files/remote "$address" \\
          "$start --address '$RAY_ADDRESS' --node-ip-address '$address' $own" \\
          >"../files/join.$rank" 2>&1 &
        joining="$joining $!:$rank"
      done
      for each in $joining; do
        if ! wait "${each%:*}"; then
          cat "../files/join.${each#*:}" >&2
          echo "clustered: rank ${each#*:} did not join Ray" >&2
          exit 1
        fi
      done
      exec "$@"
      """;

  @Override
  public int ports() {
    return 2;
  }

  @Override
  public Map<String, String> variables(Place place, Map<String, String> user) {
    Map<String, String> variables = new LinkedHashMap<>();
    variables.put("RAY_ADDRESS", place.endpoint());
    if (!user.containsKey("RAY_USAGE_STATS_ENABLED")) {
      variables.put("RAY_USAGE_STATS_ENABLED", "0");
    }
    return variables;
  }

  @Override
  public Preamble preamble(Place place, Map<String, String> user) {
    // Ray has one path for all nodes, where each has a directory of its own: but not here.
    String path = "/tmp/ray-" + Following.name(place);
    String others = place.oneMachine() ? path + "-" : SAME;
    String directory = place.oneMachine() ? others + place.rank() : path;
    if (place.rank() > 0) {
      Preamble follower = Following.follower(place, directory);
      return new Preamble(follower.arguments(), follower.files(), List.of(), List.of(), PROGRAMS);
    }
    Map<String, String> files = new LinkedHashMap<>();
    files.put(START, SCRIPT);
    files.putAll(Following.files(place));
    return new Preamble(
        List.of("/bin/sh", Preamble.path(START), directory, others),
        files,
        List.of(),
        Following.leader(place, directory),
        PROGRAMS);
  }
}
