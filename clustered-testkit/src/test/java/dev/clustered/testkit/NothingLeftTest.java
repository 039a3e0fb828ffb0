// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

class NothingLeftTest {

  @AfterEach
  void giveBack() throws Exception {
    Leaks.giveBack();
  }

  @Test
  void failsForAProcess() {
    assertThat(failureOf(Leaks.OfProcess.class)).contains("process ", "sleep 1234567");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void failsForAProcessThatCutEveryTieButItsEnvironment() {
    assertThat(failureOf(Leaks.OfDaemon.class)).contains("process ", "sleep 2345678");
  }

  @Test
  void failsForAThreadAndShowsItsStack() {
    assertThat(failureOf(Leaks.OfThread.class))
        .contains("thread \"left-thread\"", "CountDownLatch.await");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void failsForASocketThatListens() {
    assertThat(failureOf(Leaks.OfTcp.class)).containsPattern("tcp6? socket on port \\d+");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void failsForADatagramSocket() {
    assertThat(failureOf(Leaks.OfUdp.class)).containsPattern("udp6? socket on port \\d+");
  }

  @Test
  void failsForADirectoryAndShowsWhatIsInIt() {
    assertThat(failureOf(Leaks.OfDirectory.class)).contains("clustered-left-", "[inside]");
  }

  @Test
  void passesWhenEverythingGoesAwayInTime() {
    assertThat(failuresOf(Leaks.OfNothing.class)).isEmpty();
  }

  private static String failureOf(Class<?> testClass) {
    List<String> failures = failuresOf(testClass);
    assertThat(failures).as("failures of %s", testClass).hasSize(1);
    return failures.getFirst();
  }

  private static List<String> failuresOf(Class<?> testClass) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(testClass))
        .execute()
        .testEvents()
        .assertStatistics(statistics -> statistics.started(1))
        .failed()
        .map(NothingLeftTest::message)
        .toList();
  }

  private static String message(Event event) {
    return event
        .getPayload(TestExecutionResult.class)
        .flatMap(TestExecutionResult::getThrowable)
        .map(Throwable::toString)
        .orElse("(no failure)");
  }
}
