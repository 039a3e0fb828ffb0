// SPDX-License-Identifier: Apache-2.0

package dev.clustered.benchmarks;

import java.util.List;

/** Measurements that belong together. */
public interface Suite {

  /** One measurement, which may give several figures. */
  interface Measurement {

    /** The name of its first figure. */
    String name();

    /** Measures; what it started has ended when it returns. */
    List<Figure> run() throws Exception;
  }

  /** What {@code -Dbench} calls it. */
  String name();

  /** Its measurements, in the order in which they run. */
  List<Measurement> measurements();
}
