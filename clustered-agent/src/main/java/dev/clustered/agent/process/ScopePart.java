// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import dev.clustered.model.TerminalSize;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * One command of a scope with all that it starts: it ends with the scope, or alone. Its processes
 * have the marks of both. Thread-safe.
 */
public final class ScopePart {
  private final String id;
  private final ProcessScope scope;
  private final ScopeEnd end;
  private final ReentrantLock lock = new ReentrantLock();
  private @Nullable RankProcess process;

  ScopePart(String id, ProcessScope scope, ScopeEnd end) {
    this.id = id;
    this.scope = scope;
    this.end = end;
  }

  /**
   * Starts the command, once.
   *
   * @param spec its output file is not used
   * @param input whether it can be written to; with a terminal it always can
   * @param terminal the size of the terminal to run it in
   * @throws IllegalStateException while the scope is ending, and once it is closed
   */
  public AttachResult start(
      ProcessSpec spec, AttachedStreams.Input input, Optional<TerminalSize> terminal) {
    ProcessSpec marked = spec.withVariable(ProcessTable.PART_MARKER, id);
    try (AttachedStreams.Opening opening = AttachedStreams.open(input, terminal)) {
      return switch (scope.start(marked, opening.child())) {
        case StartResult.NotStarted failed -> new AttachResult.NotStarted(failed.failure());
        case StartResult.Started started -> started(started.process(), opening.take());
      };
    } catch (AttachedStreams.Exhausted e) {
      return new AttachResult.NotStarted(
          new SpawnFailure(SpawnFailure.Reason.SYSTEM, String.valueOf(e.getMessage())));
    }
  }

  private AttachResult started(RankProcess started, AttachedStreams streams) {
    lock.lock();
    try {
      process = started;
      end.addSession(started.pid());
    } finally {
      lock.unlock();
    }
    return new AttachResult.Started(started, streams);
  }

  /**
   * Ends the command with all that it has started: SIGTERM to all at once, SIGKILL to what is left
   * after the grace. Returns when nothing is left; an interrupt ends the grace, and the thread
   * returns interrupted.
   */
  public void terminate(Duration grace) {
    lock.lock();
    try {
      RankProcess ending = process;
      if (ending != null) {
        end.run(List.of(ending), new Ending(grace));
        scope.forget(ending);
        process = null;
      }
    } finally {
      lock.unlock();
    }
  }
}
