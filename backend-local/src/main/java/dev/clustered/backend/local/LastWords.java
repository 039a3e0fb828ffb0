// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/** The end of a log, as evidence. */
final class LastWords {

  private static final int LENGTH = 500;

  private LastWords() {}

  /** To be put after a sentence; nothing when there is no log. */
  static String of(Path log) {
    try {
      String text = new String(Files.readAllBytes(log), StandardCharsets.UTF_8).strip();
      String end = text.substring(Math.max(0, text.length() - LENGTH));
      return end.isEmpty() ? "" : "; its last words: " + end;
    } catch (IOException e) {
      return "";
    }
  }
}
