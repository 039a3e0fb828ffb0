// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks.fenzo;

import com.netflix.fenzo.ConstraintEvaluator;
import com.netflix.fenzo.TaskRequest;
import com.netflix.fenzo.TaskScheduler;
import com.netflix.fenzo.VMTaskFitnessCalculator;
import com.netflix.fenzo.VirtualMachineLease;
import com.netflix.fenzo.plugins.BinPackingFitnessCalculators;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import org.apache.mesos.Protos;
import org.jspecify.annotations.Nullable;

/**
 * Places so many tasks, of which each takes a host whole, on as many free hosts by one call of
 * Fenzo, and gives the milliseconds of that call. {@link FenzoPeer} makes one on a class path that
 * has Fenzo and its own Protocol Buffers, so it uses nothing of this project.
 */
public final class FenzoTasks implements IntToDoubleFunction {

  private static final double CPUS = 64;
  private static final double MEGABYTES = 1024 * 1024;
  private static final long FOREVER_SECONDS = 1_000_000;

  /** One that is made by its name. */
  public FenzoTasks() {}

  @Override
  public double applyAsDouble(int hosts) {
    TaskScheduler scheduler =
        new TaskScheduler.Builder()
            .withLeaseRejectAction(lease -> {})
            .withLeaseOfferExpirySecs(FOREVER_SECONDS)
            .withFitnessCalculator(BinPackingFitnessCalculators.cpuMemBinPacker)
            .build();
    try {
      List<VirtualMachineLease> leases = new ArrayList<>();
      List<TaskRequest> tasks = new ArrayList<>();
      for (int i = 0; i < hosts; i++) {
        leases.add(new Host("h" + i));
        tasks.add(new Task("t" + i));
      }
      long start = System.nanoTime();
      var result = scheduler.scheduleOnce(tasks, leases);
      double millis = (System.nanoTime() - start) / 1e6;
      if (result.getResultMap().size() != hosts) {
        throw new IllegalStateException(
            "Fenzo used %d of %d hosts".formatted(result.getResultMap().size(), hosts));
      }
      return millis;
    } finally {
      scheduler.shutdown();
    }
  }

  /** A host of which all is free. */
  private record Host(String hostname) implements VirtualMachineLease {

    @Override
    public String getId() {
      return "offer-" + hostname;
    }

    @Override
    public long getOfferedTime() {
      return 0;
    }

    @Override
    public String getVMID() {
      return hostname;
    }

    @Override
    public double cpuCores() {
      return CPUS;
    }

    @Override
    public double memoryMB() {
      return MEGABYTES;
    }

    @Override
    public double networkMbps() {
      return 0;
    }

    @Override
    public double diskMB() {
      return 0;
    }

    @Override
    public List<Range> portRanges() {
      return List.of();
    }

    @Override
    @SuppressWarnings("NullAway") // No offer of Mesos is behind it, and none is asked for.
    public Protos.@Nullable Offer getOffer() {
      return null;
    }

    @Override
    public Map<String, Protos.Attribute> getAttributeMap() {
      return Collections.emptyMap(); // Asked for null too.
    }

    @Override
    @SuppressWarnings("NullAway") // Fenzo asks so whether a host has such a resource.
    public @Nullable Double getScalarValue(String name) {
      return null;
    }

    @Override
    public Map<String, Double> getScalarValues() {
      return Collections.emptyMap();
    }
  }

  /** A task that takes all of a host. */
  private static final class Task implements TaskRequest {
    private final String id;
    private @Nullable AssignedResources assigned;

    Task(String id) {
      this.id = id;
    }

    @Override
    public String getId() {
      return id;
    }

    @Override
    public String taskGroupName() {
      return "";
    }

    @Override
    public double getCPUs() {
      return CPUS;
    }

    @Override
    public double getMemory() {
      return MEGABYTES;
    }

    @Override
    public double getNetworkMbps() {
      return 0;
    }

    @Override
    public double getDisk() {
      return 0;
    }

    @Override
    public int getPorts() {
      return 0;
    }

    @Override
    public Map<String, Double> getScalarRequests() {
      return Collections.emptyMap();
    }

    @Override
    public Map<String, NamedResourceSetRequest> getCustomNamedResources() {
      return Collections.emptyMap();
    }

    @Override
    public List<? extends ConstraintEvaluator> getHardConstraints() {
      return List.of();
    }

    @Override
    public List<? extends VMTaskFitnessCalculator> getSoftConstraints() {
      return List.of();
    }

    @Override
    public void setAssignedResources(AssignedResources resources) {
      assigned = resources;
    }

    @Override
    public @Nullable AssignedResources getAssignedResources() {
      return assigned;
    }
  }
}
