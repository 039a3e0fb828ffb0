// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.logs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.FileChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Where the bytes of one log are kept: the first half of its limit in one file, what comes after in
 * pieces, of which the oldest go when the other half is used up. So the beginning and the end
 * survive, nothing is written twice, and the limit is exceeded by a piece at most. One thread
 * writes; any number read.
 */
final class LogFiles {

  private static final long SMALLEST_PIECE = 1 << 16;
  private static final long LARGEST_PIECE = 1 << 26;

  private final Path file;
  private final long head;
  private final long piece;
  private final int mostPieces;
  private Optional<FileChannel> channel = Optional.empty();

  /** The number of the piece that is written; −1 for the head. */
  private long writing = -1;

  /** The first piece that is still there. */
  private volatile long firstPiece;

  /**
   * Files that are made when they are needed.
   *
   * @param file the head; pieces stand beside it, with a number after its name
   * @param limit bytes that are kept at most, beside a piece
   */
  LogFiles(Path file, long limit) {
    this.file = file;
    this.piece = Math.clamp(limit / 16, SMALLEST_PIECE, LARGEST_PIECE);
    this.head = Math.max(piece, limit / 2);
    this.mostPieces = Math.clamp((limit - head) / piece, 1, Integer.MAX_VALUE);
  }

  /** Makes the head, or goes on where an engine before this one ended; gives where that is. */
  long open() throws IOException {
    Files.createDirectories(file.getParent());
    List<Long> pieces = pieces();
    if (!pieces.isEmpty()) {
      firstPiece = pieces.getFirst();
      writing = pieces.getLast();
    }
    channel =
        Optional.of(
            FileChannel.open(path(writing), StandardOpenOption.CREATE, StandardOpenOption.WRITE));
    return begin(writing) + channel.get().size();
  }

  /** The numbers of those that are there without a gap, up to the last. */
  private List<Long> pieces() throws IOException {
    String prefix = file.getFileName() + ".";
    TreeSet<Long> found = new TreeSet<>();
    try (DirectoryStream<Path> beside =
        Files.newDirectoryStream(file.getParent(), prefix + "[0-9]*")) {
      for (Path piece : beside) {
        found.add(Long.parseLong(piece.getFileName().toString().substring(prefix.length())));
      }
    }
    List<Long> last = new ArrayList<>();
    for (long number : found.descendingSet()) {
      if (!last.isEmpty() && last.getFirst() != number + 1) {
        break; // One that was to be dropped when the engine ended.
      }
      last.addFirst(number);
    }
    return last;
  }

  /** Writes some of the bytes at their place in the whole log, which is its end. */
  int write(long position, ByteBuffer bytes) throws IOException {
    long number = pieceAt(position);
    if (number != writing) {
      roll(number);
    }
    long left = begin(number) + length(number) - position;
    ByteBuffer part = bytes.duplicate();
    part.limit((int) Math.min(part.limit(), part.position() + left));
    int written = channel.orElseThrow().write(part, position - begin(number));
    bytes.position(part.position());
    return written;
  }

  private void roll(long number) throws IOException {
    close();
    channel =
        Optional.of(
            FileChannel.open(
                path(number), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE));
    writing = number;
    // The one that is written is kept beside the half.
    for (long old = firstPiece; old < number - mostPieces; old++) {
      firstPiece = old + 1; // First, so that no reader looks for what is gone.
      Files.deleteIfExists(path(old));
    }
  }

  void close() throws IOException {
    if (channel.isPresent()) {
      channel.get().close();
    }
  }

  private long pieceAt(long position) {
    return position < head ? -1 : (position - head) / piece;
  }

  private long begin(long number) {
    return number < 0 ? 0 : head + number * piece;
  }

  private long length(long number) {
    return number < 0 ? head : piece;
  }

  private Path path(long number) {
    return number < 0 ? file : file.resolveSibling(file.getFileName() + "." + number);
  }

  Path file() {
    return file;
  }

  /** Where the log goes on after a position that was dropped; the same where it was not. */
  long keptFrom(long position) {
    long first = begin(firstPiece);
    return position >= head && position < first ? first : position;
  }

  /** Where the bytes right before a position begin that are there without a gap. */
  long keptBefore(long position) {
    long first = firstPiece;
    return position > head && first > 0 ? begin(first) : 0;
  }

  /** A reader with channels of its own. */
  Reader reader() {
    return new Reader();
  }

  /** Reads at any place of the log. Not thread-safe, but may be closed from any thread. */
  final class Reader implements AutoCloseable {
    private Optional<FileChannel> open = Optional.empty();
    private long reading = Long.MIN_VALUE;
    private boolean closed;

    /**
     * Reads some bytes that are stored.
     *
     * @return how many; 0 when they are dropped, and {@link #keptFrom} tells where the log goes on
     */
    int read(long position, ByteBuffer target) throws IOException {
      if (keptFrom(position) != position) {
        return 0;
      }
      long number = pieceAt(position);
      try {
        FileChannel channel = channel(number);
        ByteBuffer part = target.duplicate();
        long left = begin(number) + length(number) - position;
        part.limit((int) Math.min(part.limit(), part.position() + left));
        int read = channel.read(part, position - begin(number));
        target.position(part.position());
        return Math.max(0, read);
      } catch (NoSuchFileException e) {
        if (keptFrom(position) != position) {
          return 0; // It was dropped meanwhile.
        }
        throw e;
      }
    }

    private synchronized FileChannel channel(long number) throws IOException {
      if (closed) { // A file that is opened now would stay open.
        throw new ClosedChannelException();
      }
      if (number != reading || open.isEmpty()) {
        // Opened first: where the piece is gone meanwhile, the reader still has the one before.
        FileChannel next = FileChannel.open(path(number));
        closeChannel();
        open = Optional.of(next);
        reading = number;
      }
      return open.get();
    }

    private void closeChannel() throws IOException {
      if (open.isPresent()) {
        open.get().close();
      }
    }

    @Override
    public synchronized void close() throws IOException {
      closed = true;
      closeChannel();
    }
  }
}
