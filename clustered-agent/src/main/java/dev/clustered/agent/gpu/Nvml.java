// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent.gpu;

import com.sun.jna.Function;
import com.sun.jna.Memory;
import com.sun.jna.Native;
import com.sun.jna.NativeLibrary;
import com.sun.jna.Pointer;
import java.nio.charset.StandardCharsets;

/**
 * The functions of NVIDIA's management library that are used, looked up by name when they are
 * called: a library that is absent, or that lacks one of them, is a failure with words. Any call
 * may block for ever when a GPU is lost. Thread-safe.
 */
final class Nvml {

  private static final int SUCCESS = 0;
  private static final int UTILIZATION_BYTES = 2 * Integer.BYTES;

  private final NativeLibrary library;

  private Nvml(NativeLibrary library) {
    this.library = library;
  }

  /** Why nothing could be learnt. */
  static final class Failure extends Exception {

    private static final long serialVersionUID = 1L;

    Failure(String why) {
      super(why);
    }
  }

  /** Loads and begins to use it, until {@link #shutdown}. */
  static Nvml open(String name) throws Failure {
    Nvml nvml = new Nvml(load(name));
    nvml.call("nvmlInit_v2");
    return nvml;
  }

  private static NativeLibrary load(String name) throws Failure {
    try {
      return NativeLibrary.getInstance(name);
    } catch (UnsatisfiedLinkError e) {
      throw new Failure("there is no " + name);
    }
  }

  /** How many GPUs the node has. */
  int count() throws Failure {
    try (Memory count = new Memory(Integer.BYTES)) {
      call("nvmlDeviceGetCount_v2", count);
      return count.getInt(0);
    }
  }

  /** In how many hundredths of the last sample a kernel ran on the GPU with this index. */
  int percent(int index) throws Failure {
    try (Memory handle = new Memory(Native.POINTER_SIZE)) {
      call("nvmlDeviceGetHandleByIndex_v2", index, handle);
      return percent(handle.getPointer(0));
    }
  }

  /** The same of the GPU with this UUID. */
  int percent(String uuid) throws Failure {
    try (Memory handle = new Memory(Native.POINTER_SIZE)) {
      call("nvmlDeviceGetHandleByUUID", text(uuid), handle);
      return percent(handle.getPointer(0));
    }
  }

  private int percent(Pointer device) throws Failure {
    try (Memory utilization = new Memory(UTILIZATION_BYTES)) {
      call("nvmlDeviceGetUtilizationRates", device, utilization);
      return utilization.getInt(0);
    }
  }

  void shutdown() throws Failure {
    call("nvmlShutdown");
  }

  private void call(String name, Object... arguments) throws Failure {
    int code = function(name).invokeInt(arguments);
    if (code != SUCCESS) {
      throw new Failure("%s failed with %d (%s)".formatted(name, code, meaning(code)));
    }
  }

  private String meaning(int code) throws Failure {
    Pointer text = function("nvmlErrorString").invokePointer(new Object[] {code});
    return text == null ? "unknown" : text.getString(0, StandardCharsets.UTF_8.name());
  }

  private Function function(String name) throws Failure {
    try {
      return library.getFunction(name);
    } catch (UnsatisfiedLinkError e) {
      throw new Failure(library.getName() + " lacks " + name);
    }
  }

  private static byte[] text(String value) {
    return (value + "\0").getBytes(StandardCharsets.UTF_8);
  }
}
