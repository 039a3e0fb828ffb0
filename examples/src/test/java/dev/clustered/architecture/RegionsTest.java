// SPDX-License-Identifier: Apache-2.0

package dev.clustered.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class RegionsTest {

  private static final String FENCE = "```";

  @Test
  void findsMarkedBlocksAndOnesWithoutAMarker() {
    String page =
        String.join(
            "\n",
            "<!-- region: examples/A.java#first -->",
            FENCE + "java",
            "a();",
            FENCE,
            "text",
            FENCE + "java",
            "b();",
            FENCE,
            FENCE + "xml",
            "<c/>",
            FENCE,
            "");
    assertThat(Regions.blocks(page))
        .isEqualTo(
            List.of(
                new Regions.Block(Optional.of("examples/A.java"), Optional.of("first"), "a();"),
                new Regions.Block(Optional.empty(), Optional.empty(), "b();")));
  }

  @Test
  void doesNotLetAMarkerReachOverOtherText() {
    String page =
        "<!-- region: A.java#first -->\nsome text\n" + FENCE + "java\na();\n" + FENCE + "\n";
    assertThat(Regions.blocks(page)).extracting(Regions.Block::file).containsOnly(Optional.empty());
  }

  @Test
  void takesARegionWithoutItsIndent() {
    String source =
        """
        class A {
            // region first
            if (a) {
              b();
            }
            // endregion
            // region firstly
            c();
            // endregion
        }
        """;
    assertThat(Regions.region(source, "first")).contains("if (a) {\n  b();\n}");
    assertThat(Regions.region(source, "firstly")).contains("c();");
    assertThat(Regions.region(source, "second")).isEmpty();
  }
}
