// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.engine;

/** Something for the loop's thread to take in. */
@FunctionalInterface
interface Message {

  /** Takes it in; on the loop's thread. */
  void on(EngineCore core);
}
