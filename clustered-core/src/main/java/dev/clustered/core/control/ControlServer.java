// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.control;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

/**
 * The engine's one HTTPS port: TLS 1.3 with a certificate of its own, a virtual thread for each
 * request. Thread-safe.
 */
public final class ControlServer implements AutoCloseable {

  /**
   * What the JDK's server reads once, when its first instance in this JVM is made; left alone where
   * somebody has set it. Its default of 200 idle connections would cut off most agents of a large
   * cluster whenever their polls end together, and each would have to shake hands again.
   */
  private static final Map<String, String> SERVER_DEFAULTS =
      Map.of(
          "sun.net.httpserver.maxIdleConnections", "20000", "sun.net.httpserver.nodelay", "true");

  private static final Duration PORT_PATIENCE = Duration.ofSeconds(15);
  private static final Duration PORT_PAUSE = Duration.ofMillis(50);

  private final HttpsServer server;
  private final ExecutorService executor;
  private final Certificate certificate;
  private final Refusals refusals = new Refusals();
  private final Transfers transfers = new Transfers();

  private ControlServer(HttpsServer server, Certificate certificate) {
    this.server = server;
    this.certificate = certificate;
    this.executor =
        Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("clustered-control-", 0).factory());
  }

  /**
   * Opens an endpoint with a certificate of its own on a free port of the loopback address.
   *
   * @throws UncheckedIOException when no port can be had
   */
  public static ControlServer open(AgentGateway gateway, InstantSource clock) {
    return open(gateway, Certificate.create(clock.instant(), new SecureRandom()), 0);
  }

  /**
   * Opens an endpoint on the loopback address.
   *
   * @param port 0 for a free one
   * @throws UncheckedIOException when the port cannot be had
   */
  public static ControlServer open(AgentGateway gateway, Certificate certificate, int port) {
    try {
      SERVER_DEFAULTS.forEach(ControlServer::setUnlessSet);
      HttpsServer server = listen(port);
      ControlServer control = new ControlServer(server, certificate);
      server.setHttpsConfigurator(new HttpsConfigurator(certificate.context()));
      server.setExecutor(control.executor);
      server.createContext("/", new ControlHandler(gateway, control.refusals, control.transfers));
      server.start();
      return control;
    } catch (IOException e) {
      throw new UncheckedIOException(
          "the engine cannot open its control endpoint on %s"
              .formatted(port == 0 ? "a free port" : "port " + port),
          e);
    }
  }

  /** Where a port is given, the engine that had it may be about to leave it. */
  private static HttpsServer listen(int port) throws IOException {
    InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    long begin = System.nanoTime();
    while (true) {
      try {
        return HttpsServer.create(address, 1024);
      } catch (BindException e) {
        if (port == 0 || System.nanoTime() - begin > PORT_PATIENCE.toNanos()) {
          throw e;
        }
        LockSupport.parkNanos(PORT_PAUSE.toNanos());
      }
    }
  }

  private static void setUnlessSet(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }

  /** Where agents dial. */
  public URI address() {
    InetSocketAddress bound = server.getAddress();
    return URI.create("https://" + bound.getAddress().getHostAddress() + ":" + bound.getPort());
  }

  /** The pin of the endpoint's certificate: its SHA-256 in lower-case hex. */
  public String certificate() {
    return certificate.sha256();
  }

  /** What was refused so far. */
  public Refusals refusals() {
    return refusals;
  }

  /** What was sent of files so far. */
  public Transfers transfers() {
    return transfers;
  }

  /** Closes the port and every connection, and returns when no request is being handled. */
  @Override
  public void close() {
    server.stop(0);
    executor.shutdownNow();
    executor.close();
  }
}
