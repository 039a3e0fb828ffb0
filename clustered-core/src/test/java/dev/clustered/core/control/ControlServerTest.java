// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.control;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.clustered.agent.protocol.DesiredState;
import dev.clustered.agent.protocol.ExecDocument;
import dev.clustered.agent.protocol.ExecEnd;
import dev.clustered.agent.protocol.JoinReply;
import dev.clustered.agent.protocol.JoinRequest;
import dev.clustered.agent.protocol.ObservedState;
import dev.clustered.agent.protocol.WorkDocument;
import dev.clustered.core.control.Refusals.Reason;
import dev.clustered.model.ClusterId;
import dev.clustered.model.NodeId;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.InstantSource;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;

class ControlServerTest {

  private static final String GOOD = "good";

  private final RecordingGateway gateway = new RecordingGateway();
  private final ControlServer server = ControlServer.open(gateway, InstantSource.system());
  private final HttpClient client = client(server.certificate());

  @AfterEach
  void close() {
    client.close();
    server.close();
  }

  @Test
  void letsAnAgentInThatHasTheToken() throws Exception {
    assertThat(
            post(
                "/v1/join",
                "{\"node\":\"nd-1\",\"token\":\"good\",\"addresses\":[\"127.0.0.1\"]}",
                ""))
        .isEqualTo(200);
  }

  @Test
  void refusesAndCountsAWrongToken() throws Exception {
    assertThat(post("/v1/join", "{\"node\":\"nd-1\",\"token\":\"bad\",\"addresses\":[]}", ""))
        .isEqualTo(403);
    assertThat(server.refusals().count(Reason.JOIN_TOKEN)).isEqualTo(1);
  }

  @Test
  void refusesAndCountsWhatIsNoDocument() throws Exception {
    for (String body : List.of("", "{", "[]", "null", "7", "{\"node\":\"NOT A NAME\"}", "\0")) {
      assertThat(post("/v1/join", body, "")).as(body).isEqualTo(400);
    }
    assertThat(server.refusals().count(Reason.MALFORMED)).isEqualTo(7);
  }

  @Test
  void refusesAndCountsAnOversizedBody() throws Exception {
    assertThat(post("/v1/poll", " ".repeat(1 << 17), GOOD)).isEqualTo(413);
    assertThat(server.refusals().count(Reason.OVERSIZED)).isEqualTo(1);
  }

  @Test
  void refusesAndCountsARequestWithoutItsSession() throws Exception {
    for (String path : List.of("/v1/poll", "/v1/observed", "/v1/logs/cl-1/1/0?offset=0", "/x")) {
      assertThat(post(path, "{}", "")).as(path).isEqualTo(401);
      assertThat(post(path, "{}", "other")).as(path).isEqualTo(401);
    }
    assertThat(server.refusals().count(Reason.SESSION)).isEqualTo(8);
    assertThat(gateway.reports).isEmpty();
  }

  @Test
  void refusesPathsThatAreNone() throws Exception {
    for (String path :
        List.of("/", "/v1/work/../1", "/v1/logs/cl-1/1/x?offset=0", "/v1/logs/cl-1/-1/0", "/v2")) {
      assertThat(post(path, "{}", GOOD)).as(path).isEqualTo(404);
    }
  }

  @Test
  void refusesLogsWithoutAnOffset() throws Exception {
    for (String query : List.of("", "?offset=", "?offset=-1", "?offset=x", "?from=1")) {
      assertThat(post("/v1/logs/cl-1/1/0" + query, "x", GOOD)).as(query).isEqualTo(400);
    }
  }

  @Test
  void takesTheOutputAndTheEndOfACommandAndHandsItsInputOut() throws Exception {
    assertThat(post("/v1/exec/ex-1/output?offset=5", "abc", GOOD)).isEqualTo(200);
    assertThat(post("/v1/exec/ex-1/error?offset=0", "", GOOD)).isEqualTo(200);
    assertThat(post("/v1/exec/ex-1/unwanted", "", GOOD)).isEqualTo(204);
    String end = "{\"end\":{\"type\":\"Code\",\"code\":3}}";
    assertThat(post("/v1/exec/ex-1/end", end, GOOD)).isEqualTo(204);
    assertThat(gateway.execs.calls)
        .containsExactly("OUTPUT 5", "ERROR 0", "unwanted", "Optional[exit code 3]");
    HttpResponse<String> first = input(0);
    assertThat(first.body()).isEqualTo("input");
    assertThat(first.headers().firstValue("Clustered-Input-End")).isEmpty();
    HttpResponse<String> last = input(5);
    assertThat(last.statusCode()).isEqualTo(200);
    assertThat(last.body()).isEmpty();
    assertThat(last.headers().firstValue("Clustered-Input-End")).contains("true");
  }

  private HttpResponse<String> input(int offset) throws Exception {
    return client.send(
        request("/v1/exec/ex-1/input?offset=" + offset, "", GOOD), BodyHandlers.ofString());
  }

  @Test
  void refusesWhatIsAskedOfACommandThatIsOver() throws Exception {
    for (String what : List.of("output?offset=0", "error?offset=0", "input?offset=0", "unwanted")) {
      assertThat(post("/v1/exec/ex-2/" + what, "", GOOD)).as(what).isEqualTo(404);
    }
    assertThat(post("/v1/exec/ex-2/end", "{}", GOOD)).isEqualTo(404);
    assertThat(post("/v1/exec/ex-1/other", "", GOOD)).isEqualTo(404);
    assertThat(post("/v1/exec/ex-1", "", GOOD)).isEqualTo(405);
    assertThat(post("/v1/exec/ex-1/output", "", GOOD)).isEqualTo(400);
    assertThat(post("/v1/exec/ex-1/end", "[", GOOD)).isEqualTo(400);
    assertThat(post("/v1/exec/ex-1/unwanted", "", "")).isEqualTo(401);
  }

  @Test
  void goesOnServingAfterEveryRefusal() throws Exception {
    assertThat(post("/v1/join", "{", "")).isEqualTo(400);
    assertThat(post("/v1/poll", " ".repeat(1 << 17), GOOD)).isEqualTo(413);
    assertThat(post("/v1/poll", "{}", "")).isEqualTo(401);
    assertThat(post("/v1/observed", "{\"sequence\":1,\"generation\":1,\"work\":[]}", GOOD))
        .isEqualTo(204);
    assertThat(gateway.reports).hasSize(1);
  }

  /** A refusal that ends the connection may be lost with it, and cost a handshake if not. */
  @RepeatedTest(200)
  void answersEveryRefusalBeforeItsBodyIsRead() throws Exception {
    assertThat(post("/v1/poll", "x".repeat(5_000), "")).isEqualTo(401);
    assertThat(post("/nowhere", "x".repeat(5_000), GOOD)).isEqualTo(404);
  }

  @Test
  void anotherCertificateIsNotTaken() {
    try (HttpClient stranger = client("00".repeat(32))) {
      assertThatThrownBy(
              () -> stranger.send(request("/v1/poll", "{}", GOOD), BodyHandlers.discarding()))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("certificate");
    }
  }

  private int post(String path, String body, String session) throws Exception {
    try {
      return client.send(request(path, body, session), BodyHandlers.discarding()).statusCode();
    } catch (IOException e) {
      throw new AssertionError("no answer from " + path + " to a body of " + body.length(), e);
    }
  }

  private HttpRequest request(String path, String body, String session) {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create(server.address() + path))
            .timeout(Duration.ofSeconds(20))
            .POST(BodyPublishers.ofString(body));
    if (!session.isEmpty()) {
      builder.header("Authorization", "Bearer " + session).header("Clustered-Node", "nd-1");
    }
    return builder.build();
  }

  private static HttpClient client(String pin) {
    try {
      SSLContext context = SSLContext.getInstance("TLSv1.3");
      context.init(null, new TrustManager[] {new Pinned(pin)}, null);
      return HttpClient.newBuilder()
          .sslContext(context)
          .version(HttpClient.Version.HTTP_1_1)
          .build();
    } catch (java.security.GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static final class Pinned extends X509ExtendedTrustManager {
    private final String pin;

    Pinned(String pin) {
      this.pin = pin;
    }

    private void check(X509Certificate[] chain) throws CertificateException {
      try {
        byte[] digest = MessageDigest.getInstance("SHA-256").digest(chain[0].getEncoded());
        if (!HexFormat.of().formatHex(digest).equals(pin)) {
          throw new CertificateException("another certificate");
        }
      } catch (java.security.NoSuchAlgorithmException e) {
        throw new CertificateException(e);
      }
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type, java.net.Socket socket)
        throws CertificateException {
      check(chain);
    }

    @Override
    public void checkServerTrusted(
        X509Certificate[] chain, String type, javax.net.ssl.SSLEngine engine)
        throws CertificateException {
      check(chain);
    }

    @Override
    public void checkServerTrusted(X509Certificate[] chain, String type)
        throws CertificateException {
      check(chain);
    }

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type, java.net.Socket socket) {}

    @Override
    public void checkClientTrusted(
        X509Certificate[] chain, String type, javax.net.ssl.SSLEngine engine) {}

    @Override
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    @Override
    public X509Certificate[] getAcceptedIssuers() {
      return new X509Certificate[0];
    }
  }

  private static final class RecordingGateway implements AgentGateway {
    private final List<ObservedState> reports = new CopyOnWriteArrayList<>();
    private final RecordingExecs execs = new RecordingExecs();

    @Override
    public Optional<JoinReply> join(JoinRequest request) {
      return request.token().equals(GOOD)
          ? Optional.of(new JoinReply("s", Duration.ofSeconds(1), Duration.ofSeconds(1)))
          : Optional.empty();
    }

    @Override
    public boolean admits(NodeId node, String session) {
      return session.equals(GOOD);
    }

    @Override
    public Optional<DesiredState> poll(NodeId node, long generation) {
      return Optional.empty();
    }

    @Override
    public void observed(NodeId node, ObservedState state) {
      reports.add(state);
    }

    @Override
    public Optional<WorkDocument> work(NodeId node, ClusterId cluster, int attempt) {
      return Optional.empty();
    }

    @Override
    public Optional<BlobSource> blobs(NodeId node, ClusterId cluster, int attempt) {
      return Optional.empty();
    }

    @Override
    public Optional<Long> logs(
        NodeId node, ClusterId cluster, int attempt, int rank, long offset, InputStream bytes) {
      return Optional.of(offset);
    }

    @Override
    public ExecGateway execs() {
      return execs;
    }
  }

  /** Knows one command, {@code ex-1}. */
  private static final class RecordingExecs implements ExecGateway {
    private final List<String> calls = new CopyOnWriteArrayList<>();

    private <T> Optional<T> known(String exec, String call, T answer) {
      calls.add(call);
      return exec.equals("ex-1") ? Optional.of(answer) : Optional.empty();
    }

    @Override
    public Optional<ExecDocument> document(NodeId node, String exec) {
      return known(exec, "document", new ExecDocument(List.of("true"), true));
    }

    @Override
    public Optional<Long> output(
        NodeId node, String exec, Stream stream, long offset, InputStream bytes)
        throws IOException {
      return known(exec, stream + " " + offset, offset + bytes.readAllBytes().length);
    }

    @Override
    public Optional<InputPart> input(NodeId node, String exec, long offset) {
      byte[] bytes = "input".substring((int) offset).getBytes(StandardCharsets.UTF_8);
      return known(exec, "input " + offset, new InputPart(bytes, offset > 0));
    }

    @Override
    public boolean inputUnwanted(NodeId node, String exec) {
      return known(exec, "unwanted", true).isPresent();
    }

    @Override
    public boolean ended(NodeId node, String exec, ExecEnd end) {
      return known(exec, "" + end.end(), true).isPresent();
    }
  }
}
