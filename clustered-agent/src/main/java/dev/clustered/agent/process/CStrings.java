// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Memory;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Strings in the form the C library takes: UTF-8 bytes with a zero at the end. Stateless. */
final class CStrings {
  private static final int POINTER_BYTES = 8;

  private CStrings() {}

  /**
   * The UTF-8 bytes of a text.
   *
   * @throws IllegalArgumentException when the text holds half a surrogate pair, which has no bytes
   */
  static byte[] utf8(String text) {
    try {
      ByteBuffer encoded = StandardCharsets.UTF_8.newEncoder().encode(CharBuffer.wrap(text));
      byte[] bytes = new byte[encoded.remaining()];
      encoded.get(bytes);
      return bytes;
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException(
          "A command or environment text of "
              + text.length()
              + " characters is not valid Unicode: it holds half a surrogate pair. "
              + "Pass such bytes in a file.",
          e);
    }
  }

  static List<byte[]> utf8(List<String> texts) {
    return texts.stream().map(CStrings::utf8).toList();
  }

  static List<byte[]> environment(Map<String, String> environment) {
    List<byte[]> entries = new ArrayList<>(environment.size());
    environment.forEach((name, value) -> entries.add(utf8(name + "=" + value)));
    return entries;
  }

  static Memory path(Path path) {
    return string(utf8(path.toString()));
  }

  static Memory string(byte[] bytes) {
    Memory memory = new Memory(bytes.length + 1L);
    memory.write(0, bytes, 0, bytes.length);
    memory.setByte(bytes.length, (byte) 0);
    return memory;
  }

  /** An array of pointers ending in null, followed by the strings it points to. */
  static Memory array(List<byte[]> strings) {
    long pointers = (strings.size() + 1L) * POINTER_BYTES;
    long size = strings.stream().mapToLong(bytes -> bytes.length + 1L).sum();
    Memory memory = new Memory(pointers + size);
    long offset = pointers;
    for (int index = 0; index < strings.size(); index++) {
      byte[] bytes = strings.get(index);
      memory.write(offset, bytes, 0, bytes.length);
      memory.setByte(offset + bytes.length, (byte) 0);
      memory.setPointer((long) index * POINTER_BYTES, memory.share(offset));
      offset += bytes.length + 1L;
    }
    memory.setLong((long) strings.size() * POINTER_BYTES, 0);
    return memory;
  }
}
