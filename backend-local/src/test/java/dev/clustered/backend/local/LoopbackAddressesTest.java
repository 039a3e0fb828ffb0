// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.clustered.backend.local.LoopbackAddresses.Held;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ErrorCode;
import dev.clustered.testkit.NothingLeft;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(NothingLeft.class)
class LoopbackAddressesTest {

  private static final int FIRST = 127 << 24 | 64 << 16;
  private static final int COUNT = 20;

  /** A place in the range that differs from run to run. */
  private final int start = Long.hashCode(System.nanoTime());

  @Test
  void givesEachAddressOnceToTwoHoldersOfOneJvm() {
    List<Held> held = hold(new LoopbackAddresses(FIRST, start));
    held.addAll(hold(new LoopbackAddresses(FIRST, start)));
    held.forEach(Held::close);
    assertThat(literals(held)).hasSize(2 * COUNT).doesNotHaveDuplicates();
  }

  @Test
  void givesNoAddressThatAnotherProcessHoldsAndGetsThemBackWhenItIsKilled() throws IOException {
    Process other = otherProcess();
    List<String> theirs = new ArrayList<>();
    try (BufferedReader lines = other.inputReader()) {
      for (int i = 0; i < COUNT; i++) {
        theirs.add(lines.readLine());
      }
      List<Held> ours = hold(new LoopbackAddresses(FIRST, start));
      ours.forEach(Held::close);
      assertThat(literals(ours)).doesNotContainAnyElementsOf(theirs).doesNotHaveDuplicates();
    } finally {
      other.destroyForcibly();
      other.onExit().join();
    }
    List<Held> again = hold(new LoopbackAddresses(FIRST, start));
    again.forEach(Held::close);
    assertThat(literals(again)).isEqualTo(theirs);
  }

  @Test
  void staysInItsRangeAndLeavesOutFirstAndLastOfEachBlock() {
    List<Held> held = hold(new LoopbackAddresses(FIRST, -COUNT / 2));
    held.forEach(Held::close);
    assertThat(literals(held))
        .contains("127.64.0.1", "127.127.255.254")
        .allMatch(literal -> literal.matches("127\\.(6[4-9]|[7-9]\\d|1[01]\\d|12[0-7])\\..*"))
        .noneMatch(literal -> literal.endsWith(".0") || literal.endsWith(".255"));
  }

  @Test
  void saysHowToAddAnAddressThatTheMachineDoesNotHave() {
    LoopbackAddresses documentationOnly = new LoopbackAddresses(192 << 24 | 2 << 8, 5);
    ClusterException refused =
        catchThrowableOfType(ClusterException.class, documentationOnly::hold);
    assertThat(refused.code()).isEqualTo(ErrorCode.INVALID_SETTING);
    assertThat(refused).hasMessageContaining("sudo ifconfig lo0 alias 192.0.2.1 up");
  }

  private Process otherProcess() throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-cp",
            System.getProperty("java.class.path"),
            Holder.class.getName(),
            String.valueOf(start))
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }

  private static List<Held> hold(LoopbackAddresses addresses) {
    List<Held> held = new ArrayList<>();
    for (int i = 0; i < COUNT; i++) {
      held.add(addresses.hold());
    }
    return held;
  }

  private static List<String> literals(List<Held> held) {
    return held.stream().map(Held::literal).toList();
  }

  /** Holds addresses, prints them and waits for its end. */
  static final class Holder {

    private Holder() {}

    public static void main(String[] arguments) throws IOException {
      hold(new LoopbackAddresses(FIRST, Integer.parseInt(arguments[0])))
          .forEach(held -> System.out.println(held.literal()));
      System.in.read();
    }
  }
}
