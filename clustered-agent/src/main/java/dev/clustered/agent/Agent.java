// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.DesiredState;
import dev.clustered.agent.protocol.JoinRequest;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The program on a node: joins the engine, keeps what runs on the node as the engine wants it, and
 * ends it all when the engine has not answered for the length of the lease, and nothing there may
 * run without one, or when it does not know the node any more. Thread-safe.
 */
public final class Agent implements AutoCloseable {

  private static final Logger LOGGER = LoggerFactory.getLogger(Agent.class);

  private static final Duration JOIN_LIMIT = Duration.ofSeconds(60);
  private static final Duration CLOSE_GRACE = Duration.ofSeconds(2);

  /** How much longer than agreed a poll may take before its connection counts as dead. */
  private static final Duration POLL_MARGIN = Duration.ofSeconds(5);

  private final AgentOptions options;
  private final CompletableFuture<Void> ended = new CompletableFuture<>();
  private final Thread thread;
  private volatile boolean closing;
  private volatile @Nullable NodeWorks works;

  private Agent(AgentOptions options) {
    this.options = options;
    thread =
        Thread.ofVirtual()
            .name("clustered-agent-" + options.bootstrap().node())
            .unstarted(this::live);
  }

  /** Starts an agent. Returns at once; the agent joins and works on threads of its own. */
  public static Agent start(AgentOptions options) {
    Agent agent = new Agent(options);
    agent.thread.start();
    return agent;
  }

  /** Completed when the agent has ended, by itself or by {@link #close}, and nothing is left. */
  public CompletableFuture<Void> ended() {
    return ended.copy();
  }

  /**
   * Ends all work with SIGTERM, two seconds and SIGKILL, deletes the directory, and returns when
   * nothing is left. A second call only waits.
   */
  @Override
  public void close() {
    closing = true;
    NodeWorks started = works;
    if (started != null) {
      started.end(Optional.of(CLOSE_GRACE));
    }
    thread.interrupt();
    Uninterrupted.join(thread);
  }

  private void live() {
    try {
      Trees.create(options.directory());
      Session session = join();
      NodeWorks joined = new NodeWorks(options, session);
      works = joined;
      try {
        follow(session, joined);
      } finally {
        joined.end(closing ? Optional.of(CLOSE_GRACE) : Optional.empty());
        joined.awaitEnd();
      }
    } catch (InterruptedException e) {
      // Closed: the way out is the same as for an end of its own.
      LOGGER.debug("Agent closed node={}", options.bootstrap().node());
    } catch (IOException | RuntimeException e) {
      LOGGER.warn("Agent ends by itself node={}", options.bootstrap().node(), e);
    } finally {
      leave();
    }
  }

  private void leave() {
    try {
      Trees.delete(options.directory());
    } catch (IOException | RuntimeException e) {
      LOGGER.warn("Directory not deleted node={}", options.bootstrap().node(), e);
    } finally {
      ended.complete(null);
    }
  }

  private Session join() throws IOException, InterruptedException {
    JoinRequest request =
        new JoinRequest(
            options.bootstrap().node(),
            options.bootstrap().joinToken(),
            options.addresses(),
            ProcessHandle.current().pid());
    Lease limit = new Lease(JOIN_LIMIT, System::nanoTime);
    Backoff backoff = new Backoff();
    while (true) {
      try {
        return Session.join(options.transport(), request);
      } catch (RefusedException e) {
        throw e;
      } catch (IOException e) {
        if (limit.over()) {
          throw e;
        }
        LOGGER.debug("Join failed node={}", options.bootstrap().node(), e);
        backoff.pause();
      }
    }
  }

  /** Polls until the lease is over; returns then. */
  private void follow(Session session, NodeWorks joined) throws IOException, InterruptedException {
    Lease lease = new Lease(session.lease(), System::nanoTime);
    Duration limit = session.poll().plus(POLL_MARGIN);
    Backoff backoff = new Backoff();
    while (!lease.over() || joined.worksAlone()) {
      try {
        Duration left = lease.left();
        Optional<DesiredState> newer =
            session.poll(
                joined.generation(), left.isPositive() && left.compareTo(limit) < 0 ? left : limit);
        lease.renew();
        backoff.reset();
        newer.ifPresent(joined::apply);
      } catch (RefusedException e) {
        throw e;
      } catch (IOException e) {
        LOGGER.debug("Poll failed node={}", options.bootstrap().node(), e);
        backoff.pause();
      }
    }
    LOGGER.warn("Lease is over, agent ends node={}", options.bootstrap().node());
  }
}
