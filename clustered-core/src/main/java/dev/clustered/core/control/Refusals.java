// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.control;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts the requests that the endpoint refused, by reason. Thread-safe. */
public final class Refusals {

  /** Why a request was refused. */
  public enum Reason {
    /** The join token is wrong or was used before. */
    JOIN_TOKEN(403),
    /** No session, or not that of the node. */
    SESSION(401),
    /** No such path, or not for this node. */
    PATH(404),
    /** Another method than the path takes. */
    METHOD(405),
    /** A body that is no such document. */
    MALFORMED(400),
    /** A body larger than any such document. */
    OVERSIZED(413);

    final int status;

    Reason(int status) {
      this.status = status;
    }
  }

  private final Map<Reason, LongAdder> counts = new EnumMap<>(Reason.class);

  Refusals() {
    for (Reason reason : Reason.values()) {
      counts.put(reason, new LongAdder());
    }
  }

  /** Requests refused for a reason so far. */
  public long count(Reason reason) {
    LongAdder adder = counts.get(reason);
    return adder == null ? 0 : adder.sum();
  }

  void add(Reason reason) {
    counts.computeIfPresent(
        reason,
        (key, adder) -> {
          adder.increment();
          return adder;
        });
  }
}
