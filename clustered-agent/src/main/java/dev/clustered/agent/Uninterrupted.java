// SPDX-License-Identifier: Apache-2.0

package dev.clustered.agent;

/** Waiting that goes on when interrupted, and hands the interrupt on afterwards. Stateless. */
final class Uninterrupted {

  private Uninterrupted() {}

  static void join(Thread thread) {
    boolean interrupted = false;
    while (thread.isAlive()) {
      try {
        thread.join();
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
