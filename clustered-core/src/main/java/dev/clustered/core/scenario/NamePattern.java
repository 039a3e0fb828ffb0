// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Names in short: {@code r[1-2]-n[01-18,20]} stands for 38 names in the order in which they are
 * written, {@code n1 x 4} for four times the same.
 */
final class NamePattern {

  private static final int MOST = 200_000;
  private static final Pattern TIMES = Pattern.compile("(.+) x ([0-9]{1,6})");
  private static final Pattern RANGE = Pattern.compile("\\[([^\\]]*)\\]");
  private static final Pattern NUMBERS = Pattern.compile("([0-9]{1,9})-([0-9]{1,9})");
  private static final Pattern DIGITS = Pattern.compile("[0-9]{10,}|[0-9]+-[0-9]+");
  private static final Pattern COUNTED = Pattern.compile("(.*?)([0-9]{1,9})");
  private static final Pattern PLACEHOLDER = Pattern.compile("\\{([0-9])\\}");

  /**
   * One of the names.
   *
   * @param values what each range of the pattern stands at
   */
  record Name(String text, List<String> values) {}

  private NamePattern() {}

  /**
   * All names of a pattern.
   *
   * @throws IllegalArgumentException when it is none, or stands for too many
   */
  static List<Name> expand(String pattern) {
    Matcher times = TIMES.matcher(pattern);
    if (!times.matches()) {
      return names(pattern);
    }
    int count = Integer.parseInt(times.group(2));
    List<Name> names = new ArrayList<>();
    for (Name name : names(times.group(1))) {
      for (int i = 0; i < count; i++) {
        names.add(name);
        requireFew(names.size());
      }
    }
    return names;
  }

  private static List<Name> names(String pattern) {
    List<Name> names = List.of(new Name("", List.of()));
    Matcher range = RANGE.matcher(pattern);
    int at = 0;
    while (range.find()) {
      names = with(names, pattern.substring(at, range.start()), values(range.group(1)));
      at = range.end();
    }
    String rest = pattern.substring(at);
    if (rest.indexOf('[') >= 0 || rest.indexOf(']') >= 0) {
      throw new IllegalArgumentException("a range is closed by ]");
    }
    return names.stream().map(name -> new Name(name.text() + rest, name.values())).toList();
  }

  private static List<Name> with(List<Name> names, String between, List<String> values) {
    requireFew((long) names.size() * values.size());
    List<Name> more = new ArrayList<>();
    for (Name name : names) {
      for (String value : values) {
        List<String> all = new ArrayList<>(name.values());
        all.add(value);
        more.add(new Name(name.text() + between + value, List.copyOf(all)));
      }
    }
    return more;
  }

  private static List<String> values(String range) {
    List<String> values = new ArrayList<>();
    for (String item : range.split(",", -1)) {
      Matcher numbers = NUMBERS.matcher(item);
      if (numbers.matches()) {
        int first = Integer.parseInt(numbers.group(1));
        int last = Integer.parseInt(numbers.group(2));
        if (first > last) {
          throw new IllegalArgumentException("a range goes upwards, as in [1-4]");
        }
        requireFew((long) last - first + 1);
        boolean padded = numbers.group(1).startsWith("0") && numbers.group(1).length() > 1;
        String format = padded ? "%0" + numbers.group(1).length() + "d" : "%d";
        for (int value = first; value <= last; value++) {
          values.add(format.formatted(value));
        }
      } else if (DIGITS.matcher(item).matches()) {
        throw new IllegalArgumentException("numbers have nine digits at most");
      } else if (item.isEmpty()) {
        throw new IllegalArgumentException(
            "a range holds numbers or words, as in [1-4,7] or [a,b]");
      } else {
        values.add(item);
      }
    }
    return values;
  }

  private static void requireFew(long count) {
    if (count > MOST) {
      throw new IllegalArgumentException(
          "it stands for %d names or more, and %d are the most".formatted(count, MOST));
    }
  }

  /** A text in which {1} stands for the value of the first range of a name, and so on. */
  static String fill(String text, List<String> values) {
    if (text.indexOf('{') < 0) {
      return text;
    }
    return PLACEHOLDER
        .matcher(text)
        .replaceAll(
            found -> {
              int index = Integer.parseInt(found.group(1));
              if (index < 1 || index > values.size()) {
                throw new IllegalArgumentException(
                    "{%d} stands for a range of the name, which has %d"
                        .formatted(index, values.size()));
              }
              return Matcher.quoteReplacement(values.get(index - 1));
            });
  }

  /** Names in short: those that only count up are put together as a range. */
  static String shorten(List<String> names) {
    List<String> parts = new ArrayList<>();
    int from = 0;
    while (from < names.size()) {
      int to = from + 1;
      while (to < names.size() && follows(names.get(to - 1), names.get(to))) {
        to++;
      }
      parts.add(
          to - from < 3 ? String.join(", ", names.subList(from, to)) : range(names, from, to - 1));
      from = to;
    }
    return String.join(", ", parts);
  }

  private static String range(List<String> names, int first, int last) {
    Matcher from = COUNTED.matcher(names.get(first));
    Matcher to = COUNTED.matcher(names.get(last));
    return from.matches() && to.matches()
        ? "%s[%s-%s]".formatted(from.group(1), from.group(2), to.group(2))
        : names.get(first) + " to " + names.get(last);
  }

  private static boolean follows(String name, String next) {
    Matcher one = COUNTED.matcher(name);
    Matcher other = COUNTED.matcher(next);
    if (!one.matches() || !other.matches() || !one.group(1).equals(other.group(1))) {
      return false;
    }
    boolean sameWidth =
        one.group(2).length() == other.group(2).length() || !one.group(2).startsWith("0");
    return sameWidth && Integer.parseInt(one.group(2)) + 1 == Integer.parseInt(other.group(2));
  }
}
