// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import dev.clustered.core.cause.FirstCause;
import dev.clustered.core.cause.Judgement;
import dev.clustered.core.cause.RankEvidence;
import dev.clustered.core.engine.logs.LogStore;
import dev.clustered.core.engine.logs.RankLog;
import dev.clustered.core.lifecycle.ClusterLife;
import dev.clustered.core.lifecycle.RankLife;
import dev.clustered.model.Cause;
import dev.clustered.model.ClusterExit;
import dev.clustered.model.ClusterExit.Outcome;
import dev.clustered.model.ClusterId;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.ProcessEnd;
import dev.clustered.model.RankExit;
import dev.clustered.model.RankExit.EndedBy;
import dev.clustered.model.RankExit.Part;
import dev.clustered.model.Role;
import dev.clustered.model.SuccessPolicy;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the exit of a cluster from its last state and the logs of its ranks. */
final class Exits {

  /** Libraries write long stack traces after the line that says what happened. */
  private static final int EVIDENCE_BYTES = 1 << 16;

  private static final int TAIL_BYTES = 1 << 13;

  private static final Logger log = LoggerFactory.getLogger(Exits.class);

  private final ClusterLife life;
  private final Map<Integer, Integer> heard;
  private final LogStore logs;

  private Exits(ClusterLife life, Map<Integer, Integer> heard, LogStore logs) {
    this.life = life;
    this.heard = heard;
    this.logs = logs;
  }

  /**
   * The exit.
   *
   * @param heard the place of each rank in the order in which the engine heard of ends
   * @param logs holds every log of the attempt whole
   */
  static ClusterExit of(ClusterLife life, Map<Integer, Integer> heard, LogStore logs) {
    return new Exits(life, heard, logs).exit();
  }

  private ClusterExit exit() {
    Outcome outcome = life.verdict().map(ClusterLife.Verdict::outcome).orElse(Outcome.FAILED);
    Judgement judgement = judge(life.verdict().flatMap(ClusterLife.Verdict::cause));
    List<RankExit> ranks = life.ranks().stream().map(rank -> exit(rank, judgement)).toList();
    Optional<Cause> cause = judgement.cause().map(this::withRole);
    return new ClusterExit(id(), life.attempt(), outcome, cause, ranks);
  }

  /** Of several roles the culprit's is evidence: what another one does may well be its fault. */
  private Cause withRole(Cause cause) {
    Optional<Role> role =
        cause.rank().isEmpty()
            ? Optional.empty()
            : life.request().spec().role(cause.rank().getAsInt());
    if (role.isEmpty()) {
      return cause;
    }
    List<String> evidence = new ArrayList<>(cause.evidence());
    evidence.add("rank %d has the role %s".formatted(cause.rank().getAsInt(), role.get().name()));
    return new Cause(cause.code(), cause.rank(), cause.end(), cause.message(), evidence);
  }

  /** What was known at the verdict stays unless it is about the end of a rank. */
  private Judgement judge(Optional<Cause> known) {
    if (known.filter(Exits::aboutAnEnd).isEmpty()) {
      return new Judgement(known, List.of());
    }
    Judgement judged =
        FirstCause.of(
            life.ranks().stream()
                .filter(rank -> matters(rank, known.get()))
                .map(rank -> evidence(rank, known.get()))
                .toList());
    return judged
        .cause()
        .filter(cause -> life.ranks().get(cause.rank().orElseThrow()).by() == EndedBy.ITSELF)
        .map(cause -> new Judgement(Optional.of(agreed(known.get(), cause)), judged.victims()))
        .orElse(new Judgement(known, List.of()));
  }

  /** Where the leader's end was the cluster's, how others ended does not matter. */
  private boolean matters(RankLife rank, Cause known) {
    boolean leaderDecides = life.request().spec().successPolicy() == SuccessPolicy.LEADER;
    return !leaderDecides || known.rank().orElse(-1) != 0 || rank.rank() == 0;
  }

  private static boolean aboutAnEnd(Cause cause) {
    return cause.code() == ErrorCode.NODE_LOST || cause.end().isPresent();
  }

  /** Where the culprit is the one known before, what listeners were told stays word for word. */
  private static Cause agreed(Cause known, Cause judged) {
    boolean same = known.rank().equals(judged.rank()) && known.code() == judged.code();
    return same
        ? new Cause(known.code(), known.rank(), known.end(), known.message(), judged.evidence())
        : judged;
  }

  private RankEvidence evidence(RankLife rank, Cause known) {
    return new RankEvidence(
        rank.rank(),
        rank.node(),
        rank.end().or(() -> lost(rank, known)),
        rank.endedAt(),
        heard.getOrDefault(rank.rank(), RankEvidence.NEVER_HEARD),
        rank.by(),
        rank.outOfMemory(),
        tail(rank, EVIDENCE_BYTES));
  }

  private static Optional<ProcessEnd> lost(RankLife rank, Cause known) {
    boolean lost = known.code() == ErrorCode.NODE_LOST && known.rank().orElse(-1) == rank.rank();
    return lost
        ? Optional.of(new ProcessEnd.Unknown("its process had not begun"))
        : Optional.empty();
  }

  private RankExit exit(RankLife rank, Judgement judgement) {
    return new RankExit(
        rank.rank(),
        rank.node(),
        rank.end(),
        rank.endedAt(),
        rank.by(),
        part(rank, judgement),
        tail(rank, TAIL_BYTES),
        rank.result());
  }

  private static Part part(RankLife rank, Judgement judgement) {
    if (judgement.cause().filter(cause -> cause.rank().orElse(-1) == rank.rank()).isPresent()) {
      return Part.CULPRIT;
    }
    if (judgement.victims().contains(rank.rank())) {
      return Part.VICTIM;
    }
    return rank.by() == EndedBy.ENGINE ? Part.STOPPED : Part.NEITHER;
  }

  private String tail(RankLife rank, int bytes) {
    RankLog written = logs.log(id(), life.attempt(), rank.rank());
    try {
      return written.tail(bytes);
    } catch (IOException e) {
      log.warn("The end of a log cannot be read", e);
      return "";
    }
  }

  private ClusterId id() {
    return life.request().cluster();
  }
}
