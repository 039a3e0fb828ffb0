// SPDX-License-Identifier: Apache-2.0

package dev.clustered.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** Java on the README and in the guide is a region of a file that is compiled and run. */
class DocumentationTest {

  private final SourceTree tree = SourceTree.find();

  @Test
  void showsOnlyCodeThatIsARegionOfAnExampleOrATest() {
    for (Path page : tree.pages()) {
      for (Regions.Block block : Regions.blocks(SourceTree.read(page))) {
        check(page, block);
      }
    }
  }

  @Test
  void showsCodeOnTheReadme() {
    assertThat(Regions.blocks(SourceTree.read(tree.root().resolve("README.md")))).isNotEmpty();
  }

  private void check(Path page, Regions.Block block) {
    assertThat(block.file())
        .as("%s: a block without <!-- region: file#name --> before it:%n%s", page, block.code())
        .isPresent();
    Path file = tree.root().resolve(block.file().orElseThrow());
    String name = block.name().orElseThrow();
    assertThat(Files.exists(file)).as("%s names %s, which exists", page, file).isTrue();
    assertThat(Regions.region(SourceTree.read(file), name))
        .as("region %s of %s, shown on %s", name, file, page)
        .contains(block.code());
  }
}
