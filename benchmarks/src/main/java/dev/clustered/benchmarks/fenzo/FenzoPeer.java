// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.fenzo;

import dev.clustered.benchmarks.Distribution;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.IntToDoubleFunction;

/** Runs Fenzo from the folder of its own class path, named with {@code -Dfenzo=FOLDER}. */
public final class FenzoPeer {

  private static final String TASKS = "dev.clustered.benchmarks.fenzo.FenzoTasks";

  private FenzoPeer() {}

  /**
   * The times in milliseconds that Fenzo takes to place so many tasks on as many hosts; empty where
   * its class path is not there.
   */
  public static Optional<Distribution> whole(int hosts, int warmUp, int rounds)
      throws IOException, ReflectiveOperationException {
    Path folder = Path.of(System.getProperty("fenzo", ""));
    if (!Files.exists(folder.resolve("fenzo-core-1.0.1.jar"))) {
      return Optional.empty();
    }
    List<URL> path = new ArrayList<>();
    path.add(FenzoPeer.class.getProtectionDomain().getCodeSource().getLocation());
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(folder, "*.jar")) {
      for (Path jar : jars) {
        path.add(jar.toUri().toURL());
      }
    }
    try (URLClassLoader apart =
        new URLClassLoader(path.toArray(URL[]::new), ClassLoader.getPlatformClassLoader())) {
      IntToDoubleFunction tasks =
          apart
              .loadClass(TASKS)
              .asSubclass(IntToDoubleFunction.class)
              .getDeclaredConstructor()
              .newInstance();
      List<Double> times = new ArrayList<>();
      for (int round = -warmUp; round < rounds; round++) {
        double millis = tasks.applyAsDouble(hosts);
        if (round >= 0) {
          times.add(millis);
        }
      }
      return Optional.of(Distribution.of(times));
    }
  }
}
