// SPDX-License-Identifier: Apache-2.0

package dev.clustered.store.jdbc;

import dev.clustered.spi.StateStore;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Appends pairs of events from several threads for ever, and prints the end of each pair kept. */
final class AppendingProgram {

  private static final int THREADS = 4;

  private AppendingProgram() {}

  /** The file of the store, and a word that stands in every event. */
  public static void main(String[] arguments) {
    StateStore store = SqliteStore.open(Path.of(arguments[0]));
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    for (int i = 0; i < THREADS; i++) {
      String thread = arguments[1] + "-" + i;
      threads.execute(() -> append(store, thread));
    }
  }

  private static void append(StateStore store, String thread) {
    for (int i = 0; true; i++) {
      List<String> pair =
          List.of("\"%s-%d-a\"".formatted(thread, i), "\"%s-%d-b\"".formatted(thread, i));
      long end = store.append(1, pair);
      System.out.println(end + " " + pair.getLast());
    }
  }
}
