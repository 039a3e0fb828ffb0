// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.QueueTree.QueueShare;
import dev.clustered.model.ByteSize;
import dev.clustered.model.Resources;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.IntToLongFunction;

/**
 * Which amounts a tree of queues counts: CPUs, memory, and each model of GPUs of which a queue owns
 * some; of the rest there is no limit. Amounts stand in arrays, one place for each. Immutable and
 * thread-safe, but for the arrays.
 */
final class Measure {

  static final int CPUS = 0;
  static final int MEMORY = 1;
  static final int GPUS = 2;

  private final boolean cpus;
  private final boolean memory;
  private final List<String> models;

  /** What these queues own some of. */
  Measure(Collection<QueueShare> queues) {
    TreeSet<String> named = new TreeSet<>();
    boolean anyCpus = false;
    boolean anyMemory = false;
    for (QueueShare queue : queues) {
      Resources nominal = queue.nominal();
      anyCpus |= nominal.cpus() > 0;
      anyMemory |= nominal.memory().bytes() > 0;
      if (nominal.gpus() > 0) {
        named.add(nominal.gpuModel());
      }
    }
    cpus = anyCpus;
    memory = anyMemory;
    models = List.copyOf(named);
  }

  /** How many places there are. */
  int size() {
    return GPUS + models.size();
  }

  long[] nothing() {
    return new long[size()];
  }

  /** So much in each place. */
  long[] each(IntToLongFunction amount) {
    long[] all = nothing();
    Arrays.setAll(all, amount);
    return all;
  }

  /** The same amount of all. */
  long[] everywhere(long amount) {
    long[] all = nothing();
    Arrays.fill(all, amount);
    return all;
  }

  /** So many times these resources, as far as they are counted. */
  void add(long[] sum, Resources each, long times) {
    if (cpus) {
      sum[CPUS] = plus(sum[CPUS], each.cpus(), times);
    }
    if (memory) {
      sum[MEMORY] = plus(sum[MEMORY], each.memory().bytes(), times);
    }
    int place = place(each.gpuModel());
    if (each.gpus() > 0 && place >= GPUS) {
      sum[place] = plus(sum[place], each.gpus(), times);
    }
  }

  private int place(String model) {
    int named = models.indexOf(model);
    return GPUS + (named >= 0 ? named : models.indexOf(""));
  }

  /** What is too much to be counted is the most that can be, and more than any queue owns. */
  private static long plus(long before, long each, long times) {
    long most = QueueTree.MOST + 1;
    long more = each == 0 || times <= most / each ? each * times : most;
    return Math.min(most, Math.min(most, more) + before);
  }

  long[] of(Resources one) {
    long[] sum = nothing();
    add(sum, one, 1);
    return sum;
  }

  long[] of(Total demand) {
    long[] sum = nothing();
    List<Total.Part> parts = demand.parts();
    for (int i = 0; i < parts.size(); i++) { // Asked for all the time, so without an iterator.
      add(sum, parts.get(i).each(), parts.get(i).times());
    }
    return sum;
  }

  /** A limit; GPUs without a model mean so many of each. */
  long[] limit(Optional<Resources> limit) {
    if (limit.isEmpty()) {
      return everywhere(Long.MAX_VALUE);
    }
    Resources most = limit.get();
    long[] sum = nothing();
    sum[CPUS] = most.cpus();
    sum[MEMORY] = most.memory().bytes();
    for (int i = 0; i < models.size(); i++) {
      boolean meant = most.gpuModel().isEmpty() || most.gpuModel().equals(models.get(i));
      sum[GPUS + i] = meant ? most.gpus() : 0;
    }
    return sum;
  }

  /** Amounts for people; of GPUs the model of one place. */
  Resources resources(long[] amounts, int gpus) {
    return new Resources(
        gpus < size() ? whole(amounts[gpus]) : 0,
        gpus < size() ? models.get(gpus - GPUS) : "",
        whole(amounts[CPUS]),
        new ByteSize(Math.max(0, amounts[MEMORY])));
  }

  private static int whole(long amount) {
    return Math.clamp(amount, 0, Integer.MAX_VALUE);
  }

  /** One amount for people. */
  String inWords(int place, long amount) {
    return switch (place) {
      case CPUS -> amount + " CPUs";
      case MEMORY -> new ByteSize(amount).toString();
      default -> {
        String model = models.get(place - GPUS);
        yield amount + " × " + (model.isEmpty() ? "GPU" : model);
      }
    };
  }

  /** All GPUs of an array together. */
  static long gpus(long[] amounts) {
    long sum = 0;
    for (int i = GPUS; i < amounts.length; i++) {
      sum += amounts[i];
    }
    return sum;
  }
}
