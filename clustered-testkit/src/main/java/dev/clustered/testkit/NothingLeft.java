// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A JUnit extension that fails a test which leaves something behind. Compared with the moment
 * before the test's own set-up, there must be no more
 *
 * <ul>
 *   <li>process: a descendant of this JVM, one of this JVM's process group, or one whose
 *       environment has a variable of the contract ({@code CLUSTERED_…}) and that no other program
 *       holds;
 *   <li>platform thread, but those that the JDK keeps for itself; virtual threads cannot be listed;
 *   <li>listening TCP socket or bound UDP socket of this JVM;
 *   <li>directory in {@code java.io.tmpdir} whose name begins with {@code clustered-}.
 * </ul>
 *
 * <p>What is left gets five seconds to go away; the failure lists all of it. Sockets and processes
 * that are no descendants are seen on Linux only. What is looked at belongs to the whole JVM, so
 * tests that use this extension do not run in parallel. Used by {@code
 * ExtendWith(NothingLeft.class)} or as a field with {@code RegisterExtension}; register it before
 * other extensions, so that it looks after them. Immutable and thread-safe.
 */
public final class NothingLeft implements BeforeEachCallback, AfterEachCallback {

  private static final Duration PATIENCE = Duration.ofSeconds(5);
  private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
  private static final ExtensionContext.Namespace NAMESPACE =
      ExtensionContext.Namespace.create(NothingLeft.class);

  private final Duration patience;

  /** For JUnit and for fields. */
  public NothingLeft() {
    this(PATIENCE);
  }

  NothingLeft(Duration patience) {
    this.patience = patience;
  }

  /** One kind of thing that may be left, compared with the moment this was made. */
  interface Watch {
    /** A description of everything that is there now and was not then. */
    List<String> left();
  }

  private record Watches(List<Watch> all) {

    static Watches begin() {
      return new Watches(
          List.of(
              ProcessWatch.begin(),
              ThreadWatch.begin(),
              SocketWatch.begin(),
              DirectoryWatch.begin()));
    }

    List<String> left() {
      List<String> found = new ArrayList<>();
      all.forEach(watch -> found.addAll(watch.left()));
      return found;
    }
  }

  @Override
  public void beforeEach(ExtensionContext context) {
    context.getStore(NAMESPACE).put(Watches.class, Watches.begin());
  }

  @Override
  public void afterEach(ExtensionContext context) {
    Watches watches = context.getStore(NAMESPACE).get(Watches.class, Watches.class);
    if (watches == null) {
      return;
    }
    List<String> left = watches.left();
    long deadline = System.nanoTime() + patience.toNanos();
    while (!left.isEmpty() && System.nanoTime() < deadline) {
      LockSupport.parkNanos(PAUSE_NANOS);
      left = watches.left();
    }
    if (!left.isEmpty()) {
      throw new AssertionError(
          "%s left %d things behind that were still there after %s:%n%s"
              .formatted(
                  context.getDisplayName(),
                  left.size(),
                  patience,
                  String.join(System.lineSeparator(), left)));
    }
  }
}
