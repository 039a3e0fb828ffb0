// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.model.TopologyPath;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The names of what a file has, at any time. What it speaks of elsewhere must be one of them, which
 * is known when all of it is read. Not thread-safe.
 */
final class Names {

  /** So many names are listed for whoever wrote another. */
  private static final int MOST_LISTED = 10;

  /** So many letters at most are wrong in a name that is still taken for a misspelt one. */
  private static final int MOST_WRONG = 2;

  /** The nodes that launches bring in a run of virtual time are named by the launch. */
  private static final Pattern BROUGHT = Pattern.compile("(.+)-[0-9]+");

  private static final Pattern NOT_A_DIGIT = Pattern.compile("[^0-9]");

  private static final Pattern LAUNCH = Pattern.compile("launch-[0-9]+-(.+)");

  /** Of what there are names. */
  enum Kind {
    GANG("name one that runs, waits or comes"),
    NODE("name one of the pool"),
    OFFER("put one of the offers"),
    QUEUE("name one of the policy, or add it there"),
    LEVEL("name one that nodes report"),
    ZONE("name one of a node or an offer"),
    BACKEND("name one of a node or an offer"),
    SHAPE("put one of the shapes"),
    ROLE("name one of a gang"),
    LAUNCH("name one that is under way");

    private final String advice;

    Kind(String advice) {
      this.advice = advice;
    }
  }

  private record Mention(Kind kind, Fields at, String field, String name) {}

  private final Map<Kind, Set<String>> known = new TreeMap<>();
  private final List<Mention> mentions = new ArrayList<>();
  private boolean virtualTime;

  /** There is something of this name. */
  void add(Kind kind, String name) {
    known.computeIfAbsent(kind, k -> new TreeSet<>()).add(name);
  }

  /** There is a node, at this place. */
  void add(Machine machine) {
    add(Kind.NODE, machine.id().value());
    add(Kind.BACKEND, machine.backend());
    machine.topology().levels().forEach(level -> add(Kind.LEVEL, level.name()));
    machine.topology().at(TopologyPath.ZONE).ifPresent(zone -> add(Kind.ZONE, zone));
  }

  /** Launches bring nodes by themselves. */
  void virtualTime() {
    virtualTime = true;
  }

  /** A field speaks of something that must be somewhere in the file. */
  void mention(Kind kind, Fields at, String field, String name) {
    mentions.add(new Mention(kind, at, field, name));
  }

  /**
   * Everything was read.
   *
   * @throws ScenarioException when something is spoken of that there is not
   */
  void check() {
    mentions.forEach(m -> require(m.kind(), m.at(), m.field(), m.name()));
  }

  /** Whether there is something of this name, by what was read until now. */
  private boolean knows(Kind kind, String name) {
    return all(kind).contains(name) || (kind == Kind.NODE && virtualTime && brought(name));
  }

  private boolean brought(String node) {
    Matcher brought = BROUGHT.matcher(node);
    if (!brought.matches()) {
      return false;
    }
    Matcher launch = LAUNCH.matcher(brought.group(1));
    return all(Kind.LAUNCH).contains(brought.group(1))
        || (launch.matches() && all(Kind.GANG).contains(launch.group(1)));
  }

  private Set<String> all(Kind kind) {
    return known.getOrDefault(kind, new TreeSet<>());
  }

  /**
   * A field speaks of something that must have been read.
   *
   * @throws ScenarioException when it was not
   */
  void require(Kind kind, Fields at, String field, String name) {
    if (!knows(kind, name)) {
      throw at.refuse(
          field,
          "there is no %s %s".formatted(Fields.word(kind), name.isEmpty() ? "\"\"" : name),
          "%s%s".formatted(kind.advice, instead(name, all(kind))));
    }
  }

  /** What could be meant by a name that there is not, for the end of a sentence. */
  static String instead(String name, Set<String> known) {
    Optional<String> near =
        known.stream()
            .filter(other -> digits(name).equals(digits(other)))
            .filter(other -> wrong(name, other) <= Math.min(MOST_WRONG, other.length() / 2 - 1))
            .min(Comparator.comparingInt(other -> wrong(name, other)));
    if (near.isPresent()) {
      return "; perhaps %s is meant".formatted(near.get());
    }
    List<String> first = known.stream().limit(MOST_LISTED).toList();
    String more =
        known.size() > first.size() ? " and %d more".formatted(known.size() - MOST_LISTED) : "";
    return known.isEmpty() ? "; there is none" : "; there are " + String.join(", ", first) + more;
  }

  /** Names that differ in their numbers are just others. */
  private static String digits(String name) {
    return NOT_A_DIGIT.matcher(name).replaceAll("");
  }

  /** How many letters must be put in, left out, changed, or swapped with the next. */
  private static int wrong(String one, String other) {
    if (Math.abs(one.length() - other.length()) > MOST_WRONG) {
      return Integer.MAX_VALUE;
    }
    int[][] least = new int[one.length() + 1][other.length() + 1];
    for (int i = 0; i <= one.length(); i++) {
      for (int j = 0; j <= other.length(); j++) {
        least[i][j] = i == 0 || j == 0 ? i + j : step(one, other, i, j, least);
      }
    }
    return least[one.length()][other.length()];
  }

  private static int step(String one, String other, int i, int j, int[][] least) {
    boolean same = one.charAt(i - 1) == other.charAt(j - 1);
    int steps = least[i - 1][j - 1] + (same ? 0 : 1);
    steps = Math.min(steps, 1 + Math.min(least[i - 1][j], least[i][j - 1]));
    boolean swapped =
        i > 1
            && j > 1
            && one.charAt(i - 1) == other.charAt(j - 2)
            && one.charAt(i - 2) == other.charAt(j - 1);
    return swapped ? Math.min(steps, 1 + least[i - 2][j - 2]) : steps;
  }
}
