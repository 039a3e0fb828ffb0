// SPDX-License-Identifier: Apache-2.0

package dev.clustered.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** Every class and package in the picture of docs/architecture.md exists. */
class ArchitecturePictureTest {

  private static final Pattern PICTURE =
      Pattern.compile("^```(?:text)?\\n(.*?)^```", Pattern.MULTILINE | Pattern.DOTALL);

  private static final Pattern TYPE = Pattern.compile("\\b[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*\\b");

  private static final Pattern PACKAGE = Pattern.compile("\\b(?:core|agent|backend)\\.[a-z]+\\b");

  private final SourceTree tree = SourceTree.find();
  private final List<Path> sources = tree.java("src/main/java");

  @Test
  void namesOnlyTypesThatExist() {
    String all = sources.stream().map(SourceTree::read).collect(Collectors.joining());
    Set<String> named = names(TYPE);
    assertThat(named).hasSizeGreaterThan(5);
    assertThat(named)
        .allMatch(
            name ->
                Pattern.compile("\\b(class|interface|record|enum) " + name + "\\b")
                    .matcher(all)
                    .find());
  }

  @Test
  void namesOnlyPackagesThatExist() {
    Set<String> named = names(PACKAGE);
    assertThat(named).hasSizeGreaterThan(2);
    assertThat(named).allMatch(this::exists);
  }

  private boolean exists(String name) {
    Path folder = Path.of("dev", "clustered").resolve(name.replace('.', '/'));
    return sources.stream().map(Path::getParent).anyMatch(parent -> parent.endsWith(folder));
  }

  private Set<String> names(Pattern pattern) {
    Path page = tree.root().resolve("docs/architecture.md");
    assertThat(Files.exists(page)).as("%s exists", page).isTrue();
    List<String> pictures =
        PICTURE.matcher(SourceTree.read(page)).results().map(found -> found.group(1)).toList();
    assertThat(pictures).as("pictures on %s", page).isNotEmpty();
    return pictures.stream()
        .flatMap(picture -> pattern.matcher(picture).results())
        .map(MatchResult::group)
        .collect(Collectors.toCollection(TreeSet::new));
  }
}
