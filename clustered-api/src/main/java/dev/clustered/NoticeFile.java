// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import dev.clustered.model.ClusterNotice;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeMap;

/** Reads {@code CLUSTERED_NOTICE_FILE}: lines of a name, {@code =} and a value. Stateless. */
final class NoticeFile {

  private NoticeFile() {}

  /** The notice in a file; empty when there is none yet. */
  static Optional<ClusterNotice> read(Path file) {
    Map<String, String> values = lines(file);
    return kind(values)
        .map(
            kind ->
                new ClusterNotice(
                    kind, rank(values), deadline(values), values.getOrDefault("message", "")));
  }

  private static Map<String, String> lines(Path file) {
    Map<String, String> values = new TreeMap<>();
    try {
      for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
        int end = line.indexOf('=');
        if (end > 0) {
          values.put(line.substring(0, end), line.substring(end + 1));
        }
      }
      return values;
    } catch (NoSuchFileException e) {
      return Collections.emptyMap();
    } catch (IOException e) {
      throw new UncheckedIOException("the notice file " + file + " cannot be read", e);
    }
  }

  /** A kind that is not known here comes of a newer agent: none for this program. */
  private static Optional<ClusterNotice.Kind> kind(Map<String, String> values) {
    return Arrays.stream(ClusterNotice.Kind.values())
        .filter(kind -> kind.name().equals(values.get("kind")))
        .findFirst();
  }

  private static OptionalInt rank(Map<String, String> values) {
    String rank = values.getOrDefault("rank", "");
    return rank.matches("\\d{1,9}") ? OptionalInt.of(Integer.parseInt(rank)) : OptionalInt.empty();
  }

  private static Optional<Instant> deadline(Map<String, String> values) {
    try {
      return Optional.ofNullable(values.get("deadline")).map(Instant::parse);
    } catch (DateTimeParseException e) {
      return Optional.empty();
    }
  }
}
