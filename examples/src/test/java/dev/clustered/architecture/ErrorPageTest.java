// SPDX-License-Identifier: Apache-2.0

package dev.clustered.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.ErrorCode;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class ErrorPageTest {

  private static final Pattern SECTION =
      Pattern.compile("^## (\\w+)\\n\\n(\\w+), (not )?retryable\\. (.{60,})$", Pattern.MULTILINE);

  private final List<MatchResult> sections =
      SECTION
          .matcher(SourceTree.read(SourceTree.find().root().resolve("docs/errors.md")))
          .results()
          .toList();

  @Test
  void everyCodeHasItsSectionInTheOrderOfTheCodes() {
    assertThat(sections.stream().map(section -> section.group(1)))
        .containsExactlyElementsOf(Arrays.stream(ErrorCode.values()).map(Enum::name).toList());
  }

  @Test
  void everySectionSaysWhoCanDoSomethingAndWhetherTryingAgainHelps() {
    for (MatchResult section : sections) {
      ErrorCode code = ErrorCode.valueOf(section.group(1));
      assertThat(section.group(2)).as(code.name()).isEqualTo(code.category().name());
      assertThat(section.group(3) == null).as(code.name()).isEqualTo(code.retryable());
    }
  }
}
