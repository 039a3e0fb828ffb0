// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import com.sun.jna.Memory;
import com.sun.jna.Native;
import dev.clustered.agent.process.SpawnFailure.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** Turns a {@link ProcessSpec} into a child process: lookup, limits, files, spawn. Thread-safe. */
final class Launcher {
  private static final int OWNER_ONLY = 0600;
  private static final Path SHELL = Path.of("/bin/sh");
  private static final int FIRST_LINE = 512;
  private static final int BUSY_TRIES = 50;
  private static final long BUSY_PAUSE = TimeUnit.MILLISECONDS.toNanos(2);

  private final Spawn spawn = new Spawn();

  /** Either a pid or a failure. */
  sealed interface Result {
    record Launched(int pid) implements Result {}

    record Failed(SpawnFailure failure) implements Result {}
  }

  /** With both outputs at the end of the specification's output file, and no input. */
  Result launch(ProcessSpec spec) {
    return launch(spec, Optional.empty());
  }

  /** With streams of the caller's, who closes them. */
  Result launch(ProcessSpec spec, Spawn.Streams streams) {
    return launch(spec, Optional.of(streams));
  }

  private Result launch(ProcessSpec spec, Optional<Spawn.Streams> streams) {
    if (!Files.isDirectory(spec.directory())) {
      return failed(
          Reason.SYSTEM,
          "The working directory " + spec.directory() + " is not a directory. Create it first.");
    }
    return switch (ExecutableLookup.find(
        spec.command().getFirst(), spec.environment(), spec.directory())) {
      case ExecutableLookup.Result.Failed missing -> new Result.Failed(missing.failure());
      case ExecutableLookup.Result.Found found -> launch(spec, found.file(), streams);
    };
  }

  private Result launch(ProcessSpec spec, Path executable, Optional<Spawn.Streams> streams) {
    List<byte[]> envp = CStrings.environment(spec.environment());
    ExecLimits limits = ExecLimits.current();
    return switch (CommandLine.fit(spec.command(), envp, spec.scratch(), limits)) {
      case CommandLine.Result.TooLarge large -> new Result.Failed(large.failure());
      case CommandLine.Result.Fits fits -> {
        Launch launch = new Launch(spec, executable, fits, envp);
        yield writeScripts(launch)
            .orElseGet(
                () -> streams.map(given -> spawned(launch, given)).orElseGet(() -> logged(launch)));
      }
    };
  }

  /** A command that fits, and where it runs. */
  private record Launch(
      ProcessSpec spec, Path executable, CommandLine.Result.Fits fits, List<byte[]> envp) {}

  private static Optional<Result> writeScripts(Launch launch) {
    try {
      for (CommandLine.ScriptFile file : launch.fits().files()) {
        write(file);
      }
      return Optional.empty();
    } catch (IOException e) {
      return Optional.of(
          failed(
              Reason.SYSTEM,
              "Writing the script into " + launch.spec().scratch() + " failed: " + e));
    }
  }

  private Result logged(Launch launch) {
    int output = open(launch.spec().output());
    if (output < 0) {
      return failed(
          Reason.SYSTEM,
          "Opening the output file "
              + launch.spec().output()
              + " failed: "
              + LibC.strerror(-output));
    }
    try {
      return spawned(launch, new Spawn.Streams(-1, output));
    } finally {
      LibC.close(output);
    }
  }

  private Result spawned(Launch launch, Spawn.Streams streams) {
    Spawn.Outcome outcome =
        launch.fits().raised()
            ? ExecLimits.raised(() -> spawn(launch, streams))
            : spawn(launch, streams);
    return outcome.errno() == 0
        ? new Result.Launched(outcome.pid())
        : failed(reason(outcome.errno()), message(launch.executable(), outcome.errno()));
  }

  private Spawn.Outcome spawn(Launch launch, Spawn.Streams streams) {
    Path executable = launch.executable();
    List<byte[]> argv = launch.fits().argv();
    List<byte[]> envp = launch.envp();
    Path directory = launch.spec().directory();
    Spawn.Outcome outcome = spawn.start(executable, argv, envp, directory, streams);
    // A child that is just being spawned elsewhere can hold a file open that was written a moment
    // ago.
    for (int tries = 0; outcome.errno() == LibC.ETXTBSY && tries < BUSY_TRIES; tries++) {
      LockSupport.parkNanos(BUSY_PAUSE);
      outcome = spawn.start(executable, argv, envp, directory, streams);
    }
    if (outcome.errno() != LibC.ENOEXEC || !text(executable)) {
      return outcome;
    }
    List<byte[]> shellArgv = new ArrayList<>(argv);
    shellArgv.set(0, CStrings.utf8(executable.toString()));
    shellArgv.addFirst(CStrings.utf8(SHELL.toString()));
    return spawn.start(SHELL, shellArgv, envp, directory, streams);
  }

  /** What shells ask before they read a file of no known format: no zero byte in its first line. */
  private static boolean text(Path file) {
    try (InputStream content = Files.newInputStream(file)) {
      for (byte character : content.readNBytes(FIRST_LINE)) {
        if (character == 0 || character == '\n') {
          return character != 0;
        }
      }
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static void write(CommandLine.ScriptFile file) throws IOException {
    if (Files.exists(file.path())) {
      return;
    }
    Path part =
        Files.createTempFile(
            file.path().getParent(),
            "script-",
            ".part",
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    Files.write(part, file.content(), StandardOpenOption.WRITE);
    Files.move(part, file.path(), StandardCopyOption.ATOMIC_MOVE);
  }

  /** A descriptor, or the negative errno. */
  private static int open(Path file) {
    int flags = LibC.O_WRONLY | LibC.O_CREAT | LibC.O_APPEND | LibC.O_CLOEXEC;
    try (Memory path = CStrings.path(file)) {
      int descriptor = LibC.open(path, flags, OWNER_ONLY);
      return descriptor >= 0 ? descriptor : -Native.getLastError();
    }
  }

  private static Reason reason(int errno) {
    return switch (errno) {
      case LibC.ENOENT, LibC.ENOTDIR -> Reason.MISSING;
      case LibC.EACCES, LibC.EISDIR, LibC.ENOEXEC -> Reason.NOT_EXECUTABLE;
      case LibC.E2BIG -> Reason.TOO_LARGE;
      default -> Reason.SYSTEM;
    };
  }

  private static String message(Path executable, int errno) {
    String advice =
        switch (errno) {
          case LibC.ENOENT -> ". The interpreter that it names is missing; install it.";
          case LibC.ENOEXEC -> ". It is damaged or made for another kind of machine; replace it.";
          default -> "";
        };
    return "Starting " + executable + " failed: " + LibC.strerror(errno) + advice;
  }

  private static Result failed(Reason reason, String message) {
    return new Result.Failed(new SpawnFailure(reason, message));
  }
}
