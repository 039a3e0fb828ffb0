// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Platform;
import com.sun.jna.Pointer;
import java.io.File;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * posix_spawn with the attributes every child of ours gets: a session of its own, all signals at
 * their default and unblocked, and no open file but standard input, output and error. Thread-safe.
 */
final class Spawn {
  /** Larger than sigset_t, posix_spawnattr_t and posix_spawn_file_actions_t of any C library. */
  private static final long STRUCT_BYTES = 1024;

  /** Descriptors opened by other threads while a child is being prepared. */
  private static final int DESCRIPTOR_MARGIN = 256;

  private static final Path NULL_DEVICE = Path.of("/dev/null");

  private static final short FLAGS =
      (short) (LibC.POSIX_SPAWN_SETSID | LibC.POSIX_SPAWN_SETSIGDEF | LibC.POSIX_SPAWN_SETSIGMASK);

  private final Optional<Function> closeFrom;

  /** Uses what the C library offers for closing descriptors. */
  Spawn() {
    this(closeFromFunction());
  }

  Spawn(Optional<Function> closeFrom) {
    this.closeFrom = closeFrom;
  }

  /** Either a process or the errno that prevented it; the other one is 0. */
  record Outcome(int pid, int errno) {}

  /**
   * Standard input, output and error of a child as descriptors of this process.
   *
   * @param input -1 for /dev/null
   * @param error -1 for the same as output
   * @param terminal a terminal to be all three instead, and to control the child's session
   */
  record Streams(int input, int output, int error, Optional<Path> terminal) {

    /** Output receives standard error as well. */
    Streams(int input, int output) {
      this(input, output, -1, Optional.empty());
    }

    static Streams pipes(int input, int output, int error) {
      return new Streams(input, output, error, Optional.empty());
    }

    static Streams of(Path terminal) {
      return new Streams(-1, -1, -1, Optional.of(terminal));
    }
  }

  Outcome start(
      Path executable, List<byte[]> argv, List<byte[]> envp, Path directory, Streams streams) {
    try (Memory actions = new Memory(STRUCT_BYTES);
        Memory attributes = new Memory(STRUCT_BYTES);
        Memory directoryPath = CStrings.path(directory);
        Memory device = CStrings.path(streams.terminal().orElse(NULL_DEVICE))) {
      check(LibC.posix_spawn_file_actions_init(actions));
      check(LibC.posix_spawnattr_init(attributes));
      try {
        setAttributes(attributes);
        addStreams(actions, streams, device);
        closeRest(actions);
        check(LibC.posix_spawn_file_actions_addchdir_np(actions, directoryPath));
        return spawn(executable, actions, attributes, argv, envp);
      } finally {
        LibC.posix_spawn_file_actions_destroy(actions);
        LibC.posix_spawnattr_destroy(attributes);
      }
    }
  }

  private static Outcome spawn(
      Path executable, Pointer actions, Pointer attributes, List<byte[]> argv, List<byte[]> envp) {
    try (Memory pid = new Memory(Integer.BYTES);
        Memory path = CStrings.path(executable);
        Memory arguments = CStrings.array(argv);
        Memory variables = CStrings.array(envp)) {
      int errno = LibC.posix_spawn(pid, path, actions, attributes, arguments, variables);
      return errno == 0 ? new Outcome(pid.getInt(0), 0) : new Outcome(0, errno);
    }
  }

  private static void setAttributes(Pointer attributes) {
    try (Memory signals = new Memory(STRUCT_BYTES)) {
      LibC.sigfillset(signals);
      check(LibC.posix_spawnattr_setsigdefault(attributes, signals));
      LibC.sigemptyset(signals);
      check(LibC.posix_spawnattr_setsigmask(attributes, signals));
      check(LibC.posix_spawnattr_setflags(attributes, FLAGS));
    }
  }

  private static void addStreams(Pointer actions, Streams streams, Pointer device) {
    if (streams.terminal().isPresent()) {
      addTerminal(actions, device);
      return;
    }
    // Output comes first: in a host without standard streams its descriptor may itself be 0.
    check(LibC.posix_spawn_file_actions_adddup2(actions, streams.output(), 1));
    if (streams.input() < 0) {
      check(LibC.posix_spawn_file_actions_addopen(actions, 0, device, LibC.O_RDONLY, 0));
    } else {
      check(LibC.posix_spawn_file_actions_adddup2(actions, streams.input(), 0));
    }
    int error = streams.error() < 0 ? 1 : streams.error();
    check(LibC.posix_spawn_file_actions_adddup2(actions, error, 2));
  }

  // The new session has no terminal yet, so the first one that its leader opens controls it.
  private static void addTerminal(Pointer actions, Pointer terminal) {
    check(LibC.posix_spawn_file_actions_addopen(actions, 0, terminal, LibC.O_RDWR, 0));
    check(LibC.posix_spawn_file_actions_adddup2(actions, 0, 1));
    check(LibC.posix_spawn_file_actions_adddup2(actions, 0, 2));
  }

  // The JVM opens its sockets and channels without close-on-exec and relies on its own launcher to
  // close them.
  private void closeRest(Pointer actions) {
    if (closeFrom.isPresent()) {
      check(closeFrom.get().invokeInt(new Object[] {actions, 3}));
      return;
    }
    int highest =
        Stream.of(openDescriptors()).mapToInt(Integer::parseInt).max().orElse(0)
            + DESCRIPTOR_MARGIN;
    for (int descriptor = 3; descriptor <= highest; descriptor++) {
      if (LibC.posix_spawn_file_actions_addclose(actions, descriptor) != 0) {
        return; // Beyond the limit of open files there is nothing to close.
      }
    }
  }

  private static String[] openDescriptors() {
    String[] names = new File("/proc/self/fd").list();
    return names == null ? new String[0] : names;
  }

  private static Optional<Function> closeFromFunction() {
    try {
      return Optional.of(
          NativeLibrary.getInstance(Platform.C_LIBRARY_NAME)
              .getFunction("posix_spawn_file_actions_addclosefrom_np"));
    } catch (UnsatisfiedLinkError e) {
      // Older C libraries and musl lack it.
      return Optional.empty();
    }
  }

  private static void check(int errno) {
    if (errno != 0) {
      throw new IllegalStateException(
          "Preparing a process failed: " + LibC.strerror(errno) + " (errno " + errno + ")");
    }
  }
}
