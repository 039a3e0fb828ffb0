// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What nobody could mean is refused when it is read, with the field, the value and what to do. */
class RefusedInputTest {

  private static final String START =
      "'shapes': [{'shape': 's', 'gpus': 8}], 'pool': [{'nodes': 'n[1-4]', 'at': 'zone=z/rack=r'}],"
          + " 'offers': [{'offer': 'o', 'zone': 'z', 'available': 4}], 'policy': {'queues':"
          + " [{'queue': 'team', 'nominal': {'gpus': 8}}]}, 'running': [{'gang': 'old', 'on':"
          + " 'n1'}], 'waiting': [{'gang': 'learner', 'nodes': 2}]";

  private static final String SHAPE = "'shapes': [{'shape': 's', 'gpus': 8}]";
  private static final String POOL = SHAPE + ", 'pool': [{'nodes': 'n[1-4]', 'at': 'zone=z'}]";

  private static Scenario read(String text) {
    String json = text.replace("START", START).replace("SHAPE", SHAPE).replace("POOL", POOL);
    return ScenarioReader.read("t.json", json.replace('\'', '"'));
  }

  private static void refused(String text, String message) {
    assertThatThrownBy(() -> read(text))
        .isInstanceOf(ScenarioException.class)
        .hasMessageStartingWith("t.json")
        .hasMessageContaining("; received ")
        .hasMessageContaining(message);
  }

  @Test
  void acceptsWhatTheOthersAreMadeOf() {
    assertThat(read("{START}").steps()).hasSize(1);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'layout': {'preferred': 'rak'} | waiting[0].layout.preferred: there is no level rak;"
            + " received \"rak\"; name one that nodes report; perhaps rack is meant",
        "'layout': {'required': 'cell'} | waiting[0].layout.required: there is no level cell;"
            + " received \"cell\"; name one that nodes report; there are fabric, host, rack, zone",
        "'layout': {'blocks': [{'level': 'cell', 'ranks': 3}]} |"
            + " waiting[0].layout.blocks[0].level: there is no level cell",
        "'layout': {'spread': {'level': 'cell'}} | waiting[0].layout.spread.level: there is no"
            + " level cell",
        "'queue': 'taem' | waiting[0].queue: there is no queue taem; received \"taem\"; name one of"
            + " the policy, or add it there; perhaps team is meant",
        "'shape': 'h100' | waiting[0].shape: there is no shape h100",
        "'backend': 'slurm' | waiting[0].backend: there is no backend slurm",
        "'roles': [] | waiting[0].roles: a gang has a role or more",
        "'alternatives': [{'roles': []}] | waiting[0].alternatives[0].roles: a gang has a role",
        "'claim': {'nodes': 'n[2-3]', 'until': 'PT1H'} | waiting[0].claim: gang a starts with 3"
            + " nodes, spares among them, and is promised as many; received: 2",
        "'claim': {'nodes': 'n[2-9]', 'until': 'PT1H'} | waiting[0].claim: gang a starts",
        "'claim': {'nodes': 'n[7-9]', 'until': 'PT1H'} | waiting[0].claim.nodes: there is no node"
            + " n7",
        "'queuedAt': 'PT1H' | waiting[0].queuedAt: takes a moment that is over by"
            + " 2026-01-01T00:00:00Z",
        "'runs': 'PT0S' | waiting[0].runs: takes a duration such as PT1H30M (longer than zero",
        "'every': '-PT1S' | waiting[0].every: takes a duration",
        "'arrives': 'P9999999D' | waiting[0].arrives: takes a moment"
      })
  void refusesGangsThatWait(String fields, String message) {
    refused(
        "{START}"
            .replace("START", START)
            .replace(
                "{'gang': 'learner', 'nodes': 2}", "{'gang': 'a', 'nodes': 3, " + fields + "}"),
        message);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'started': 'PT1H' | running[0].started: takes a moment that is over by",
        "'queuedAt': '-PT1H', 'started': '-PT2H' | running[0].queuedAt: takes a moment that is"
            + " over by 2025-12-31T22:00:00Z",
        "'expectedEnd': '-PT2H', 'started': '-PT1H' | running[0]: gang b started at"
            + " 2025-12-31T23:00:00Z and ends no earlier",
        "'leaving': ['2'] | running[0].leaving: the gang has no rank 2; received [\"2\"]; name some"
            + " of 0 to 1",
        "'endsFor': 'nobody' | running[0].endsFor: there is no gang nobody",
        "'endsFor': 'b' | running[0]: gang b ends for another only when it ends"
      })
  void refusesGangsThatRun(String fields, String message) {
    String phase = message.contains("there is no gang") ? ", 'phase': 'ending'" : "";
    refused("{POOL, 'running': [{'gang': 'b', 'on': 'n[1-2]', " + fields + phase + "}]}", message);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "{START, 'launches': [{'launch': 'l', 'gang': 'lerner', 'offer': 'o', 'nodes': 1}]} |"
            + " launches[0].gang: there is no gang lerner; received \"lerner\"; name one that runs,"
            + " waits or comes; perhaps learner is meant",
        "{START, 'launches': [{'launch': 'l', 'gang': 'learner', 'offer': 'p', 'nodes': 1}]} |"
            + " launches[0].offer: there is no offer p",
        "{START, 'launches': [{'launch': 'l', 'gang': 'learner', 'offer': 'o', 'nodes': 1,"
            + " 'decidedAt': '-PT1H', 'deadline': '-PT2H'}]} | launches[0]: launch l, decided at",
        "{START, 'launches': [{'launch': 'l', 'gang': 'learner', 'offer': 'o', 'nodes': 1,"
            + " 'decidedAt': 'PT1H'}]} | launches[0].decidedAt: takes a moment that is over by",
        "{START, 'coolDowns': [{'zone': 'y', 'shape': 's', 'until': 'PT1H'}]} | coolDowns[0].zone:"
            + " there is no zone y; received \"y\"; name one of a node or an offer; there are z",
        "{START, 'coolDowns': [{'zone': 'z', 'shape': 't', 'until': 'PT1H'}]} |"
            + " coolDowns[0].shape: there is no shape t",
        "{START, 'coolDowns': [{'zone': 'z', 'shape': 's', 'backend': 'b', 'until': 'PT1H'}]} |"
            + " coolDowns[0].backend: there is no backend b",
        "{START, 'coolDowns': [{'zone': 'z', 'shape': 's', 'until': '-PT1H'}]} |"
            + " coolDowns[0].until: it is over at",
        "{START, 'uses': [{'queue': 'taem', 'gpuSeconds': 1}]} | uses[0].queue: there is no queue"
            + " taem",
        "{START, 'uses': [{'queue': 'team'}, {'queue': 'team'}]} | uses[1].queue: this queue stands"
            + " twice",
        "{START, 'uses': [{'queue': 'team', 'gpuSeconds': 1e300}]} | uses[0].gpuSeconds: takes a"
            + " number of 0.0 to 1.0E23",
        "{START, 'uses': [{'queue': 'team', 'at': 'PT1H'}]} | uses[0].at: takes a moment that is"
            + " over by",
        "{SHAPE, 'pool': [{'nodes': 'n1', 'at': 'rack=r'}]} | pool[0].at: takes a path such as"
            + " zone=z1/rack=r1 (nothing runs on a node of which no zone is known",
        "{SHAPE, 'pool': [{'nodes': 'n1', 'at': 'zone=z/rack=r'}, {'nodes': 'n2', 'at':"
            + " 'rack=r/zone=z'}]} | pool[1].at: node n2 has the level rack around zone",
        "{SHAPE, 'pool': [{'nodes': 'n1', 'at': 'zone=z', 'idleSince': 'PT1S'}]} |"
            + " pool[0].idleSince: takes a moment that is over by",
        "{POOL, 'running': [{'gang': 'a', 'on': 'n1'}], 'waiting': [{'gang': 'a'}]} |"
            + " waiting[0].gang: the gang a runs and waits",
        "{POOL, 'running': [{'gang': 'a', 'on': 'n1 x 2', 'each': {'gpus': 1}}]} | running[0].on:"
            + " node n1 holds 1 of its ranks at most; received \"n1 x 2\"; name other nodes, or",
        "{'now': '+12000-01-01T00:00:00Z'} | now: takes an instant of the years 1 to 9999"
      })
  void refusesWhatElseIsThere(String text, String message) {
    refused(text, message);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'price': '1e999999999' | offers[1].price: takes a price such as \"2.50\" (zero or more, 9"
            + " digits at most",
        "'price': '1e-999999999' | offers[1].price: takes a price",
        "'price': '-1' | offers[1].price: takes a price",
        "'boot': '-PT1S' | offers[1].boot: takes a duration such as PT1H30M (zero or more",
        "'boot': 'PT99999999999999H' | offers[1].boot: takes a duration",
        "'offer': 'o' | offers[1].offer: this offer stands twice",
        "'available': 'unkown' | offers[1].available: takes a whole number or unknown; received"
      })
  void refusesOffers(String fields, String message) {
    String name = fields.startsWith("'offer'") ? "" : "'offer': 'p', ";
    refused(
        "{SHAPE, 'offers': [{'offer': 'o', 'zone': 'z', 'available': 4}, {%s%s, 'zone': 'z'"
                .formatted(name, fields)
            + (fields.startsWith("'available'") ? "}]}" : ", 'available': 4}]}"),
        message);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'idleNodeTime': '-PT1S' | policy.idleNodeTime: takes a duration",
        "'preemption': {'patience': '-PT1S'} | policy.preemption.patience: takes a duration",
        "'preemption': {'minimumRuntime': '-PT1S'} | policy.preemption.minimumRuntime: takes",
        "'preemption': {'drain': '-PT1S'} | policy.preemption.drain: takes a duration",
        "'migration': {'mostCost': '-PT1S'} | policy.migration.mostCost: takes a duration",
        "'migration': {'lastAt': 'PT1S'} | policy.migration.lastAt: takes a moment that is over by",
        "'backfill': {'overdue': '-PT1S'} | policy.backfill.overdue: takes a duration",
        "'launching': {'firstCoolDown': 'PT1H'} | policy.launching.longestCoolDown: the longest"
            + " cool-down is no shorter than the first",
        "'halfLife': 'PT0S' | policy.halfLife: takes a duration such as PT1H30M (longer than zero",
        "'queues': [{'queue': 'a'}, {'queue': 'a'}] | policy.queues: the queue a stands twice",
        "'queues': [{'queue': 'a', 'parent': 'b'}] | policy.queues: the parent b of queue a is no"
            + " queue",
        "'queues': [{'queue': ' '}] | policy.queues[0].queue: a queue has a name",
        "'queues': [{'queue': 'a', 'weight': 0}] | policy.queues[0].weight: takes a number of",
        "'queues': [{'queue': 'a', 'weight': 1e999999999}] | policy.queues[0].weight: takes a",
        "'queues': [{'queue': 'a', 'nominal': {'gpus': 2}, 'lending': {'gpus': 3}}] |"
            + " policy.queues[0].lending: queue a lends no more than its own, 2 × GPU",
        "'queues': [{'queue': 'a', 'nominal': {'memory': '99999 TiB'}}] |"
            + " policy.queues[0].nominal.memory: takes a size such as 64 GiB (32768 TiB at most"
      })
  void refusesPolicies(String fields, String message) {
    refused("{'policy': {" + fields + "}}", message);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'after': '-PT1S' | steps[0].after: takes a duration such as PT1H30M (zero or more",
        "'run': {'for': '-PT1S'} | steps[0].run.for: takes a duration",
        "'run': {'for': 'PT1S', 'drain': '-PT1S'} | steps[0].run.drain: takes a duration",
        "'do': [{'ends': 'lerner'}] | steps[0].do[0].ends: there is no gang lerner; received"
            + " \"lerner\"; name one that runs, waits or comes; perhaps learner is meant",
        "'do': [{'returns': 'x'}] | steps[0].do[0].returns: there is no gang x; received \"x\";"
            + " name one that runs, waits or comes; there are learner, old",
        "'do': [{'left': 'x'}] | steps[0].do[0].left: there is no gang x",
        "'do': [{'cancelled': 'x'}] | steps[0].do[0].cancelled: there is no gang x",
        "'do': [{'launched': 'x'}] | steps[0].do[0].launched: there is no gang x",
        "'do': [{'launchFails': 'x'}] | steps[0].do[0].launchFails: there is no gang x",
        "'do': [{'granted': {'gang': 'x', 'nodes': 1, 'deadline': 'PT1H'}}] |"
            + " steps[0].do[0].granted.gang: there is no gang x",
        "'do': [{'resized': {'gang': 'x', 'nodes': 1}}] | steps[0].do[0].resized.gang: there is no"
            + " gang x",
        "'do': [{'gone': 'n9'}] | steps[0].do[0].gone: there is no node n9; received \"n9\"; name"
            + " one of the pool; there are n1, n2, n3, n4",
        "'do': [{'health': {'nodes': 'n9', 'is': 'lost'}}] | steps[0].do[0].health.nodes: there is"
            + " no node n9",
        "'do': [{'arrives': [{'gang': 'new', 'queue': 'x'}]}] | steps[0].do[0].arrives[0].queue:"
            + " there is no queue x",
        "'do': [{'arrives': [{'gang': 'new', 'claim': {'nodes': 'n9', 'until': 'PT1H'}}]}] |"
            + " steps[0].do[0].arrives[0].claim.nodes: there is no node n9",
        "'do': [{'uses': [{'queue': 'x'}]}] | steps[0].do[0].uses[0].queue: there is no queue x",
        "'do': [{'coolDowns': [{'zone': 'y', 'shape': 's', 'until': 'PT1H'}]}] |"
            + " steps[0].do[0].coolDowns[0].zone: there is no zone y",
        "'after': 'PT2H', 'do': [{'coolDowns': [{'zone': 'z', 'shape': 's', 'until': 'PT1H'}]}] |"
            + " steps[0].do[0].coolDowns[0].until: it is over at 2026-01-01T02:00:00Z already",
        "'do': [{'nodes': [{'nodes': 'm1', 'at': 'rack=r/zone=z'}]}] |"
            + " steps[0].do[0].nodes[0].at: node m1 has the level rack around zone"
      })
  void refusesSteps(String fields, String message) {
    refused("{START, 'steps': [{" + fields + "}]}", message);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'wait': {'reasons': [{'type': 'Behnd'}]} | wait.reasons: there is no type of reasons"
            + " Behnd; received [{\"type\":\"Behnd\"}]; put another; perhaps Behind is meant",
        "'wait': {'reasons': [{'type': 'Behind', 'ahed': 1}]} | wait.reasons: a reason of type"
            + " Behind has no field ahed",
        "'wait': {'reasons': [{'type': 3}]} | wait.reasons: a reason has a type",
        "'refuse': {'code': 'CANNOT_FIT'} | refuse.code: takes a code of an error",
        "'place': {'count': 2, 'within': 'rak'} | place.within: there is no level rak",
        "'place': {'count': 2, 'perDomain': {'level': 'rak', 'most': 1}} | place.perDomain.level:"
            + " there is no level rak",
        "'place': {'count': 2, 'hops': {'level': 'rak', 'count': 1}} | place.hops.level: there is",
        "'place': {'count': 2, 'domains': {'level': 'rak', 'count': 1}} | place.domains.level:",
        "'place': {'count': 2, 'blocks': [{'level': 'rak', 'ranks': 1}]} | place.blocks[0].level:",
        "'place': {'count': 2, 'roles': [{'role': 'wroker', 'nodes': 1}]} | place.roles[0].role:"
            + " there is no role wroker; received \"wroker\"; name one of a gang; perhaps worker",
        "'launch': {'offer': 'p', 'nodes': 1} | launch.offer: there is no offer p"
      })
  void refusesExpectations(String fields, String message) {
    refused(
        "{START, 'expect': {'gangs': [{'gang': 'learner', " + fields + "}]}}",
        "expect.gangs[0]." + message);
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "'every': 'PT1S' | starts[0].at: no moment is expected",
        "'at': 'PT1S', 'by': 'PT2S' | starts[0].at: one moment and a time around it",
        "'by': 'PT1S', 'notBefore': 'PT2S' | starts[0].notBefore: it is after by"
      })
  void refusesMomentsThatCannotBe(String fields, String message) {
    refused(
        "{START, 'steps': [{'run': {'for': 'PT1H', 'expect': {'starts': [{'gang': 'learner', "
            + fields
            + "}]}}}]}",
        message);
  }

  @Test
  void acceptsNamesThatComeLater() {
    assertThat(
            read("{START, 'steps': [{'do': [{'offers': [{'offer': 'p', 'zone': 'y', 'available':"
                    + " 1}], 'nodes': [{'nodes': 'm1', 'at': 'zone=y/rack=r/cell=c'}]}]}, {'do':"
                    + " [{'arrives': [{'gang': 'new', 'layout': {'preferred': 'cell'}}],"
                    + " 'coolDowns': [{'zone': 'y', 'shape': 's', 'until': 'PT1H'}]}], 'expect':"
                    + " {'gangs': [{'gang': 'new', 'launch': {'offer': 'p', 'nodes': 1}}]}}]}")
                .steps())
        .hasSize(3);
  }

  @Test
  void knowsTheNodesThatLaunchesBringInVirtualTime() {
    String gone = "'steps': [{'run': {'for': 'PT1H'}}, {'do': [{'gone': 'launch-1-%s-0'}]}]}";
    assertThat(read("{START, " + gone.formatted("learner")).steps()).hasSize(2);
    refused("{START, " + gone.formatted("lerner"), "there is no node launch-1-lerner-0");
  }
}
