// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

class EnvironmentBudgetTest {
  @Test
  void keepsAVariableOfExactlyTheLimitAndLeavesOutOneByteMore() {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("FITS", "x".repeat(131_071 - "FITS=".length()));
    environment.put("OVER", "x".repeat(131_072 - "OVER=".length()));

    EnvironmentBudget.Fitted fitted = EnvironmentBudget.fit(environment);

    assertThat(fitted.kept()).containsOnlyKeys("FITS");
    assertThat(fitted.omitted()).containsExactly("OVER");
  }

  @Test
  void countsBytesAndNotCharacters() {
    assertThat(EnvironmentBudget.fit(Map.of("A", "\u00e4".repeat(70_000))).omitted())
        .containsExactly("A");
  }

  @Test
  void leavesOutTheLargestUntilTheRestFits() {
    Map<String, String> environment = new LinkedHashMap<>();
    environment.put("PATH", "/bin");
    for (int index = 0; index < 20; index++) {
      environment.put("LARGE_" + index, "x".repeat(60_000 + index));
    }

    EnvironmentBudget.Fitted fitted = EnvironmentBudget.fit(environment);

    assertThat(fitted.omitted()).containsExactly("LARGE_17", "LARGE_18", "LARGE_19");
    assertThat(fitted.kept()).hasSize(18).containsKey("PATH");
    assertThat(fitted).asString().doesNotContain("xxx");
  }
}
