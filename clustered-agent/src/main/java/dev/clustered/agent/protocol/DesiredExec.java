// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.model.ClusterId;
import dev.clustered.model.TerminalSize;
import java.util.List;
import java.util.Optional;

/**
 * A command that should run beside a rank; one that is not listed any more ends. What it is stands
 * in its {@link ExecDocument}. Immutable and thread-safe.
 *
 * @param id unique on the machine
 * @param terminal the size that its terminal should have
 * @param signals the signals sent to it so far, each once, in the order of their last sending
 * @param wanted what is to become of it; one that is to end is listed until its end has been told,
 *     also where it never began
 */
public record DesiredExec(
    String id,
    ClusterId cluster,
    int attempt,
    int rank,
    Optional<TerminalSize> terminal,
    List<SentSignal> signals,
    Wanted wanted) {

  /** What is to become of it. */
  public enum Wanted {
    RUN,
    END
  }

  /** One that is to run. */
  public DesiredExec(
      String id,
      ClusterId cluster,
      int attempt,
      int rank,
      Optional<TerminalSize> terminal,
      List<SentSignal> signals) {
    this(id, cluster, attempt, rank, terminal, signals, Wanted.RUN);
  }

  public DesiredExec {
    signals = signals == null ? List.of() : List.copyOf(signals);
    wanted = wanted == null ? Wanted.RUN : wanted;
  }

  /**
   * A signal, and the number of its last sending: it is delivered when that is higher than every
   * number delivered before.
   */
  public record SentSignal(int signal, long sending) {}
}
