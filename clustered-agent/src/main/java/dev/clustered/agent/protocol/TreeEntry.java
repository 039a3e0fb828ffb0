// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.protocol;

/**
 * One entry of a tree. Immutable and thread-safe.
 *
 * @param kind what it is
 * @param path relative to the tree's root, names separated by {@code /}
 * @param mode the nine permission bits; 0 for links
 * @param size of a file, in bytes; 0 for others
 * @param sha256 of a file's content in lower-case hex; empty for others
 * @param target where a link leads, as it is written in the link; empty for others
 */
public record TreeEntry(Kind kind, String path, int mode, long size, String sha256, String target) {

  /** What an entry is. */
  public enum Kind {
    DIRECTORY,
    FILE,
    LINK
  }

  public static TreeEntry directory(String path, int mode) {
    return new TreeEntry(Kind.DIRECTORY, path, mode, 0, "", "");
  }

  public static TreeEntry file(String path, int mode, long size, String sha256) {
    return new TreeEntry(Kind.FILE, path, mode, size, sha256, "");
  }

  public static TreeEntry link(String path, String target) {
    return new TreeEntry(Kind.LINK, path, 0, 0, "", target);
  }
}
