// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** An expectation that is not met is said, whatever it is. */
class ScenarioRunTest {

  private static final String START =
      "'shapes': [{'shape': 's', 'gpus': 8}], 'pool': [{'nodes': 'r[1-2]-n[1-2]', 'at':"
          + " 'zone=z/rack=r{1}'}], 'running': [{'gang': 'r', 'on': 'r1-n1'}], 'waiting':"
          + " [{'gang': 'a', 'nodes': 2}, {'gang': 'b', 'nodes': 4}]";

  private static final String EXPECTED =
      "{'gang': 'a', 'place': 'r2-n[1-2]'}, {'gang': 'b', 'wait': {}}";

  private static String json(String text) {
    return ("{" + START + ", " + text + "}").replace("EXPECTED", EXPECTED).replace('\'', '"');
  }

  private static List<String> unmet(String text) {
    return ScenarioRun.of("t.json", json(text)).unmet();
  }

  @Test
  void isContentWithWhatIsExpected() {
    assertThat(unmet("'expect': {'gangs': [EXPECTED]}")).isEmpty();
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'expect': {} | not expected: place a on r2-n1, r2-n2",
        "'expect': {'gangs': [EXPECTED, {'gang': 'b', 'wait': {}}]} | the plan has nothing for it",
        "'expect': {'gangs': [EXPECTED], 'releases': 'r1-n2'} | expected to give back [r1-n2], got"
            + " []",
        "'expect': {'gangs': [{'gang': 'a', 'place': 'r2-n[2,1]'}, {'gang': 'b', 'wait': {}}]} | a:"
            + " expected [r2-n2, r2-n1], got [r2-n1, r2-n2]",
        "'expect': {'gangs': [{'gang': 'a', 'wait': {}}, {'gang': 'b', 'wait': {}}]} | a: expected"
            + " to wait, got: place a",
        "'expect': {'gangs': [{'gang': 'a', 'place': {'count': 2, 'hops': {'level': 'rack',"
            + " 'count': 2}}}, {'gang': 'b', 'wait': {}}]} | expected 2 steps of the ring to"
            + " another rack, got 0",
        "'expect': {'gangs': [{'gang': 'a', 'place': {'count': 3}}, {'gang': 'b', 'wait': {}}]} |"
            + " expected 3 nodes, got 2",
        "'expect': {'gangs': [{'gang': 'a', 'place': {'count': 2, 'among': 'r1-n[1-2]'}}, {'gang':"
            + " 'b', 'wait': {}}]} | expected none but",
        "'expect': {'gangs': [{'gang': 'a', 'place': {'count': 2, 'spares': 1}}, {'gang': 'b',"
            + " 'wait': {}}]} | expected 1 spares, got []",
        "'expect': {'gangs': [{'gang': 'a', 'place': {'count': 2, 'domains': {'level': 'rack',"
            + " 'count': 2}}}, {'gang': 'b', 'wait': {}}]} | expected 2 different racks, got 1",
        "'expect': {'gangs': [{'gang': 'a', 'place': {'count': 2, 'perDomain': {'level': 'rack',"
            + " 'most': 1}}}, {'gang': 'b', 'wait': {}}]} | expected 1 to 1 ranks in a rack, got 2",
        "'expect': {'gangs': [{'gang': 'a', 'place': 'r2-n[1-2]'}, {'gang': 'b', 'wait':"
            + " {'reasons': [{'type': 'NotEnoughNodes', 'free': 99}]}}]} | expected the reason",
        "'expect': {'gangs': [{'gang': 'a', 'place': 'r2-n[1-2]'}, {'gang': 'b', 'wait': {'says':"
            + " 'for fun'}}]} | expected reasons with \"for fun\"",
        "'expect': {'gangs': [{'gang': 'a', 'place': 'r2-n[1-2]'}, {'gang': 'b', 'wait':"
            + " {'expectedStart': 'PT1H'}}]} | expected to start at 2026-01-01T01:00:00Z",
        "'expect': {'gangs': [EXPECTED]}, 'steps': [{'do': [{'ends': 'a'}], 'expect': {}}] | not"
            + " expected: b waits",
        "'steps': [{'run': {'for': 'PT1H', 'expect': {'starts': [{'gang': 'b', 'by': 'PT1H'}]}}}] |"
            + " b: expected to start by 2026-01-01T01:00:00Z, got nothing",
        "'steps': [{'run': {'for': 'PT1H', 'expect': {'starts': [{'gang': 'a', 'at': 'PT1S'}]}}}] |"
            + " a: expected to start at 2026-01-01T00:00:01Z, got 2026-01-01T00:00:00Z",
        "'steps': [{'do': [{'ends': 'b'}], 'expect': {}}] | no plan was made: no gang b runs",
        "'steps': [{'do': [{'left': 'r'}], 'expect': {}}] | no plan was made: no rank of gang r was"
            + " told to go",
        "'steps': [{'do': [{'returns': 'r'}], 'expect': {}}] | no plan was made: gang r was not"
            + " told to end",
        "'steps': [{'do': [{'arrives': [{'gang': 'b'}]}], 'expect': {}}] | no plan was made: gang b"
            + " waits already",
        "'steps': [{'run': {'for': 'PT1H', 'expect': {'starts': [{'gang': 'a', 'notBefore':"
            + " 'PT1S'}]}}}] | a: expected to start not before 2026-01-01T00:00:01Z, got 2026",
        "'steps': [{'run': {'for': 'PT1H', 'expect': {'starts': [{'gang': 'b', 'notBefore':"
            + " 'PT1S'}]}}}] | b: expected to start not before 2026-01-01T00:00:01Z, got nothing"
      })
  void saysWhatIsNotMet(String text, String message) {
    assertThat(unmet(text)).anySatisfy(line -> assertThat(line).contains(message));
  }

  @Test
  void refusesAFileThatShouldHaveBeenRefused() {
    assertThat(unmet("'invalid': 'no such thing'"))
        .anySatisfy(line -> assertThat(line).contains("expected to be refused"));
  }

  @Test
  void endsWithTheStatusOfTheWorstFile(@TempDir Path folder) throws IOException {
    assertThat(status(folder, "'expect': {'gangs': [EXPECTED]}", "met")).isZero();
    assertThat(status(folder, "'expect': {}", "NOT MET: not expected: place a")).isEqualTo(1);
    assertThat(status(folder, "'expct': {}", "there is no such field")).isEqualTo(2);
  }

  private static int status(Path folder, String text, String printed) throws IOException {
    Files.writeString(folder.resolve("a.json"), json(text));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int status = command(folder, "a.json", "false", bytes);
    assertThat(bytes.toString(StandardCharsets.UTF_8)).contains(printed);
    return status;
  }

  private static int command(Path folder, String path, String json, ByteArrayOutputStream bytes)
      throws IOException {
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    return PlanCommand.run(new String[] {folder.toString(), path, json}, out, out);
  }

  @Test
  void saysThatNothingWasExpected(@TempDir Path folder) throws IOException {
    assertThat(status(folder, "'steps': [{'run': {'for': 'PT1H'}}]", "  nothing was expected"))
        .isZero();
    Files.writeString(folder.resolve("b.json"), json("'expect': {'gangs': [EXPECTED]}"));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    assertThat(command(folder, ".", "false", bytes)).isZero();
    assertThat(bytes.toString(StandardCharsets.UTF_8))
        .contains("2 files: 1 met, 0 not met, 0 could not be read, of 1 nothing was expected");
  }

  @Test
  void printsTheFirstPlanBeforeARun() {
    Outcome outcome =
        ScenarioRun.of(
            "t.json",
            json(
                "'steps': [{'story': 'An hour.', 'run': {'for': 'PT1H', 'expect': {'starts':"
                    + " [{'gang': 'a', 'at': 'PT0S'}]}}}]"));
    assertThat(outcome.unmet()).isEmpty();
    assertThat(OutcomeText.lines(outcome))
        .containsSubsequence(
            "  at 2026-01-01T00:00:00Z",
            "    place a on r2-n1, r2-n2",
            "  at 2026-01-01T01:00:00Z: An hour.",
            "    2026-01-01T00:00:00Z place a on r2-n1, r2-n2",
            "  met");
  }

  @Test
  void namesFilesThatCannotBeReadInJsonToo(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("a.json"), json("'expct': {}"));
    Files.write(folder.resolve("b.json"), new byte[] {'{', (byte) 0xff, '}'});
    Files.createDirectory(folder.resolve("c.json"));
    ByteArrayOutputStream errors = new ByteArrayOutputStream();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    int status =
        PlanCommand.run(
            new String[] {folder.toString(), ".", "true"},
            new PrintStream(bytes, true, StandardCharsets.UTF_8),
            new PrintStream(errors, true, StandardCharsets.UTF_8));
    assertThat(status).isEqualTo(2);
    var tree = ScenarioReader.tree("out", bytes.toString(StandardCharsets.UTF_8));
    assertThat(tree).hasSize(3).allMatch(one -> !one.get("met").booleanValue());
    assertThat(tree.get(0).get("file").stringValue()).isEqualTo("a.json");
    assertThat(tree.get(0).get("error").stringValue()).contains("expct: there is no such field");
    assertThat(tree.get(1).get("error").stringValue()).contains("b.json: is not UTF-8");
    assertThat(tree.get(2).get("error").stringValue()).contains("c.json: cannot be read");
    assertThat(errors.toString(StandardCharsets.UTF_8).lines()).hasSize(3);
  }

  @Test
  void printsJsonForMachines(@TempDir Path folder) throws IOException {
    Files.writeString(folder.resolve("a.json"), json("'expect': {'gangs': [EXPECTED]}"));
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    PrintStream out = new PrintStream(bytes, true, StandardCharsets.UTF_8);
    PlanCommand.run(new String[] {folder.toString(), ".", "true"}, out, out);

    var tree = ScenarioReader.tree("out", bytes.toString(StandardCharsets.UTF_8));
    assertThat(tree.get(0).get("met").booleanValue()).isTrue();
    assertThat(tree.get(0).get("turns").get(0).get("decisions").get(0).toString())
        .contains("Place")
        .contains("r2-n1");
  }
}
