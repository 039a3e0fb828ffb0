// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

import dev.clustered.agent.protocol.TreeEntry.Kind;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;

/**
 * A tree as bytes: the same tree gives the same bytes, so that its digest stands for all of it. A
 * directory comes before what is in it. Stateless and thread-safe.
 */
public final class TreeManifest {

  private static final int FORMAT = 1;
  private static final List<Kind> KINDS = List.of(Kind.DIRECTORY, Kind.FILE, Kind.LINK);
  private static final int DIGEST = 32;

  /** No name on Linux is longer than 4 KiB; a larger number is no manifest. */
  private static final int LONGEST_TEXT = 1 << 16;

  private TreeManifest() {}

  /** Writes the entries in their order; does not close the stream. */
  public static void write(List<TreeEntry> entries, OutputStream to) throws IOException {
    DataOutputStream output = new DataOutputStream(to);
    output.writeInt(FORMAT);
    output.writeInt(entries.size());
    for (TreeEntry entry : entries) {
      output.writeByte(KINDS.indexOf(entry.kind()));
      text(entry.path(), output);
      switch (entry.kind()) {
        case DIRECTORY -> output.writeShort(entry.mode());
        case FILE -> {
          output.writeShort(entry.mode());
          output.writeLong(entry.size());
          output.write(HexFormat.of().parseHex(entry.sha256()));
        }
        case LINK -> text(entry.target(), output);
      }
    }
    output.flush();
  }

  /**
   * Reads what {@link #write} wrote.
   *
   * @throws IOException when it is no manifest, or one of a newer program
   */
  public static List<TreeEntry> read(InputStream from) throws IOException {
    DataInputStream input = new DataInputStream(from);
    int format = input.readInt();
    int count = input.readInt();
    if (format != FORMAT || count < 0) {
      throw new IOException("manifest of format %d with %d entries".formatted(format, count));
    }
    List<TreeEntry> entries = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      entries.add(entry(input));
    }
    return entries;
  }

  private static TreeEntry entry(DataInputStream input) throws IOException {
    int number = input.readUnsignedByte();
    if (number >= KINDS.size()) {
      throw new IOException("manifest with an entry of kind " + number);
    }
    String path = text(input);
    return switch (KINDS.get(number)) {
      case DIRECTORY -> TreeEntry.directory(path, input.readShort());
      case FILE -> {
        int mode = input.readShort();
        long size = input.readLong();
        byte[] digest = input.readNBytes(DIGEST);
        yield TreeEntry.file(path, mode, size, HexFormat.of().formatHex(digest));
      }
      case LINK -> TreeEntry.link(path, text(input));
    };
  }

  private static void text(String text, DataOutputStream output) throws IOException {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    output.writeInt(bytes.length);
    output.write(bytes);
  }

  private static String text(DataInputStream input) throws IOException {
    int length = input.readInt();
    if (length < 0 || length > LONGEST_TEXT) {
      throw new IOException("manifest with a text of %d bytes".formatted(length));
    }
    return new String(input.readNBytes(length), StandardCharsets.UTF_8);
  }
}
