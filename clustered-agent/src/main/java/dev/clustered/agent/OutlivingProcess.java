// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.process.ProcessExit;
import dev.clustered.agent.process.ProcessIdentity;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A process that does not end with the JVM that started it, found again by what is written down of
 * it here. Immutable and thread-safe.
 *
 * @param pid its number
 * @param startTicks when it started, in ticks since the machine did, so that a later holder of the
 *     number is never taken for it
 * @param boot the boot of the machine that it started in
 */
public record OutlivingProcess(int pid, long startTicks, String boot) {

  /**
   * Starts a program in a session of its own, with no input and this JVM's environment.
   *
   * @param command the absolute path of an executable, and its arguments
   * @param directory the working directory
   * @param log the file that both outputs are appended to
   * @throws IOException when it cannot be started; nothing is left then
   */
  public static OutlivingProcess start(List<String> command, Path directory, Path log)
      throws IOException {
    String boot = ProcessIdentity.boot();
    return of(ProcessIdentity.startOutliving(command, directory, log), boot);
  }

  /** The living processes that have this among their arguments. */
  public static List<OutlivingProcess> withArgument(String argument) throws IOException {
    return all(ProcessIdentity.withArgument(argument));
  }

  /** The living processes of the work of a node's agent, wherever they have got to. */
  public static List<OutlivingProcess> ofWorkOn(String node) throws IOException {
    return all(ProcessIdentity.inScopes(node + "."));
  }

  /** The living processes that descend from this one; none once it has ended. */
  public List<OutlivingProcess> descendants() throws IOException {
    return running() ? all(identity().descendants()) : List.of();
  }

  /** Whether it lives. */
  public boolean running() throws IOException {
    return boot.equals(ProcessIdentity.boot()) && identity().running();
  }

  /** Asks it to end. */
  public void terminate() throws IOException {
    signal(ProcessIdentity.TERMINATE);
  }

  /** Ends it, which it cannot refuse. */
  public void kill() throws IOException {
    signal(ProcessIdentity.KILL);
  }

  /**
   * What is known of its end, for people: its exit code where it was started by this JVM and nobody
   * has asked before. Only of one that does not run.
   */
  public Optional<String> exit() {
    return identity()
        .takeExit()
        .map(
            exit ->
                switch (exit) {
                  case ProcessExit.Code code -> "code " + code.code();
                  case ProcessExit.Signal signal -> "code " + (128 + signal.number());
                });
  }

  /** Frees the number of one that has ended as a child of this JVM; no matter of any other. */
  public void forget() {
    Optional<ProcessExit> unused = identity().takeExit();
  }

  private void signal(int number) throws IOException {
    if (running()) {
      identity().signal(number);
    }
  }

  private ProcessIdentity identity() {
    return new ProcessIdentity(pid, startTicks);
  }

  private static OutlivingProcess of(ProcessIdentity identity, String boot) {
    return new OutlivingProcess(identity.pid(), identity.startTicks(), boot);
  }

  private static List<OutlivingProcess> all(List<ProcessIdentity> identities) throws IOException {
    String boot = ProcessIdentity.boot();
    return identities.stream().map(identity -> of(identity, boot)).toList();
  }
}
