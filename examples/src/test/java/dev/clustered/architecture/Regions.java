// SPDX-License-Identifier: Apache-2.0

package dev.clustered.architecture;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Code on pages, and the regions of source files that it must equal. */
final class Regions {

  private static final Pattern BLOCK =
      Pattern.compile(
          "(?:<!-- region: (?<file>[^#\\s]+)#(?<name>[\\w-]+) -->\\s*\\n)?"
              + "^(?<indent> *)```java *\\n(?<code>.*?)^ *```",
          Pattern.MULTILINE | Pattern.DOTALL);

  private Regions() {}

  /**
   * A block of Java on a page.
   *
   * @param file the source file that its marker names
   * @param name the region in it
   */
  record Block(Optional<String> file, Optional<String> name, String code) {}

  static List<Block> blocks(String page) {
    List<Block> found = new ArrayList<>();
    Matcher matcher = BLOCK.matcher(page);
    while (matcher.find()) {
      found.add(
          new Block(
              Optional.ofNullable(matcher.group("file")),
              Optional.ofNullable(matcher.group("name")),
              unindented(matcher.group("code"))));
    }
    return found;
  }

  /** The lines between {@code // region name} and {@code // endregion}, without their indent. */
  static Optional<String> region(String source, String name) {
    Pattern region =
        Pattern.compile(
            "^ *// region " + Pattern.quote(name) + " *\\n(?<code>.*?)^ *// endregion *$",
            Pattern.MULTILINE | Pattern.DOTALL);
    Matcher matcher = region.matcher(source);
    return matcher.find() ? Optional.of(unindented(matcher.group("code"))) : Optional.empty();
  }

  /** A line end at the end would count as a line without indent, so it goes first. */
  private static String unindented(String code) {
    return code.stripTrailing().stripIndent().strip();
  }
}
