// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static dev.clustered.backend.local.SettingText.require;

import dev.clustered.model.ByteSize;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** One shape as text. */
final class ShapeText {

  static final String RULE =
      "Shapes with what a node of each has, apart from zero:"
          + " name gpus=8 model=LOCAL cpus=16 memory=64GiB nics=1 rdma-gbps=400; name cpus=2.";

  private static final List<String> UNITS = List.of("B", "KiB", "MiB", "GiB", "TiB");

  private ShapeText() {}

  static String write(Shape shape) {
    Resources has = shape.resources();
    Map<String, String> parts = new LinkedHashMap<>();
    parts.put("gpus", String.valueOf(has.gpus()));
    parts.put("model", has.gpuModel());
    parts.put("cpus", String.valueOf(has.cpus()));
    parts.put("memory", has.memory().toString().replace(" ", ""));
    parts.put("nics", String.valueOf(shape.nics()));
    parts.put("rdma-gbps", String.valueOf(shape.rdmaGigabits()));
    StringBuilder text = new StringBuilder(shape.name());
    parts.forEach(
        (key, value) -> {
          if (!List.of("", "0", "0B").contains(value)) {
            text.append(' ').append(key).append('=').append(value);
          }
        });
    return text.toString();
  }

  static Shape read(String text) {
    String[] words = text.strip().split("\\s+");
    require(words[0].matches("[A-Za-z0-9][A-Za-z0-9._-]{0,62}"));
    Map<String, String> parts = new LinkedHashMap<>();
    for (String word : List.of(words).subList(1, words.length)) {
      int equals = word.indexOf('=');
      require(
          equals > 0 && parts.put(word.substring(0, equals), word.substring(equals + 1)) == null);
    }
    Resources resources =
        new Resources(
            count(parts, "gpus"), take(parts, "model", ""), count(parts, "cpus"), memory(parts));
    Shape shape = new Shape(words[0], resources, count(parts, "nics"), count(parts, "rdma-gbps"));
    require(parts.isEmpty());
    return shape;
  }

  private static int count(Map<String, String> parts, String key) {
    int count = Integer.parseInt(take(parts, key, "0"));
    require(count >= 0);
    return count;
  }

  private static ByteSize memory(Map<String, String> parts) {
    String text = take(parts, "memory", "0B");
    int digits = 0;
    while (digits < text.length() && Character.isDigit(text.charAt(digits))) {
      digits++;
    }
    int unit = UNITS.indexOf(text.substring(digits));
    require(unit >= 0);
    return new ByteSize(
        Math.multiplyExact(Long.parseLong(text.substring(0, digits)), 1L << (10 * unit)));
  }

  private static String take(Map<String, String> parts, String key, String otherwise) {
    String value = parts.remove(key);
    return value == null ? otherwise : value;
  }
}
