// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.platform.testkit.engine.EngineTestKit;
import org.junit.platform.testkit.engine.Event;

class ContractsFindFlawsTest {

  @Test
  void findThatMoreThanTheLimitWasGranted() {
    assertThat(failedOn(FlawedBackends.GrantsTooMuch.class))
        .contains("refusesMoreThanThereAreWithNumbersAndLeavesNothing()");
  }

  @Test
  void findThatAPartOfALaunchWasLeft() {
    assertThat(failedOn(FlawedBackends.GrantsAPart.class))
        .contains("refusesMoreThanThereAreWithNumbersAndLeavesNothing()");
  }

  @Test
  void findThatARepeatedLaunchLaunchedAgain() {
    assertThat(failedOn(FlawedBackends.ForgetsLaunches.class))
        .contains(
            "givesTheSameAnswerToTheSameLaunchAndLaunchesNothingTwice()",
            "startsNothingWhenALaunchIsRepeatedAfterItsEnd()");
  }

  @Test
  void findThatInstancesOfOthersWereListed() {
    assertThat(failedOn(FlawedBackends.ListsOthers.class))
        .containsExactly("labelsEveryInstanceAndListsOnlyTheOwners()");
  }

  @Test
  void findThatTerminateReturnedBeforeTheEnd() {
    assertThat(failedOn(FlawedBackends.EndsLate.class))
        .contains("hasEndedEveryInstanceForSureWhenTerminateReturns()");
  }

  @Test
  void findThatRdmaFellBackInSilence() {
    assertThat(failedOn(FlawedBackends.IgnoresRdma.class))
        .containsExactlyInAnyOrder(
            "refusesRdmaOnAShapeWithoutItAndLeavesNothing()",
            "refusesAHigherRateThanTheShapeHasAndLeavesNothing()");
  }

  private static List<String> failedOn(Class<?> contract) {
    return EngineTestKit.engine("junit-jupiter")
        .selectors(selectClass(contract))
        .execute()
        .testEvents()
        .failed()
        .map(Event::getTestDescriptor)
        .map(descriptor -> descriptor.getDisplayName())
        .toList();
  }
}
