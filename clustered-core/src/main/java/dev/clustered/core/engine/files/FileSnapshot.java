// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine.files;

import dev.clustered.agent.protocol.TreeEntry;
import dev.clustered.agent.protocol.TreeEntry.Kind;
import dev.clustered.agent.protocol.TreeManifest;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterSpec;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.InvalidSpecException;
import dev.clustered.model.InvalidSpecException.Problem;
import dev.clustered.model.SentDirectory;
import dev.clustered.model.Volume;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * Reads the files that a launch sends, once, with as many threads as there are processors: names,
 * permissions and digests. One use, not thread-safe.
 */
public final class FileSnapshot {

  private static final int MOST_PROBLEMS = 20;
  private static final int PLAIN_DIRECTORY = 0755;

  private final ClusterSpec spec;
  private final List<Problem> problems = new ArrayList<>();
  private final Map<String, TreeEntry> entries = new TreeMap<>();
  private final Map<String, Pending> pending = new TreeMap<>();
  private int more;

  private record Pending(int mode, LocalFile file, String field) {}

  private record Running(String path, Pending pending, Future<String> digest) {}

  private FileSnapshot(ClusterSpec spec) {
    this.spec = spec;
  }

  /**
   * Reads what a specification sends.
   *
   * @throws InvalidSpecException when something cannot be sent, with the first twenty problems
   * @throws ClusterException with CANCELLED when the thread is interrupted
   */
  public static SentFiles take(ClusterSpec spec) {
    if (spec.directory().isEmpty() && spec.localFiles().isEmpty()) {
      return SentFiles.NONE;
    }
    return new FileSnapshot(spec).take();
  }

  private SentFiles take() {
    spec.directory().ifPresent(this::directory);
    spec.localFiles().forEach(this::file);
    spec.files().keySet().forEach(path -> free("file", path));
    spec.volumes().stream().map(Volume::path).forEach(path -> free("volume", path));
    refuse();
    Map<String, LocalFile> byDigest = digests();
    refuse();
    return sent(byDigest);
  }

  private void directory(SentDirectory directory) {
    if (!Files.exists(directory.path())) {
      problem("directory", "is not there: " + directory.path());
      return;
    }
    if (!Files.isDirectory(directory.path())) {
      problem("directory", "is no directory: " + directory.path() + "; send it with file");
      return;
    }
    try {
      new TreeWalk(directory, new Collecting()).walk();
    } catch (IOException e) {
      problem("directory", "%s cannot be read (%s)".formatted(directory.path(), e));
    }
  }

  private void file(String name, Path local) {
    try {
      BasicFileAttributes attributes = Files.readAttributes(local, BasicFileAttributes.class);
      if (!attributes.isRegularFile()) {
        String kind = attributes.isDirectory() ? "a directory; use directory" : "no regular file";
        problem("file", "%s is %s".formatted(local, kind));
        return;
      }
      if (free("file", name)) {
        String path = Path.of(name).normalize().toString();
        parents(Path.of(path));
        Path real = local.toRealPath();
        LocalFile file = LocalFile.of(real, attributes);
        pending.put(path, new Pending(TreeWalk.mode(real), file, "file"));
      }
    } catch (IOException e) {
      problem("file", "%s cannot be read (%s)".formatted(local, e));
    }
  }

  /** Whether nothing of the tree stands at a path or is no directory above it. */
  private boolean free(String field, String name) {
    Path path = Path.of(name).normalize();
    if (taken(path.toString())) {
      problem(field, "the directory that is sent has something at this path too: " + name);
      return false;
    }
    for (Path above = path.getParent(); above != null; above = above.getParent()) {
      TreeEntry entry = entries.get(above.toString());
      boolean blocked = entry != null && entry.kind() != Kind.DIRECTORY;
      if (blocked || pending.containsKey(above.toString())) {
        String what = blocked ? "a link" : "a file";
        problem(field, "%s leads through %s, which is sent as %s".formatted(name, above, what));
        return false;
      }
    }
    return true;
  }

  private boolean taken(String path) {
    return entries.containsKey(path) || pending.containsKey(path);
  }

  private void parents(Path path) {
    for (Path above = path.getParent(); above != null; above = above.getParent()) {
      String name = above.toString();
      entries.putIfAbsent(name, TreeEntry.directory(name, PLAIN_DIRECTORY));
    }
  }

  private Map<String, LocalFile> digests() {
    Map<String, LocalFile> byDigest = new HashMap<>();
    int threads = Math.min(Runtime.getRuntime().availableProcessors(), pending.size() + 1);
    try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
      List<Running> running = new ArrayList<>();
      pending.forEach(
          (path, each) ->
              running.add(new Running(path, each, executor.submit(each.file()::digest))));
      try {
        if (Thread.interrupted()) {
          throw new InterruptedException();
        }
        for (Running each : running) {
          digest(each.path(), each.pending(), each.digest(), byDigest);
        }
      } catch (InterruptedException e) {
        executor.shutdownNow();
        Thread.currentThread().interrupt();
        throw new ClusterException(
            ErrorCode.CANCELLED, "interrupted while the files of a launch were read");
      }
    }
    return byDigest;
  }

  private void digest(
      String path, Pending each, Future<String> running, Map<String, LocalFile> byDigest)
      throws InterruptedException {
    try {
      String digest = running.get();
      entries.put(path, TreeEntry.file(path, each.mode(), each.file().size(), digest));
      byDigest.putIfAbsent(digest, each.file());
    } catch (ExecutionException e) {
      problem(each.field(), "%s cannot be read (%s)".formatted(each.file().path(), e.getCause()));
    }
  }

  private SentFiles sent(Map<String, LocalFile> byDigest) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try {
      TreeManifest.write(List.copyOf(entries.values()), bytes);
    } catch (IOException e) {
      throw new UncheckedIOException("memory does not fail so", e);
    }
    byte[] manifest = bytes.toByteArray();
    String digest = HexFormat.of().formatHex(LocalFile.sha256().digest(manifest));
    return SentFiles.of(digest, manifest, byDigest);
  }

  private void problem(String field, String text) {
    if (problems.size() < MOST_PROBLEMS) {
      problems.add(new Problem(field, text));
    } else {
      more++;
    }
  }

  private void refuse() {
    if (more > 0) {
      problems.add(new Problem("directory", "has %d more problems".formatted(more)));
    }
    if (!problems.isEmpty()) {
      throw new InvalidSpecException(problems);
    }
  }

  private final class Collecting implements TreeWalk.Found {
    @Override
    public void entry(TreeEntry entry) {
      entries.put(entry.path(), entry);
    }

    @Override
    public void file(String path, int mode, LocalFile file) {
      pending.put(path, new Pending(mode, file, "directory"));
    }

    @Override
    public void problem(String text) {
      FileSnapshot.this.problem("directory", text);
    }
  }
}
