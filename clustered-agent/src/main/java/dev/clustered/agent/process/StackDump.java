// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Memory;
import com.sun.jna.Pointer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the stacks of processes written to their log: a JVM writes its own on SIGQUIT, Python's are
 * asked of py-spy or, as the last thing because it ends by it, of its fault handler with SIGABRT;
 * of everything else there is what /proc shows. Not thread-safe.
 */
final class StackDump {

  private static final Logger LOGGER = LoggerFactory.getLogger(StackDump.class);

  private static final int MOST_PROCESSES = 64;
  private static final int MOST_THREADS = 64;

  /** A log that has not grown for so long has all that was asked for. */
  private static final long SETTLED = TimeUnit.MILLISECONDS.toNanos(250);

  private static final long LOOK_MILLIS = 20;
  private static final String MARK = "=== clustered: ";

  private final String scope;
  private final Path log;
  private final long until;

  StackDump(String scope, Path log, Duration limit) {
    this.scope = scope;
    this.log = log;
    until = System.nanoTime() + limit.toNanos();
  }

  /** Writes what there is until the limit is over. */
  void write(String why, List<ProcessEntry> processes) throws InterruptedException {
    append(MARK + "stacks before the end, since " + why + "\n");
    List<ProcessEntry> abort = new ArrayList<>();
    for (ProcessEntry entry : processes.subList(0, Math.min(MOST_PROCESSES, processes.size()))) {
      if (System.nanoTime() - until < 0) {
        write(entry, abort);
      }
    }
    if (processes.size() > MOST_PROCESSES) {
      append(MARK + (processes.size() - MOST_PROCESSES) + " more processes are left out\n");
    }
    for (ProcessEntry entry : abort) {
      append(MARK + "process " + entry.pid() + " is asked with SIGABRT, and ends by it\n");
      withoutCore(entry);
      ask(entry, LibC.SIGABRT);
    }
    append(MARK + "end of the stacks\n");
  }

  private void write(ProcessEntry entry, List<ProcessEntry> abort) throws InterruptedException {
    String name = executable(entry);
    append(MARK + "process " + entry.pid() + ": " + command(entry) + "\n");
    if (name.equals("java")) {
      ask(entry, LibC.SIGQUIT);
      return;
    }
    if (name.startsWith("python")) {
      Map<String, String> environment = environment(entry);
      if (spy(entry, environment)) {
        return;
      }
      if (!environment.getOrDefault("PYTHONFAULTHANDLER", "").isEmpty()) {
        abort.add(entry);
      }
    }
    threads(entry);
  }

  /**
   * A core file is as large as the process, in a directory of the rank that is about to be deleted.
   * One byte is too little for a file, and the one limit that also keeps the kernel from starting a
   * program that takes the core; with zero it would.
   */
  private void withoutCore(ProcessEntry entry) {
    try (Memory limit = new Memory(2L * Long.BYTES)) {
      limit.setLong(0, 1);
      limit.setLong(Long.BYTES, 1);
      if (LibC.prlimit(entry.pid(), LibC.RLIMIT_CORE, limit, Pointer.NULL) != 0) {
        append(MARK + "process " + entry.pid() + " may leave a core file: no limit could be set\n");
      }
    }
  }

  /** Sends a signal at which the process writes, and waits until it has written. */
  private void ask(ProcessEntry entry, int signal) throws InterruptedException {
    long size = size();
    long changed = System.nanoTime();
    boolean grown = false;
    ProcessSignal.send(entry, signal);
    // One that writes nothing, because its output goes elsewhere, is given a second.
    long patience = Math.min(until - changed, TimeUnit.SECONDS.toNanos(1));
    while (System.nanoTime() - changed < (grown ? SETTLED : patience)
        && System.nanoTime() - until < 0) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      long now = size();
      if (now != size) {
        size = now;
        grown = true;
        changed = System.nanoTime();
      }
    }
  }

  /** Whether py-spy is where the process looks for programs, and has written. */
  private boolean spy(ProcessEntry entry, Map<String, String> environment)
      throws InterruptedException {
    if (!(ExecutableLookup.find("py-spy", environment, Path.of("/"))
        instanceof ExecutableLookup.Result.Found found)) {
      return false;
    }
    ProcessBuilder builder =
        new ProcessBuilder(found.file().toString(), "dump", "--pid", Integer.toString(entry.pid()))
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile()));
    builder.environment().clear();
    builder.environment().putAll(environment); // With the mark of the scope, with which it ends.
    builder.environment().put(ProcessTable.MARKER, scope);
    try {
      Process spy = builder.start();
      try {
        return spy.waitFor(until - System.nanoTime(), TimeUnit.NANOSECONDS) && spy.exitValue() == 0;
      } finally {
        Process unused = spy.destroyForcibly();
      }
    } catch (IOException e) {
      append("py-spy could not be started: " + e.getMessage() + "\n");
      return false;
    }
  }

  private void threads(ProcessEntry entry) {
    Path tasks = Path.of("/proc", Integer.toString(entry.pid()), "task");
    StringBuilder text = new StringBuilder();
    try (Stream<Path> threads = Files.list(tasks)) {
      threads.limit(MOST_THREADS).forEach(thread -> text.append(thread(thread)));
    } catch (IOException e) {
      text.append("  its threads cannot be read: it has ended, or belongs to somebody else\n");
    }
    append(text.toString());
  }

  private static String thread(Path thread) {
    return "  thread %s (%s)\n    waits in: %s\n    system call: %s\n    kernel stack: %s\n"
        .formatted(
            thread.getFileName(),
            read(thread.resolve("comm")),
            read(thread.resolve("wchan")),
            read(thread.resolve("syscall")),
            read(thread.resolve("stack")).replace("\n", "\n      "));
  }

  private static String read(Path file) {
    try {
      String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8).strip();
      return text.isEmpty() ? "nothing" : text;
    } catch (IOException e) {
      return "may not be read";
    }
  }

  private static String executable(ProcessEntry entry) {
    try {
      return String.valueOf(
          Files.readSymbolicLink(Path.of("/proc/" + entry.pid() + "/exe")).getFileName());
    } catch (IOException e) {
      return "";
    }
  }

  /** Its name alone: arguments may hold secrets. */
  private static String command(ProcessEntry entry) {
    return read(Path.of("/proc/" + entry.pid() + "/comm"));
  }

  private static Map<String, String> environment(ProcessEntry entry) {
    Map<String, String> environment = new LinkedHashMap<>();
    for (String variable : read(Path.of("/proc/" + entry.pid() + "/environ")).split("\0", -1)) {
      int equals = variable.indexOf('=');
      if (equals > 0) {
        environment.put(variable.substring(0, equals), variable.substring(equals + 1));
      }
    }
    return environment;
  }

  private long size() {
    try {
      return Files.size(log);
    } catch (IOException e) {
      return 0;
    }
  }

  private void append(String text) {
    try {
      Files.writeString(log, text, StandardOpenOption.APPEND);
    } catch (IOException e) {
      LOGGER.debug("Stacks not written scope={}", scope, e);
    }
  }
}
