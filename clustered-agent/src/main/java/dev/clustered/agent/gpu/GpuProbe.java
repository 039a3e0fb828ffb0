// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.gpu;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks at GPUs through the driver's library. A GPU that fell off the bus can block a call for
 * ever, so each look is made by a daemon thread of its own and waited for no longer than a limit;
 * while one has not come back, no other begins. Used by one thread at a time.
 */
public final class GpuProbe implements AutoCloseable {

  /** What the driver installs. */
  public static final String LIBRARY = "libnvidia-ml.so.1";

  private static final Logger LOGGER = LoggerFactory.getLogger(GpuProbe.class);

  private final String library;
  private final Duration limit;
  private CompletableFuture<List<GpuLook>> answer = CompletableFuture.completedFuture(List.of());
  private long asked;

  /** Touched by one look at a time; what a look leaves behind is seen by the next. */
  private volatile @Nullable Nvml nvml;

  /**
   * A probe that has not looked yet.
   *
   * @param library the name of the library, or its absolute path
   * @param limit for one look, more than zero
   */
  public GpuProbe(String library, Duration limit) {
    this.library = library;
    this.limit = limit;
  }

  /** The most that a look takes. */
  public Duration limit() {
    return limit;
  }

  /**
   * What each GPU does now, in the order given.
   *
   * @param gpus indices on the node, or UUIDs
   */
  public List<GpuLook> look(List<String> gpus) throws InterruptedException {
    if (!answer.isDone()) {
      return silent(gpus);
    }
    asked = System.nanoTime();
    answer = begin(() -> looks(gpus));
    try {
      return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return silent(gpus);
    } catch (ExecutionException e) {
      return all(gpus, "NVML cannot be called: " + e.getCause());
    }
  }

  /** Gives the library back, unless it does not answer within the limit. */
  @Override
  public void close() {
    if (answer.isDone()) {
      answer = begin(this::giveBack);
      List<GpuLook> unused =
          answer.completeOnTimeout(List.of(), limit.toNanos(), TimeUnit.NANOSECONDS).join();
    }
  }

  private CompletableFuture<List<GpuLook>> begin(Looking looking) {
    CompletableFuture<List<GpuLook>> future = new CompletableFuture<>();
    // A native call holds its carrier, so it gets a thread of the operating system.
    Thread.ofPlatform()
        .daemon()
        .name("clustered-gpus")
        .start(
            () -> {
              try {
                future.complete(looking.looks());
              } catch (RuntimeException | LinkageError e) {
                future.completeExceptionally(e);
              }
            });
    return future;
  }

  private interface Looking {
    List<GpuLook> looks();
  }

  private List<GpuLook> looks(List<String> gpus) {
    try {
      Nvml open = nvml;
      if (open == null) {
        open = Nvml.open(library);
        nvml = open;
      }
      int count = open.count();
      List<GpuLook> looks = new ArrayList<>();
      for (String gpu : gpus) {
        looks.add(look(open, gpu, count));
      }
      return looks;
    } catch (Nvml.Failure e) {
      giveBack(); // To begin anew with the next look: a driver may be loaded again meanwhile.
      return all(gpus, String.valueOf(e.getMessage()));
    }
  }

  private static GpuLook look(Nvml nvml, String gpu, int count) {
    try {
      boolean index = gpu.chars().allMatch(Character::isDigit);
      if (index && Integer.parseInt(gpu) >= count) {
        return new GpuLook.Unseen("the driver has " + count);
      }
      int percent = index ? nvml.percent(Integer.parseInt(gpu)) : nvml.percent(gpu);
      return percent > 0 ? new GpuLook.Worked(percent) : new GpuLook.Idle();
    } catch (Nvml.Failure | NumberFormatException e) {
      return new GpuLook.Unseen(String.valueOf(e.getMessage()));
    }
  }

  private List<GpuLook> giveBack() {
    Nvml open = nvml;
    nvml = null;
    try {
      if (open != null) {
        open.shutdown();
      }
    } catch (Nvml.Failure e) {
      LOGGER.debug("GPUs not given back library={}", library, e);
    }
    return List.of();
  }

  private List<GpuLook> silent(List<String> gpus) {
    double seconds = (System.nanoTime() - asked) / 1e9;
    return all(gpus, String.format(Locale.ROOT, "NVML has not answered for %.1f s", seconds));
  }

  private static List<GpuLook> all(List<String> gpus, String why) {
    return gpus.stream().<GpuLook>map(gpu -> new GpuLook.Unseen(why)).toList();
  }
}
