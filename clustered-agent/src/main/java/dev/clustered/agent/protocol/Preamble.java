// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * How the command of one rank is started, as its launcher wants it. Immutable and thread-safe.
 *
 * @param arguments the launcher and its options; the command's own arguments follow
 * @param files texts by name that the agent writes for them, found at {@link #path}
 * @param processes the variables of each process where the command is started several times; empty
 *     where it is started once, with none of its own
 * @param companion a program and its arguments that is started before the command and ended after
 *     it, and that must not end earlier; empty where there is none
 * @param programs what the script of a launcher calls: the rank fails to start where one of them
 *     cannot be started, as it does where its command cannot
 */
public record Preamble(
    List<String> arguments,
    Map<String, String> files,
    List<Map<String, String>> processes,
    List<String> companion,
    List<String> programs) {

  /** Nothing: the command is started itself. */
  public static final Preamble NONE = new Preamble(List.of(), Collections.emptyMap());

  /**
   * A program that the agent writes among the files where {@link #arguments} or {@link #companion}
   * begin with its {@link #path}: it runs the class that is its first argument in a JVM, with what
   * the agent is made of.
   */
  public static final String WORKER = "worker";

  /** A command that is started once and alone. */
  public Preamble(List<String> arguments, Map<String, String> files) {
    this(arguments, files, List.of(), List.of());
  }

  /** A command that calls no other program of a launcher. */
  public Preamble(
      List<String> arguments,
      Map<String, String> files,
      List<Map<String, String>> processes,
      List<String> companion) {
    this(arguments, files, processes, companion, List.of());
  }

  /** What an older engine leaves out is empty. */
  public Preamble {
    arguments = List.copyOf(arguments);
    files = Collections.unmodifiableMap(new LinkedHashMap<>(files));
    processes = processes == null ? List.of() : processes.stream().map(Preamble::ordered).toList();
    companion = companion == null ? List.of() : List.copyOf(companion);
    programs = programs == null ? List.of() : List.copyOf(programs);
  }

  /** Where the rank finds a file: a path relative to its working directory. */
  public static String path(String name) {
    return "../files/" + name;
  }

  /** Whether the agent is to write {@link #WORKER}. */
  public boolean needsWorker() {
    return Stream.of(arguments, companion)
        .anyMatch(each -> !each.isEmpty() && each.getFirst().equals(path(WORKER)));
  }

  /** Without what stands in the files, of which one may be a secret. */
  @Override
  public String toString() {
    return "Preamble[arguments=%s, files=%s, processes=%d, companion=%s, programs=%s]"
        .formatted(arguments, files.keySet(), processes.size(), companion, programs);
  }

  private static Map<String, String> ordered(Map<String, String> variables) {
    return Collections.unmodifiableMap(new LinkedHashMap<>(variables));
  }
}
