// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.model.NodeId;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What is wrong in a file is refused with its place, the value, and what to do. */
class ScenarioReaderTest {

  private static final String POOL =
      "'shapes': [{'shape': 's', 'gpus': 8}], 'pool': [{'nodes': 'n[1-4]', 'at': 'zone=z'}]";

  private static String json(String text) {
    return text.replace('\'', '"');
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{'wating': []} | t.json, wating: there is no such field; received [];",
        "{'pool': [{'nodes': 'n1', 'at': 'zone=z'}]} | t.json, pool[0].shape: is none of the"
            + " shapes",
        "{POOL, 'pool': []} | t.json, line 1: is not JSON",
        "{POOL, 'waiting': [{'gang': 'n1'}], 'running': [{'gang': 'n1', 'on': 'n1'}]} | the gang n1"
            + " runs and waits; only one that ends may wait anew",
        "{POOL, 'running': [{'gang': 'a', 'on': 'n[1-2000000000]'}]} | running[0].on: numbers have"
            + " nine digits at most; received \"n[1-2000000000]\";",
        "{POOL, 'waiting': [{'gang': 'a', 'timeLimit': 'PT99999999999999H'}]} |"
            + " waiting[0].timeLimit: takes a duration such as PT1H30M (zero or more, and no longer"
            + " than PT8760000H",
        "{POOL, 'waiting': [{'gang': 'a', 'layout': {'required': ''}}]} | a level has a name",
        "{'shapes': [{'shape': 's'}], 'pool': [{'nodes': 'n1', 'at': 'zone=z/rack=r'}, {'nodes':"
            + " 'n2', 'at': 'rack=r/zone=z'}]} | node n2 has the level rack around zone, and"
            + " another node",
        "{'shapes': [{'shape': 's', 'gpus': 1000000}]} | shapes[0].gpus: a node has 1024 GPUs at"
            + " most; received 1000000;",
        "{POOL, 'waiting': [{'gang': 'a', 'nodes': 0}]} | t.json, waiting[0].nodes: takes a whole"
            + " number of 1 to 2147483647; received 0;",
        "{POOL, 'waiting': [{'gang': 'a', 'nodes': 99999999999}]} | waiting[0].nodes: takes a whole"
            + " number of 1 to 2147483647; received 99999999999;",
        "{POOL, 'waiting': [{'gang': 'A'}]} | waiting[0].gang: takes the name of a gang",
        "{POOL, 'waiting': [{'gang': 'a'}, {'gang': 'a'}]} | waiting[1].gang: gang a stands twice;"
            + " received \"a\";",
        "{POOL, 'waiting': [{'gang': 'a', 'nodes': 4, 'minimum': 5}]} | waiting[0]: the role worker"
            + " of 4 nodes has a minimum of 1 to 4; received: 5",
        "{POOL, 'waiting': [{'gang': 'a', 'queuedAt': 'noon'}]} | waiting[0].queuedAt: takes a"
            + " moment",
        "{POOL, 'running': [{'gang': 'a', 'on': 'n5'}]} | running[0].on: there is no node n5;"
            + " received \"n5\"; add it to the pool",
        "{POOL, 'running': [{'gang': 'a', 'on': 'n1'}, {'gang': 'b', 'on': 'n1'}]} | running[1].on:"
            + " node n1 has no GPU, 0 CPUs, 0 B left, and 8 × GPU",
        "{POOL, 'running': [{'gang': 'a', 'on': 'n[4-1]'}]} | running[0].on: a range goes upwards",
        "{POOL, 'running': [{'gang': 'a', 'on': 'n[1-999999]'}]} | running[0].on: it stands for",
        "{POOL, 'running': [{'gang': 'a', 'on': 'n{1}'}]} | running[0].on: {1} stands for a range",
        "{POOL, 'expect': {'gangs': [{'gang': 'a', 'wait': {}}]}} | expect.gangs[0].gang: there is"
            + " no gang a; received \"a\"; name one",
        "{POOL, 'waiting': [{'gang': 'a'}], 'expect': {'gangs': [{'gang': 'a', 'place': 'n9'}]}} |"
            + " expect.gangs[0].place: there is no node n9",
        "{POOL, 'waiting': [{'gang': 'a'}], 'expect': {'gangs': [{'gang': 'a'}]}} | 0 decisions are"
            + " expected here",
        "{POOL, 'policy': {'idleNodeTime': '-PT1S'}} | policy.idleNodeTime: takes a duration"
            + " such as PT1H30M (zero or more, and no longer than PT8760000H",
        "{POOL, 'offers': [{'offer': 'o', 'zone': 'z', 'available': -1}]} | offers[0].available:"
            + " takes a whole number of 0",
        "{POOL, 'steps': [{'do': [{}]}]} | steps[0].do[0]: nothing happens"
      })
  void refuses(String text, String message) {
    assertThatThrownBy(() -> ScenarioReader.read("t.json", json(text.replace("POOL", POOL))))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining(message);
  }

  @Test
  void refusesANodeInTwoPools() {
    String text =
        json(
            "{'shapes': [{'shape': 's'}], 'pool': [{'nodes': 'n[1-4]', 'at': 'zone=a'},"
                + " {'nodes': 'n[4-6]', 'at': 'zone=b'}]}");
    assertThatThrownBy(() -> ScenarioReader.read("t.json", text))
        .hasMessageContaining("pool[1].nodes: node n4 stands twice; received \"n4\"");
  }

  @Test
  void expandsRangesInTheOrderInWhichTheyAreWritten() {
    assertThat(NamePattern.expand("r[2,1]-n[08-10]").stream().map(NamePattern.Name::text))
        .containsExactly("r2-n08", "r2-n09", "r2-n10", "r1-n08", "r1-n09", "r1-n10");
    assertThat(NamePattern.expand("n1 x 3").stream().map(NamePattern.Name::text))
        .containsExactly("n1", "n1", "n1");
  }

  @Test
  void putsValuesOfRangesIntoWhatBelongsToThem() {
    Scenario scenario =
        ScenarioReader.read(
            "t.json",
            json(
                "{'shapes': [{'shape': 's'}], 'pool': [{'nodes': 'r[1-2]-n[1-2]', 'at':"
                    + " 'zone=z/rack=r{1}'}], 'running': [{'gang': 'g[1-2]', 'on':"
                    + " 'r{1}-n[1-2]'}]}"));
    assertThat(scenario.start().machine(new NodeId("r2-n1")).at("rack")).isEqualTo("r2");
    assertThat(scenario.start().running.values())
        .extracting(gang -> gang.members().stream().map(m -> m.at().node().value()).toList())
        .containsExactly(List.of("r1-n1", "r1-n2"), List.of("r2-n1", "r2-n2"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"", " \n", "\uFEFF"})
  void saysThatAFileIsEmpty(String text) {
    assertThatThrownBy(() -> ScenarioReader.read("t.json", text))
        .isInstanceOf(ScenarioException.class)
        .hasMessage("t.json: is empty; write what there is in braces");
  }

  @Test
  void skipsAByteOrderMark() {
    String text = json("{" + POOL + ", 'waiting': [{'gang': 'a'}]}");
    assertThat(ScenarioReader.read("t.json", "\uFEFF" + text).start().waiting()).hasSize(1);
  }

  @Test
  void refusesATextThatIsNestedTooDeep() {
    assertThatThrownBy(() -> ScenarioReader.read("t.json", "[".repeat(100_000)))
        .isInstanceOf(ScenarioException.class)
        .hasMessageContaining("is not JSON");
  }
}
