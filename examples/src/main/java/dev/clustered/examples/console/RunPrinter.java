// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.console;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;

/**
 * Shows people what a run does, as it does it. Phases and results are lines that stay; on a
 * terminal the epochs share one line that is rewritten. Thread-safe.
 */
public final class RunPrinter {
  private static final String BOLD = "\u001b[1m";
  private static final String NORMAL = "\u001b[0m";

  private final PrintStream out;
  private final Screen screen;
  private final int epochs;
  private int liveLength;

  /**
   * Prints to this stream.
   *
   * @param epochs how many epochs the run has; 1 or more
   */
  public RunPrinter(PrintStream out, Screen screen, int epochs) {
    this.out = out;
    this.screen = screen;
    this.epochs = epochs;
  }

  /** The run has come to another phase. */
  public synchronized void phase(String name, String detail) {
    // Padded before it is made bold, since the codes count as characters.
    line(bold("%-10s".formatted(name)) + " " + detail);
  }

  /** An epoch has ended. */
  public synchronized void epoch(EpochReport report) {
    String text =
        String.format(
            Locale.ROOT,
            "epoch %3d/%d   loss %.4f   test accuracy %5.1f %%   %.3f s",
            report.epoch(),
            epochs,
            report.loss(),
            report.accuracy() * 100,
            seconds(report.took()));
    if (screen == Screen.PLAIN) {
      line(text);
    } else {
      live(text);
    }
  }

  /** How long a rank or a process trained. */
  public synchronized void trained(String who, Duration took) {
    finding(who, String.format(Locale.ROOT, "trained for %.3f s", seconds(took)));
  }

  /** How much node time one phase used. */
  public synchronized void usage(String phase, Duration used) {
    line(String.format(Locale.ROOT, "used       %8.3f node seconds %s", seconds(used), phase));
  }

  /** What was found out about the run, as a sentence behind a word. */
  public synchronized void finding(String word, String sentence) {
    line("%-10s %s".formatted(word, sentence));
  }

  /** The run has ended with this share of test images recognised, 0 to 1. */
  public synchronized void done(double accuracy) {
    line(
        bold("%-10s".formatted("done"))
            + String.format(Locale.ROOT, " %.2f %% of the test images recognised", accuracy * 100));
  }

  private void live(String text) {
    // Spaces instead of an escape code: they work without colour too.
    out.print("\r" + text + " ".repeat(Math.max(0, liveLength - text.length())));
    out.flush();
    liveLength = text.length();
  }

  private void line(String text) {
    if (liveLength > 0) {
      out.println();
      liveLength = 0;
    }
    out.println(text);
    out.flush();
  }

  private String bold(String text) {
    return screen == Screen.COLOUR ? BOLD + text + NORMAL : text;
  }

  private static double seconds(Duration duration) {
    return duration.toNanos() / 1e9;
  }
}
