// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import dev.clustered.model.ClusterId;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * When gangs should start and end in a run of virtual time.
 *
 * @param preemptions how many gangs are ended for others in all
 */
record HistoryExpected(List<Moment> starts, List<Moment> ends, Optional<Integer> preemptions) {

  /**
   * When a gang should start, the first time if it does so again, or end.
   *
   * @param at just then
   * @param by then or before
   * @param notBefore then or later
   */
  record Moment(
      ClusterId gang, Optional<Instant> at, Optional<Instant> by, Optional<Instant> notBefore) {}

  static HistoryExpected read(Fields fields, WishReader wishes) {
    List<Moment> starts = moments(fields, "starts", wishes);
    List<Moment> ends = moments(fields, "ends", wishes);
    Optional<Integer> preemptions = fields.whole("preemptions", 0);
    fields.end();
    if (starts.isEmpty() && ends.isEmpty()) {
      throw fields.refuse("starts", "nothing is expected", "say when gangs start or end");
    }
    return new HistoryExpected(starts, ends, preemptions);
  }

  private static List<Moment> moments(Fields fields, String field, WishReader wishes) {
    List<Moment> moments = new ArrayList<>();
    for (Fields one : fields.list(field, Part.WHEN)) {
      List<ClusterId> gangs =
          one.requiredNames("gang").stream().map(name -> wishes.gang(one, "gang", name)).toList();
      Optional<Instant> at = one.moment("at");
      Optional<Instant> by = one.moment("by");
      Optional<Instant> notBefore = one.moment("notBefore");
      Duration every = one.duration("every").orElse(Duration.ZERO);
      one.end();
      if (at.isEmpty() && by.isEmpty() && notBefore.isEmpty()) {
        throw one.refuse("at", "no moment is expected", "put at, by or notBefore");
      }
      if (at.isPresent() && (by.isPresent() || notBefore.isPresent())) {
        throw one.refuse("at", "one moment and a time around it", "put at, or by and notBefore");
      }
      if (by.isPresent() && notBefore.filter(by.get()::isBefore).isPresent()) {
        throw one.refuse("notBefore", "it is after by, so nothing would do", "put them in order");
      }
      for (int i = 0; i < gangs.size(); i++) {
        Duration later = every.multipliedBy(i);
        moments.add(
            new Moment(
                gangs.get(i),
                at.map(moment -> moment.plus(later)),
                by.map(moment -> moment.plus(later)),
                notBefore.map(moment -> moment.plus(later))));
      }
    }
    return moments;
  }

  List<String> unmet(Map<ClusterId, Instant> started, Map<ClusterId, Instant> ended, int victims) {
    List<String> unmet = new ArrayList<>();
    starts.forEach(moment -> unmet(moment, "start", started, unmet));
    ends.forEach(moment -> unmet(moment, "end", ended, unmet));
    preemptions
        .filter(expected -> expected != victims)
        .ifPresent(
            expected ->
                unmet.add("expected %d ends for others, got %d".formatted(expected, victims)));
    return unmet;
  }

  private static void unmet(
      Moment expected, String what, Map<ClusterId, Instant> got, List<String> unmet) {
    Instant moment = got.get(expected.gang());
    boolean right =
        moment != null
            && expected.at().map(moment::equals).orElse(true)
            && expected.by().map(by -> !moment.isAfter(by)).orElse(true)
            && expected.notBefore().map(from -> !moment.isBefore(from)).orElse(true);
    if (!right) {
      unmet.add(
          "%s: expected to %s%s%s%s, got %s"
              .formatted(
                  expected.gang(),
                  what,
                  expected.at().map(at -> " at " + at).orElse(""),
                  expected.by().map(by -> " by " + by).orElse(""),
                  expected.notBefore().map(from -> " not before " + from).orElse(""),
                  moment == null ? "nothing" : moment));
    }
  }
}
