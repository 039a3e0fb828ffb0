// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.model.ClusterId;
import dev.clustered.model.ClusterNotice;
import dev.clustered.model.ClusterNotice.Kind;
import dev.clustered.model.TerminalSize;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

class DesiredStateJsonTest {

  private static final Optional<ClusterNotice> NONE = Optional.empty();

  private static final ClusterNotice NOTICE =
      new ClusterNotice(
          Kind.INTERRUPTION,
          OptionalInt.of(3),
          Optional.of(Instant.parse("2026-01-01T00:00:20Z")),
          "it is taken back");

  private static final ClusterNotice BARE =
      new ClusterNotice(Kind.MAINTENANCE, OptionalInt.empty(), Optional.empty(), "");

  private static DesiredState state(Preamble preamble, Optional<ClusterNotice> notice) {
    return new DesiredState(
        4,
        List.of(
            new DesiredWork(
                new ClusterId("c-1"),
                2,
                1,
                DesiredWork.Step.JOIN,
                Map.of("MASTER_ADDR", "fd00::1"),
                preamble,
                Duration.ofSeconds(5),
                notice)));
  }

  @Test
  void readsBackAsItWasWritten() {
    for (Preamble preamble :
        List.of(
            Preamble.NONE,
            new Preamble(
                List.of("deepspeed", "--master_addr", "fd00::1", "", "a b\n\"ü"),
                Map.of("hostfile", "rank-0 slots=2\nrank-1 slots=2\n")),
            new Preamble(
                List.of(),
                Map.of(),
                List.of(Map.of("RANK", "0"), Map.of("RANK", "1")),
                List.of("../files/worker", "a.Leader"),
                List.of("ray")))) {
      for (Optional<ClusterNotice> notice : List.of(Optional.of(NOTICE), Optional.of(BARE), NONE)) {
        DesiredState state = state(preamble, notice);
        String json = Json.mapper().writeValueAsString(state);
        assertThat(Json.mapper().readValue(json, DesiredState.class)).as(json).isEqualTo(state);
      }
    }
  }

  @Test
  void whatAnOlderEngineLeavesOutIsNothing() {
    assertThat(
            Json.mapper().readValue("{\"arguments\":[\"torchrun\"],\"files\":{}}", Preamble.class))
        .isEqualTo(new Preamble(List.of("torchrun"), Map.of()));
  }

  @Test
  void theFormIsStable() {
    Preamble preamble = new Preamble(List.of("torchrun"), Map.of("f", "t\n"));
    assertThat(Json.mapper().writeValueAsString(state(preamble, NONE)))
        .isEqualTo(
            "{\"generation\":4,\"work\":[{\"cluster\":\"c-1\",\"attempt\":2,\"rank\":1,\"step\":\"JOIN\",\"contract\":{\"MASTER_ADDR\":\"fd00::1\"},\"preamble\":{\"arguments\":[\"torchrun\"],\"files\":{\"f\":\"t\\n"
                + "\"},\"processes\":[],\"companion\":[],\"programs\":[]},"
                + "\"grace\":\"PT5S\",\"notice\":null,\"hung\":null,\"alone\":null}],\"execs\":[]}");
  }

  @Test
  void whatIsSaidOfHangsReadsBackAndMayBeAbsent() {
    DesiredWork work = state(Preamble.NONE, NONE).work().getFirst();
    DesiredWork hung =
        new DesiredWork(
            work.cluster(),
            work.attempt(),
            work.rank(),
            DesiredWork.Step.STOP,
            work.contract(),
            work.preamble(),
            work.grace(),
            work.notice(),
            Optional.of("nobody wrote anything"));
    String json = Json.mapper().writeValueAsString(hung);
    assertThat(Json.mapper().readValue(json, DesiredWork.class)).isEqualTo(hung);
    String older = json.replace(",\"hung\":\"nobody wrote anything\"", "");
    assertThat(older).doesNotContain("hung");
    assertThat(Json.mapper().readValue(older, DesiredWork.class).hung()).isEmpty();
    Optional<Duration> some = Optional.of(Duration.ofSeconds(3));
    ObservedWork observed =
        new ObservedWork(
            work.cluster(),
            2,
            1,
            new ObservedWork.Status.Running(7),
            Optional.of(
                new ObservedWork.Stillness(
                    some,
                    Optional.empty(),
                    some,
                    some,
                    Optional.of(
                        new ObservedWork.Gpus(
                            List.of("0"), List.of("1"), some.get(), Optional.of("no driver"))))));
    String told = Json.mapper().writeValueAsString(observed);
    assertThat(Json.mapper().readValue(told, ObservedWork.class)).isEqualTo(observed);
    String withoutGpus =
        "{\"cluster\":\"c-1\",\"attempt\":2,\"rank\":1,"
            + "\"status\":{\"type\":\"Running\",\"processId\":7},"
            + "\"stillness\":{\"quiet\":\"PT3S\",\"idle\":null,\"late\":null}}";
    assertThat(Json.mapper().readValue(withoutGpus, ObservedWork.class).stillness())
        .contains(
            new ObservedWork.Stillness(
                some, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty()));
    String before =
        "{\"cluster\":\"c-1\",\"attempt\":2,\"rank\":1,"
            + "\"status\":{\"type\":\"Running\",\"processId\":7}}";
    assertThat(Json.mapper().readValue(before, ObservedWork.class).stillness()).isEmpty();
    String document =
        "{\"environment\":{},\"files\":{},\"volumes\":[],\"firstPort\":1,\"lastPort\":2}";
    assertThat(Json.mapper().readValue(document, WorkDocument.class).hangPolicy()).isEmpty();
  }

  @Test
  void commandsBesideWorksReadBackAndMayBeAbsent() {
    DesiredExec exec =
        new DesiredExec(
            "ex-1",
            new ClusterId("c-1"),
            2,
            1,
            Optional.of(new TerminalSize(80, 24)),
            List.of(new DesiredExec.SentSignal(15, 3)));
    DesiredState state = new DesiredState(4, List.of(), List.of(exec));
    String json = Json.mapper().writeValueAsString(state);
    assertThat(json)
        .isEqualTo(
            "{\"generation\":4,\"work\":[],\"execs\":[{\"id\":\"ex-1\",\"cluster\":\"c-1\","
                + "\"attempt\":2,\"rank\":1,\"terminal\":{\"columns\":80,\"rows\":24},"
                + "\"signals\":[{\"signal\":15,\"sending\":3}],\"wanted\":\"RUN\"}]}");
    assertThat(Json.mapper().readValue(json, DesiredState.class)).isEqualTo(state);
    assertThat(Json.mapper().readValue("{\"generation\":4,\"work\":[]}", DesiredState.class))
        .isEqualTo(new DesiredState(4, List.of()));
    String bare =
        "{\"generation\":4,\"work\":[],\"execs\":[{\"id\":\"ex-1\",\"cluster\":\"c-1\","
            + "\"attempt\":2,\"rank\":1}]}";
    assertThat(Json.mapper().readValue(bare, DesiredState.class).execs())
        .containsExactly(
            new DesiredExec("ex-1", new ClusterId("c-1"), 2, 1, Optional.empty(), List.of()));
  }
}
