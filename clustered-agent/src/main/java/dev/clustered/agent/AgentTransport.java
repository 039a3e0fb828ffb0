// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import javax.net.ssl.SSLParameters;

/**
 * The way to one engine: an HTTP client that accepts one certificate. Shared by all agents of a JVM
 * that dial the same engine. Thread-safe.
 */
public final class AgentTransport implements AutoCloseable {

  private static final Duration CONNECT_LIMIT = Duration.ofSeconds(5);

  private final URI control;
  private final ExecutorService executor;
  private final HttpClient client;

  private AgentTransport(URI control, PinnedCertificate certificate) {
    this.control = control;
    executor =
        Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("clustered-transport-", 0).factory());
    client =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(CONNECT_LIMIT)
            .sslContext(certificate.context())
            .sslParameters(new SSLParameters(null, new String[] {"TLSv1.3"}))
            .executor(executor)
            .build();
  }

  /**
   * A way to the engine at an address; dials only when used.
   *
   * @param control an HTTPS address without path
   * @param certificateSha256 SHA-256 of the only certificate to accept, in lower-case hex
   */
  public static AgentTransport open(URI control, String certificateSha256) {
    if (!"https".equals(control.getScheme()) || control.getHost() == null) {
      throw new IllegalArgumentException(
          "the control endpoint must be an https address with a host; received: " + control);
    }
    return new AgentTransport(control, new PinnedCertificate(certificateSha256));
  }

  HttpRequest.Builder request(String pathAndQuery) {
    return HttpRequest.newBuilder(control.resolve(pathAndQuery));
  }

  HttpResponse<byte[]> send(HttpRequest request) throws IOException, InterruptedException {
    return client.send(request, HttpResponse.BodyHandlers.ofByteArray());
  }

  /** The answer as it comes; its body must be closed. */
  HttpResponse<InputStream> stream(HttpRequest request) throws IOException, InterruptedException {
    return client.send(request, HttpResponse.BodyHandlers.ofInputStream());
  }

  /** Ends what is under way and returns when no thread is left. */
  @Override
  public void close() {
    client.shutdownNow();
    client.close();
    executor.close();
  }
}
