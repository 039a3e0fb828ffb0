// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.console;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

class RunPrinterTest {

  @Test
  void printsWholePlainLinesWhereThereIsNoTerminal() {
    assertThat(shown(Screen.PLAIN).lines())
        .containsExactly(
            "joining    4 ranks",
            "epoch   1/20   loss 1.2346   test accuracy  87.5 %   0.012 s",
            "epoch   2/20   loss 0.5000   test accuracy 100.0 %   0.250 s",
            "rank 0     trained for 1.500 s",
            "used          2.000 node seconds running",
            "compared   the models of all ranks are equal",
            "done       97.49 % of the test images recognised");
  }

  @Test
  void rewritesOneLineForAllEpochsOnATerminal() {
    assertThat(shown(Screen.LIVE).split(System.lineSeparator()))
        .startsWith(
            "joining    4 ranks",
            "\repoch   1/20   loss 1.2346   test accuracy  87.5 %   0.012 s"
                + "\repoch   2/20   loss 0.5000   test accuracy 100.0 %   0.250 s",
            "rank 0     trained for 1.500 s");
  }

  @Test
  void usesEscapeCodesOnlyWhereColourIsWelcome() {
    assertThat(shown(Screen.PLAIN)).doesNotContain("\u001b").doesNotContain("\r");
    assertThat(shown(Screen.LIVE)).doesNotContain("\u001b");
    assertThat(shown(Screen.COLOUR)).startsWith("\u001b[1mjoining   \u001b[0m 4 ranks");
  }

  @Test
  void keepsToPlainLinesOrNoColourWhenTold() {
    assertThat(Screen.of(false, Map.of("TERM", "xterm"))).isEqualTo(Screen.PLAIN);
    assertThat(Screen.of(true, Map.of("TERM", "dumb"))).isEqualTo(Screen.PLAIN);
    assertThat(Screen.of(true, Map.of("TERM", "xterm"))).isEqualTo(Screen.COLOUR);
    assertThat(Screen.of(true, Map.of("NO_COLOR", "1"))).isEqualTo(Screen.LIVE);
  }

  private static String shown(Screen screen) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    RunPrinter printer = new RunPrinter(new PrintStream(bytes, true, UTF_8), screen, 20);
    printer.phase("joining", "4 ranks");
    printer.epoch(new EpochReport(1, 1.23456, 0.875, Duration.ofMillis(12)));
    printer.epoch(new EpochReport(2, 0.5, 1, Duration.ofMillis(250)));
    printer.trained("rank 0", Duration.ofMillis(1_500));
    printer.usage("running", Duration.ofSeconds(2));
    printer.finding("compared", "the models of all ranks are equal");
    printer.done(0.9749);
    return bytes.toString(UTF_8);
  }
}
