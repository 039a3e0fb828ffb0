// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

import dev.clustered.agent.process.FileFront;
import dev.clustered.agent.protocol.DesiredWork;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Brings a growing log file to the engine, byte for byte, from where the engine says it is, and
 * gives the blocks of what the engine has back to the file system. Holds one buffer, however much
 * is written. Its run belongs to one thread; {@link #finish} to another.
 */
final class LogShipper {

  private static final Logger LOGGER = LoggerFactory.getLogger(LogShipper.class);

  private static final int SMALL_BUFFER = 16 * 1024;
  private static final int LARGE_BUFFER = 1024 * 1024;
  private static final Duration SHORTEST_WAIT = Duration.ofMillis(5);
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(2);

  private final Session session;
  private final DesiredWork work;
  private final Wish wish;
  private final Path log;
  private final FileFront front;
  private volatile boolean complete;
  private ByteBuffer buffer = ByteBuffer.allocateDirect(SMALL_BUFFER);
  private long offset;
  private long lostUntil;

  LogShipper(Session session, DesiredWork work, Wish wish, Path log) {
    this.session = session;
    this.work = work;
    this.wish = wish;
    this.log = log;
    front = new FileFront(log);
  }

  /** Nothing is added to the file any more: the run ends when all of it has been taken. */
  void finish() {
    complete = true;
    wish.poke();
  }

  /**
   * Ships until the file is finished and taken, or nobody wants the work any more.
   *
   * @return the bytes that the engine has
   */
  long run() throws InterruptedException {
    try (FileChannel file = FileChannel.open(log, StandardOpenOption.READ)) {
      Duration wait = SHORTEST_WAIT;
      while (!wish.dropped()) {
        // Read before the size, so that nothing written in between is missed.
        boolean last = complete;
        if (shipAll(file)) {
          wait = SHORTEST_WAIT;
        } else if (last) {
          break;
        } else {
          wish.await(() -> complete || wish.dropped(), wait);
          wait = longer(wait);
        }
      }
    } catch (IOException e) {
      LOGGER.warn("Log cannot be read cluster={} rank={}", work.cluster(), work.rank(), e);
    }
    return offset;
  }

  /** Ships what is there now; whether there was anything. */
  private boolean shipAll(FileChannel file) throws IOException, InterruptedException {
    Backoff backoff = new Backoff();
    boolean shipped = false;
    while (!wish.dropped() && read(file)) {
      shipped = true;
      try {
        offset = session.append(work.cluster(), work.attempt(), work.rank(), offset, buffer);
        front.free(Math.min(offset, file.size()));
        backoff.reset();
        growIfFull();
      } catch (IOException e) {
        LOGGER.debug("Log not taken cluster={} rank={}", work.cluster(), work.rank(), e);
        wish.await(wish::dropped, backoff.next());
      }
    }
    return shipped;
  }

  // After a failure the abandoned request may still look at the buffer; it gets the same bytes
  // again, since the offset is the same and the file only grows.
  private boolean read(FileChannel file) throws IOException {
    buffer.clear();
    if (offset < front.freed()) {
      fill(front.freed());
    } else {
      int unused = file.read(buffer, offset);
    }
    buffer.flip();
    return buffer.hasRemaining();
  }

  /**
   * An engine whose machine went down may ask for what it had and lost. It is told so in as many
   * bytes: those that follow keep their places, and nobody takes what is gone for zeros that a rank
   * wrote.
   */
  private void fill(long until) {
    if (lostUntil != until) {
      lostUntil = until;
      LOGGER.warn(
          "The engine lost bytes of a log that it had taken cluster={} rank={} from={} until={}",
          work.cluster(),
          work.rank(),
          offset,
          until);
      String words =
          "\n=== clustered: %d bytes were lost with the engine".formatted(until - offset);
      buffer.put(
          words.getBytes(StandardCharsets.UTF_8),
          0,
          (int) Math.min(words.length(), until - offset));
    }
    while (buffer.hasRemaining() && offset + buffer.position() < until) {
      buffer.put((byte) (offset + buffer.position() == until - 1 ? '\n' : ' '));
    }
  }

  private void growIfFull() {
    if (buffer.limit() == buffer.capacity() && buffer.capacity() < LARGE_BUFFER) {
      buffer = ByteBuffer.allocateDirect(LARGE_BUFFER);
    }
  }

  private static Duration longer(Duration wait) {
    Duration doubled = wait.multipliedBy(2);
    return doubled.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : doubled;
  }
}
