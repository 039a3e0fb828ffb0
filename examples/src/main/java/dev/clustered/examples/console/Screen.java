// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.console;

import java.io.Console;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What the standard output of a program can show. Thread-safe. */
public enum Screen {
  /** A file or a pipe: whole lines and nothing else. */
  PLAIN,
  /** A terminal that is to stay without colour: one line may be rewritten. */
  LIVE,
  /** A terminal with colour. */
  COLOUR;

  /** The screen of this process. */
  public static Screen detect() {
    return of(isTerminal(System.console()), System.getenv());
  }

  /** What can be shown with or without a terminal, under the given environment. */
  static Screen of(boolean terminal, Map<String, String> environment) {
    if (!terminal || environment.getOrDefault("TERM", "").equals("dumb")) {
      return PLAIN;
    }
    return environment.getOrDefault("NO_COLOR", "").isEmpty() ? COLOUR : LIVE;
  }

  // Since Java 22 there may be a console without a terminal, and a method that tells. This code
  // also runs on Java 21, where a console is a terminal.
  private static boolean isTerminal(@Nullable Console console) {
    if (console == null) {
      return false;
    }
    try {
      return (boolean) Console.class.getMethod("isTerminal").invoke(console);
    } catch (ReflectiveOperationException olderJava) {
      return true;
    }
  }
}
