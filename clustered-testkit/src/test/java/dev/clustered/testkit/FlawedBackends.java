// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import dev.clustered.model.NodeId;
import dev.clustered.spi.BackendFactory;
import java.util.Locale;
import java.util.Map;

/** Contracts over backends with a flaw; run by {@link ContractsFindFlawsTest} alone. */
final class FlawedBackends {

  private FlawedBackends() {}

  abstract static class Capacity extends CapacityContract {
    @Override
    protected BackendFactory factory() {
      return new ListBackendFactory();
    }

    /** The flaw is the name of the class. */
    @Override
    protected Map<String, String> settings() {
      return flawNamed(getClass());
    }

    @Override
    protected String bootstrapDocument(NodeId node) {
      return "token-of-" + node;
    }
  }

  static final class GrantsTooMuch extends Capacity {}

  static final class GrantsAPart extends Capacity {}

  static final class ForgetsLaunches extends Capacity {}

  static final class ListsOthers extends Capacity {}

  static final class EndsLate extends Capacity {}

  static final class IgnoresRdma extends RdmaContract {
    @Override
    protected BackendFactory factory() {
      return new ListBackendFactory();
    }

    @Override
    protected Map<String, String> settings() {
      return flawNamed(getClass());
    }

    @Override
    protected String bootstrapDocument(NodeId node) {
      return "token-of-" + node;
    }
  }

  private static Map<String, String> flawNamed(Class<?> type) {
    String flaw = type.getSimpleName().replaceAll("(?<=.)([A-Z])", "_$1");
    return Map.of("flaw", flaw.toLowerCase(Locale.ROOT));
  }
}
