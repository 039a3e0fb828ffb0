// SPDX-License-Identifier: Apache-2.0

package dev.clustered.backend.local;

import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.clustered.Cluster;
import dev.clustered.Launch;
import dev.clustered.model.ClusterException;
import dev.clustered.model.ClusterExit;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** The two ways in which a program waits for its clusters; what it is told must be the same. */
enum Form {

  /** Its thread waits in the call. */
  BLOCKING {
    @Override
    Cluster ready(Launch launch) throws InterruptedException {
      return launch.await();
    }

    @Override
    ClusterExit exit(Cluster cluster) throws InterruptedException {
      return cluster.join();
    }

    @Override
    ClusterException failure(Launch launch) {
      return catchThrowableOfType(ClusterException.class, () -> launch.await().close());
    }
  },

  /** It is told by a future. */
  FUTURE {
    @Override
    Cluster ready(Launch launch) throws Exception {
      return value(launch.start().ready());
    }

    @Override
    ClusterExit exit(Cluster cluster) throws Exception {
      return value(cluster.exit());
    }

    @Override
    ClusterException failure(Launch launch) {
      CompletableFuture<Cluster> ready = launch.start().ready();
      return (ClusterException)
          catchThrowableOfType(ExecutionException.class, () -> value(ready).close()).getCause();
    }
  };

  /** The cluster once it runs, to be closed. */
  abstract Cluster ready(Launch launch) throws Exception;

  /** How it ended. */
  abstract ClusterExit exit(Cluster cluster) throws Exception;

  /** Why it could not run. */
  abstract ClusterException failure(Launch launch);

  private static <T> T value(CompletableFuture<T> future) throws Exception {
    return future.get(1, TimeUnit.MINUTES);
  }
}
