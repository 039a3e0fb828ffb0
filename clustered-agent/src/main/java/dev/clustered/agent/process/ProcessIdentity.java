// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;

/**
 * One process of this machine, its own child or not, which no later holder of its pid is taken for.
 * Immutable and thread-safe.
 *
 * @param pid its number
 * @param startTicks when it started, in the kernel's ticks since this machine did
 */
public record ProcessIdentity(int pid, long startTicks) {

  /** The signal that asks a process to end. */
  public static final int TERMINATE = LibC.SIGTERM;

  /** The signal that no process can refuse. */
  public static final int KILL = LibC.SIGKILL;

  private static final int SELF = Math.toIntExact(ProcessHandle.current().pid());

  /**
   * Starts a program in a session of its own that does not end with this JVM: with no input, both
   * outputs at the end of a file, and this JVM's own environment, byte for byte.
   *
   * @param command the absolute path of an executable, and its arguments
   * @param directory the working directory
   * @throws IOException when the program cannot be started; nothing is left then
   */
  public static ProcessIdentity startOutliving(List<String> command, Path directory, Path output)
      throws IOException {
    int log = openForAppending(output);
    try {
      Spawn.Outcome outcome =
          new Spawn()
              .start(
                  Path.of(command.getFirst()),
                  CStrings.utf8(command),
                  split(Files.readAllBytes(Path.of("/proc/self/environ"))),
                  directory,
                  new Spawn.Streams(-1, log));
      if (outcome.errno() != 0) {
        throw new IOException(
            "starting " + command.getFirst() + " failed: " + LibC.strerror(outcome.errno()));
      }
      // A child of ours keeps its entry until it is waited for, also when it has ended at once.
      return ProcessTable.readStat(outcome.pid())
          .map(ProcessIdentity::of)
          .orElseThrow(() -> new IOException("/proc shows no process " + outcome.pid()));
    } finally {
      LibC.close(log);
    }
  }

  /** The living processes that have this among their arguments. */
  public static List<ProcessIdentity> withArgument(String argument) {
    byte[] wanted = CStrings.utf8(argument);
    return matching(
        entry -> arguments(entry.pid()).stream().anyMatch(one -> Arrays.equals(one, wanted)));
  }

  /** The living processes of every scope whose id begins so. */
  public static List<ProcessIdentity> inScopes(String beginning) {
    return matching(entry -> entry.scope() != null && entry.scope().startsWith(beginning));
  }

  /** The living processes that descend from this one. */
  public List<ProcessIdentity> descendants() {
    ProcessTable table = ProcessTable.read();
    Set<Integer> family = new LinkedHashSet<>(List.of(pid));
    List<ProcessIdentity> found = new ArrayList<>();
    int before;
    do {
      before = family.size();
      for (ProcessEntry entry : table.entries().values()) {
        if (!entry.zombie() && family.contains(entry.parent()) && family.add(entry.pid())) {
          found.add(of(entry));
        }
      }
    } while (family.size() > before);
    return found;
  }

  /** Whether it lives; one that has ended and was not waited for does not. */
  public boolean running() {
    return entry().filter(entry -> !entry.zombie()).isPresent();
  }

  /** Sends a signal to exactly this process, or to none. */
  public void signal(int number) {
    entry().ifPresent(entry -> ProcessSignal.send(entry, number));
  }

  /** How it ended, once: of a child of this JVM that nobody has waited for. */
  public Optional<ProcessExit> takeExit() {
    if (entry().filter(entry -> entry.zombie() && entry.parent() == SELF).isEmpty()) {
      return Optional.empty();
    }
    ProcessExit exit = Wait.untilEnded(pid);
    boolean unused = Wait.reap(pid);
    return Optional.of(exit);
  }

  private Optional<ProcessEntry> entry() {
    return ProcessTable.readStat(pid).filter(entry -> entry.startTicks() == startTicks);
  }

  private static ProcessIdentity of(ProcessEntry entry) {
    return new ProcessIdentity(entry.pid(), entry.startTicks());
  }

  private static List<ProcessIdentity> matching(Predicate<ProcessEntry> condition) {
    return ProcessTable.read().entries().values().stream()
        .filter(entry -> !entry.zombie() && entry.pid() != SELF)
        .filter(condition)
        .map(ProcessIdentity::of)
        .toList();
  }

  private static List<byte[]> arguments(int pid) {
    try {
      return split(Files.readAllBytes(Path.of("/proc/" + pid + "/cmdline")));
    } catch (IOException e) {
      return List.of(); // It has ended, or is somebody else's.
    }
  }

  private static List<byte[]> split(byte[] block) {
    List<byte[]> texts = new ArrayList<>();
    int start = 0;
    for (int end = 0; end < block.length; end++) {
      if (block[end] == 0) {
        texts.add(Arrays.copyOfRange(block, start, end));
        start = end + 1;
      }
    }
    return texts;
  }

  private static int openForAppending(Path file) throws IOException {
    int flags = LibC.O_WRONLY | LibC.O_CREAT | LibC.O_APPEND | LibC.O_CLOEXEC;
    try (Memory path = CStrings.path(file)) {
      int descriptor = LibC.open(path, flags, 0600);
      if (descriptor < 0) {
        throw new IOException(
            "opening " + file + " failed: " + LibC.strerror(Native.getLastError()));
      }
      return descriptor;
    }
  }

  /** This boot of this machine: start times of two boots say nothing about one another. */
  public static String boot() throws IOException {
    return Files.readString(Path.of("/proc/sys/kernel/random/boot_id"), StandardCharsets.US_ASCII)
        .strip();
  }
}
