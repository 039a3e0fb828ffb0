// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;

/** A program that hosts four nodes with 16 ranks each, and waits to be killed. */
final class HostProgram {
  private static final String RANK =
      "setsid sh -c 'sleep 1000 & exit' & "
          + "env -i PATH=$PATH sh -c 'while :; do sleep 1; done' unmarked-$CLUSTERED_SCOPE & "
          + "trap '' TERM; echo ready >>$READY; while :; do sleep 1; done";

  private HostProgram() {}

  public static void main(String[] arguments) throws IOException {
    Path parent = Path.of(arguments[1]);
    Optional<Path> cgroups = arguments[2].equals("cgroup") ? Cgroup.own() : Optional.empty();
    ProcessSupervisor supervisor = new ProcessSupervisor(InstantSource.system(), cgroups);
    Path ready = parent.resolve(arguments[0] + "-ready");
    Files.createFile(ready);
    for (int node = 0; node < 4; node++) {
      String id = arguments[0] + "-" + node;
      Path directory = Files.createDirectory(parent.resolve(id));
      ProcessScope scope = supervisor.scope(id, directory);
      for (int rank = 0; rank < 16; rank++) {
        start(scope, directory, ready);
      }
    }
    Await.until("all ranks run", Duration.ofSeconds(30), () -> lines(ready) == 64);
    System.out.println("started");
    LockSupport.parkNanos(Duration.ofMinutes(1).toNanos());
  }

  private static void start(ProcessScope scope, Path directory, Path ready) {
    Map<String, String> environment =
        Map.of("PATH", System.getenv("PATH"), "READY", ready.toString());
    StartResult result =
        scope.start(
            new ProcessSpec(
                List.of("sh", "-c", RANK),
                environment,
                directory,
                directory.resolve("output"),
                directory));
    if (result instanceof StartResult.NotStarted refused) {
      throw new IllegalStateException(refused.failure().message());
    }
  }

  private static long lines(Path file) {
    try {
      return Files.readString(file).lines().count();
    } catch (IOException e) {
      return 0;
    }
  }
}
