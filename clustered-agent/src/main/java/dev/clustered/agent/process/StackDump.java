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
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Has the stacks of processes written to their log: a JVM writes its own on SIGQUIT, Python's are
 * asked of py-spy or, as the last thing because it ends by it, of its fault handler with SIGABRT;
 * of everything else there is what /proc shows. What needs no help of the process is found out for
 * all of them at once; whoever writes into the log itself is asked one after the other, each with
 * an equal share of the time that is left. Every process is named, also one that the time did not
 * suffice for. Not thread-safe.
 */
final class StackDump {

  private static final Logger LOGGER = LoggerFactory.getLogger(StackDump.class);

  private static final int MOST_PROCESSES = 64;

  /** A log that has not grown for so long has all that was asked for. */
  private static final long SETTLED = TimeUnit.MILLISECONDS.toNanos(250);

  /** For one that writes nothing, for whatever reason. */
  private static final long MOST_PATIENCE = TimeUnit.SECONDS.toNanos(1);

  private static final long LOOK_MILLIS = 20;
  private static final String MARK = "=== clustered: ";

  private final String scope;
  private final Path log;
  private final Duration limit;
  private final long until;

  /** How many are still to be asked, and share the time that is left. */
  private int toAsk;

  /** What was found out of a process without its help, and whether it is to be asked too. */
  private record Found(String text, boolean abort) {}

  StackDump(String scope, Path log, Duration limit) {
    this.scope = scope;
    this.log = log;
    this.limit = limit;
    until = System.nanoTime() + limit.toNanos();
  }

  /** Writes what there is until the limit is over. */
  void write(String why, List<ProcessEntry> processes) throws InterruptedException {
    append(MARK + "stacks before the end, since " + why + "\n");
    List<ProcessEntry> machines = new ArrayList<>();
    Map<ProcessEntry, CompletableFuture<Found>> others = new LinkedHashMap<>();
    for (ProcessEntry entry : processes.subList(0, Math.min(MOST_PROCESSES, processes.size()))) {
      String name = ProcessView.executable(entry);
      if (name.equals("java")) {
        machines.add(entry);
      } else {
        others.put(entry, find(entry, name));
        toAsk += name.startsWith("python") ? 1 : 0;
      }
    }
    toAsk += machines.size();
    for (ProcessEntry machine : machines) {
      askMachine(machine);
    }
    List<ProcessEntry> abort = new ArrayList<>();
    for (Map.Entry<ProcessEntry, CompletableFuture<Found>> other : others.entrySet()) {
      if (write(other.getKey(), other.getValue())) {
        abort.add(other.getKey());
      }
    }
    for (ProcessEntry left : processes.subList(others.size() + machines.size(), processes.size())) {
      leftOut(left, "%d processes are the most".formatted(MOST_PROCESSES));
    }
    toAsk = abort.size();
    for (ProcessEntry entry : abort) {
      append(MARK + "process " + entry.pid() + " is asked with SIGABRT, and ends by it\n");
      withoutCore(entry);
      boolean unused = ask(entry, LibC.SIGABRT);
    }
    append(MARK + "end of the stacks\n");
  }

  private void askMachine(ProcessEntry entry) throws InterruptedException {
    if (over()) {
      toAsk--;
      leftOut(entry, seconds() + " were over");
      return;
    }
    append(title(entry));
    if (writesElsewhere(entry)) {
      toAsk--;
      ProcessSignal.send(entry, LibC.SIGQUIT);
      append(MARK + "process " + entry.pid() + " prints its stacks elsewhere, as its output\n");
    } else if (!ask(entry, LibC.SIGQUIT)) {
      append(MARK + "process " + entry.pid() + " was asked for its stacks and wrote nothing yet\n");
    }
  }

  /** Writes what was found out about a process; whether it is to be asked too. */
  private boolean write(ProcessEntry entry, CompletableFuture<Found> finding)
      throws InterruptedException {
    try {
      Found found = finding.get(Math.max(0, until - System.nanoTime()), TimeUnit.NANOSECONDS);
      append(found.text());
      return found.abort();
    } catch (TimeoutException e) {
      leftOut(entry, seconds() + " were over");
    } catch (ExecutionException e) {
      leftOut(entry, String.valueOf(e.getCause()));
    }
    return false;
  }

  private void leftOut(ProcessEntry entry, String why) {
    append(
        MARK
            + "process "
            + entry.pid()
            + " ("
            + ProcessView.command(entry)
            + ") is left out: "
            + why
            + "\n");
  }

  private String seconds() {
    return String.format(Locale.ROOT, "%.1f s", limit.toMillis() / 1e3);
  }

  private boolean over() {
    return System.nanoTime() - until >= 0;
  }

  private static String title(ProcessEntry entry) {
    return MARK + "process " + entry.pid() + ": " + ProcessView.command(entry) + "\n";
  }

  /** Reading /proc can block, and a native read holds its carrier: a thread of the system's. */
  private CompletableFuture<Found> find(ProcessEntry entry, String name) {
    CompletableFuture<Found> finding = new CompletableFuture<>();
    Thread.ofPlatform()
        .daemon()
        .name("clustered-stacks-" + entry.pid())
        .start(
            () -> {
              try {
                finding.complete(found(entry, name));
              } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                finding.completeExceptionally(e);
              } catch (RuntimeException e) {
                finding.completeExceptionally(e);
              }
            });
    return finding;
  }

  private Found found(ProcessEntry entry, String name) throws InterruptedException {
    String text = title(entry);
    boolean abort = false;
    if (name.startsWith("python")) {
      Map<String, String> environment = ProcessView.environment(entry);
      Spied spied = spy(entry, environment);
      text += spied.text();
      if (spied.complete()) {
        return new Found(text, false);
      }
      abort = !environment.getOrDefault("PYTHONFAULTHANDLER", "").isEmpty();
    }
    return new Found(text + ProcessView.threads(entry), abort);
  }

  /** Whether it is known that what a process prints does not come into the log. */
  private boolean writesElsewhere(ProcessEntry entry) {
    try {
      return !Files.isSameFile(Path.of("/proc/" + entry.pid() + "/fd/1"), log);
    } catch (IOException e) {
      return false;
    }
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

  /**
   * Sends a signal at which the process writes, and waits until it has written, for its share of
   * what is left at most; whether anything was written.
   */
  private boolean ask(ProcessEntry entry, int signal) throws InterruptedException {
    long size = size();
    long began = System.nanoTime();
    long changed = began;
    boolean grown = false;
    long share = Math.max(0, until - began) / Math.max(1, toAsk);
    toAsk--;
    ProcessSignal.send(entry, signal);
    while (System.nanoTime() - changed < (grown ? SETTLED : MOST_PATIENCE)
        && System.nanoTime() - began < share) {
      TimeUnit.MILLISECONDS.sleep(LOOK_MILLIS);
      long now = size();
      if (now != size) {
        size = now;
        grown = true;
        changed = System.nanoTime();
      }
    }
    return grown;
  }

  /** What py-spy wrote, and whether that is all. */
  private record Spied(String text, boolean complete) {}

  /** Nothing where there is no py-spy where the process looks for programs. */
  private Spied spy(ProcessEntry entry, Map<String, String> environment)
      throws InterruptedException {
    if (!(ExecutableLookup.find("py-spy", environment, Path.of("/"))
        instanceof ExecutableLookup.Result.Found found)) {
      return new Spied("", false);
    }
    Path output = log.resolveSibling(log.getFileName() + ".py-spy-" + entry.pid());
    try {
      boolean complete = spy(found.file(), entry, environment, output);
      return new Spied(new String(Files.readAllBytes(output), StandardCharsets.UTF_8), complete);
    } catch (IOException e) {
      return new Spied("py-spy could not be used: " + e.getMessage() + "\n", false);
    } finally {
      boolean unused = output.toFile().delete();
    }
  }

  private boolean spy(Path file, ProcessEntry entry, Map<String, String> environment, Path output)
      throws IOException, InterruptedException {
    ProcessBuilder builder =
        new ProcessBuilder(file.toString(), "dump", "--pid", Integer.toString(entry.pid()))
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment); // With the mark of the scope, with which it ends.
    builder.environment().put(ProcessTable.MARKER, scope);
    Process spy = builder.start();
    try {
      // Half of the time, so that there is some for what the process can say itself.
      return spy.waitFor(limit.toNanos() / 2, TimeUnit.NANOSECONDS) && spy.exitValue() == 0;
    } finally {
      Process unused = spy.destroyForcibly();
    }
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
