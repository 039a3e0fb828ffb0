// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import dev.clustered.agent.protocol.Preamble;
import dev.clustered.model.Secret;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Our own two programs, by which rank 0 has commands run on the other nodes of its attempt: what
 * ssh would do, with nothing to set up. The leader stands beside the command of rank 0 and listens
 * on the port after the user's; on every other node the follower is the rank, and ends well with
 * the leader. Stateless and thread-safe.
 */
final class Following {

  /** The script that has a command run on a node: its address, then the command. */
  static final String REMOTE = "remote";

  private static final String SECRET = "secret";

  /** That no directory is wanted. */
  private static final String NONE = "-";

  private static final int NAME_LETTERS = 12;

  private static final String SCRIPT =
      """
      # Has a command run on another node of the cluster, as ssh would, by the leader beside.
      host=$1
      shift
      call=../files/calls/$$
      mkdir -p ../files/calls && mkfifo "$call.out" "$call.err" "$call.end" || exit 255
      { printf '%s\\n' "$host"; printf '%s' "$*"; } >"$call.new" || exit 255
      mv "$call.new" "$call.ask" || exit 255
      cat <"$call.out" &
      cat <"$call.err" >&2 &
      read -r code <"$call.end"
      wait
      rm -f "$call.out" "$call.err" "$call.end"
      exit "${code:-255}"
      """;

  private Following() {}

  /** The leader, as what stands beside a command. */
  static List<String> leader(Place place) {
    return leader(place, NONE);
  }

  /**
   * The same, which makes a short name for a directory of this rank's own.
   *
   * @param link an absolute path that is the same on every node, where each makes its own
   */
  static List<String> leader(Place place, String link) {
    return program("Leader", place, link);
  }

  /** The follower, which is all that a rank does. */
  static Preamble follower(Place place) {
    return follower(place, NONE);
  }

  /** The same, which makes a short name for a directory of this rank's own. */
  static Preamble follower(Place place, String link) {
    return new Preamble(program("Follower", place, link), files(place));
  }

  /** A name that nobody else can have thought of before, the same on every node. */
  static String name(Place place) {
    return secret(place).substring(0, NAME_LETTERS);
  }

  /** What both of them and the script need. */
  static Map<String, String> files(Place place) {
    Map<String, String> files = new LinkedHashMap<>();
    if (place.rank() == 0) {
      files.put(REMOTE, SCRIPT);
    }
    files.put(SECRET, secret(place));
    return files;
  }

  private static String secret(Place place) {
    return place
        .secret()
        .map(Secret::reveal)
        .orElseThrow(() -> new IllegalStateException("the attempt has no secret"));
  }

  private static List<String> program(String name, Place place, String link) {
    return new ArrayList<>(
        List.of(
            Preamble.path(Preamble.WORKER),
            "dev.clustered.agent.worker." + name,
            place.leader(),
            Integer.toString(place.ownPort()),
            place.own().address(),
            Preamble.path(SECRET),
            link));
  }
}
