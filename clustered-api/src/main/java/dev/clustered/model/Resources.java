// SPDX-License-Identifier: Apache-2.0

package dev.clustered.model;

/**
 * A vector of what a node has or a rank asks for. Each part is counted once. Immutable and
 * thread-safe.
 *
 * @param gpus whole GPUs, zero or more
 * @param gpuModel the GPU model, such as {@code H200}; empty when any will do or there is none
 * @param cpus whole CPU cores, zero or more
 * @param memory main memory
 */
public record Resources(int gpus, String gpuModel, int cpus, ByteSize memory) {

  /** Nothing. */
  public static final Resources NONE = new Resources(0, "", 0, ByteSize.ZERO);

  public Resources {
    if (gpus < 0 || cpus < 0) {
      throw new IllegalArgumentException(
          "resources are zero or more; received: gpus=" + gpus + ", cpus=" + cpus);
    }
  }

  /** Whether a request fits into these free resources, the GPU model included. */
  public boolean holds(Resources request) {
    return request.gpus <= gpus
        && request.cpus <= cpus
        && request.memory.compareTo(memory) <= 0
        && (request.gpus == 0 || request.gpuModel.isEmpty() || request.gpuModel.equals(gpuModel));
  }

  /** What is left after a request that fits. */
  public Resources minus(Resources request) {
    return new Resources(
        gpus - request.gpus,
        gpuModel,
        cpus - request.cpus,
        new ByteSize(memory.bytes() - request.memory.bytes()));
  }

  /** These resources and the others together; the GPU model is that of these. */
  public Resources plus(Resources other) {
    return new Resources(
        gpus + other.gpus,
        gpuModel,
        cpus + other.cpus,
        new ByteSize(Math.addExact(memory.bytes(), other.memory.bytes())));
  }

  /** For people: {@code 8 × H200, 96 CPUs, 2 TiB}. */
  @Override
  public String toString() {
    String gpu = gpus == 0 ? "no GPU" : gpus + " × " + (gpuModel.isEmpty() ? "GPU" : gpuModel);
    return gpu + ", " + cpus + " CPUs, " + memory;
  }
}
