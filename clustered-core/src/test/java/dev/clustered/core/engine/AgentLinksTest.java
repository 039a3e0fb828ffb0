// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.clustered.agent.protocol.JoinReply;
import dev.clustered.agent.protocol.JoinRequest;
import dev.clustered.agent.protocol.ObservedState;
import dev.clustered.core.engine.logs.LogStore;
import dev.clustered.model.NodeId;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentLinksTest {

  private static final NodeId NODE = new NodeId("nd-a");

  @TempDir private Path directory;
  private final List<String> arrivals = new ArrayList<>();
  private AgentLinks links;

  @BeforeEach
  void open() {
    EngineConfig config = Configs.of(directory);
    AgentLinks.Inbox inbox =
        new AgentLinks.Inbox() {
          @Override
          public void joined(NodeId node, String address) {
            arrivals.add(node + " at " + address);
          }

          @Override
          public void observed(NodeId node, ObservedState state) {
            throw new AssertionError("nothing was observed");
          }
        };
    links = new AgentLinks(System::nanoTime, config, new LogStore(directory), inbox);
  }

  private Optional<JoinReply> join(String token) {
    return links.join(new JoinRequest(NODE, token, List.of("127.64.0.1"), 1));
  }

  @Test
  void aNodeHasArrivedOnceItsSessionIsUsed() {
    JoinReply reply = join(links.expect(NODE)).orElseThrow();
    assertThat(arrivals).isEmpty();
    assertThat(links.admits(NODE, reply.session())).isTrue();
    assertThat(links.admits(NODE, reply.session())).isTrue();
    assertThat(arrivals).containsExactly("nd-a at 127.64.0.1");
  }

  @Test
  void aJoinWhoseAnswerWasLostIsRepeatedAndOnlyTheLastSessionCounts() {
    String token = links.expect(NODE);
    JoinReply lost = join(token).orElseThrow();
    JoinReply second = join(token).orElseThrow();
    assertThat(links.admits(NODE, lost.session())).isFalse();
    assertThat(links.admits(NODE, second.session())).isTrue();
    assertThat(arrivals).hasSize(1);
  }

  @Test
  void aTokenIsVoidOnceItsSessionWasUsed() {
    String token = links.expect(NODE);
    JoinReply reply = join(token).orElseThrow();
    assertThat(links.admits(NODE, reply.session())).isTrue();
    assertThat(join(token)).isEmpty();
    assertThat(links.admits(NODE, reply.session())).isTrue();
  }

  @Test
  void aForgottenNodeIsRefused() {
    String token = links.expect(NODE);
    JoinReply reply = join(token).orElseThrow();
    links.forget(NODE);
    assertThat(links.admits(NODE, reply.session())).isFalse();
    assertThat(join(token)).isEmpty();
    assertThat(arrivals).isEmpty();
  }
}
