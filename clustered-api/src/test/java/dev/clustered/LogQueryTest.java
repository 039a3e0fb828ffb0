// SPDX-License-Identifier: Apache-2.0

package dev.clustered;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class LogQueryTest {

  @Test
  void asksForAllRanksOrOneWrittenOrLive() {
    assertThat(LogQuery.all().rank()).isEmpty();
    assertThat(LogQuery.ofRank(2).rank()).hasValue(2);
    assertThat(LogQuery.ofRank(2).follow()).isEqualTo(LogQuery.Follow.NO);
    assertThat(LogQuery.ofRank(2).following().follow()).isEqualTo(LogQuery.Follow.UNTIL_END);
    assertThat(LogQuery.ofRank(2).following().rank()).hasValue(2);
  }

  @Test
  void refusesARankBelowZero() {
    assertThatThrownBy(() -> LogQuery.ofRank(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("-1");
  }
}
