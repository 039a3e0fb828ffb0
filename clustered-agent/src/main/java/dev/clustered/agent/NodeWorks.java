// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.protocol.DesiredState;
import java.time.Duration;
import java.util.Optional;

/** What a joined agent keeps: its works, commands beside them, and the reports. Thread-safe. */
final class NodeWorks implements AgentWork.Host, AgentExec.Host {

  private final AgentOptions options;
  private final Session session;
  private final BlobCache blobs;
  private final WorkTable table = new WorkTable(desired -> AgentWork.start(this, desired));
  private final AgentExecs execs = new AgentExecs(this);
  private final Reporter reporter;

  NodeWorks(AgentOptions options, Session session) {
    this.options = options;
    this.session = session;
    blobs = new BlobCache(options.directory().resolve("blobs"), BlobCache.LARGEST);
    reporter = Reporter.start(session, options.bootstrap().node().value(), table::observed);
  }

  long generation() {
    return table.generation();
  }

  void apply(DesiredState newer) {
    if (table.apply(newer)) {
      execs.apply(newer.execs());
    }
    changed();
  }

  /** Whether something there may run on without an engine; what may not is ended then. */
  boolean worksAlone() {
    return table.worksAlone();
  }

  /** Starts ending all works, each with this grace or else its own. */
  void end(Optional<Duration> grace) {
    table.end(grace);
    execs.end();
  }

  /** Returns when every work has ended and no thread is left. */
  void awaitEnd() {
    table.awaitEmpty();
    execs.awaitEmpty();
    reporter.stop();
  }

  @Override
  public AgentOptions options() {
    return options;
  }

  @Override
  public Session session() {
    return session;
  }

  @Override
  public BlobCache blobs() {
    return blobs;
  }

  @Override
  public Optional<RankRun> run(WorkKey work) {
    return table.find(work).flatMap(AgentWork::running);
  }

  @Override
  public void gone(AgentExec exec) {
    execs.remove(exec);
  }

  @Override
  public void changed() {
    reporter.changed();
  }

  @Override
  public void gone(AgentWork work) {
    table.remove(work);
    changed();
  }
}
