// SPDX-License-Identifier: Apache-2.0

package dev.clustered.spi;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The engine's journal, its newest snapshot and the lease of who may write: an append-only sequence
 * of entries with positions from 1. Several engines may have the same store open; the lease says
 * which of them acts, and the epochs of their appends see to it that no other one writes. What a
 * call that returned has written is kept as long as the store promises. After {@link #close()}
 * every other call is refused with the code {@code ENGINE_CLOSED}. Thread-safe and blocking.
 */
public interface StateStore extends AutoCloseable {

  /**
   * One entry.
   *
   * @param position 1 for the first, then without a gap
   * @param json the event as JSON; never holds a secret
   */
  record Entry(long position, String json) {}

  /**
   * What stands for all entries up to a position.
   *
   * @param position the last entry that it stands for
   * @param json the state after that entry as JSON; never holds a secret
   */
  record Snapshot(long position, String json) {}

  /**
   * The right to write, as it was given. How long it lasts is counted by {@link HeldLease}.
   *
   * @param engine who holds it; not blank
   * @param epoch greater than every epoch that the store had seen before
   * @param length how long it lasts from a moment within the call that gave or renewed it
   */
  record Lease(String engine, long epoch, Duration length) {

    private static final Duration SHORTEST = Duration.ofMillis(1);
    private static final Duration LONGEST = Duration.ofDays(365);

    /**
     * Checks the name and the length.
     *
     * @throws IllegalArgumentException when there is no name, or the length is not from 1 ms to 365
     *     days
     */
    public Lease {
      if (engine.isBlank()) {
        throw new IllegalArgumentException("a lease takes the name of an engine; received none");
      }
      if (length.compareTo(SHORTEST) < 0 || length.compareTo(LONGEST) > 0) {
        throw new IllegalArgumentException(
            "a lease takes 1 ms to 365 days; received %s for %s".formatted(length, engine));
      }
    }
  }

  /**
   * The lease as everybody sees it.
   *
   * @param engine who holds it
   * @param epoch the epoch of its holder
   * @param left how long it lasts unless it is renewed; above zero
   */
  record LeaseView(String engine, long epoch, Duration left) {}

  /**
   * Appends events after the last entry, all or none. Appends of several threads may be written
   * together; their events do not mix.
   *
   * @param epoch the writer's epoch, 1 or more; from then on older ones are refused
   * @param events the events as JSON; none only looks whether the epoch may write
   * @return the position of the last event appended; that of the last entry when there was none
   * @throws IllegalArgumentException when an event has a NUL or half of a surrogate pair, which not
   *     every store can keep
   * @throws dev.clustered.model.ClusterException with the code {@code ENGINE_DEPOSED} when the
   *     store has seen a newer epoch, or {@code STORE_FAILED}
   */
  long append(long epoch, List<String> events);

  /**
   * Entries in order. Whoever follows the journal reads from the position after the last one that
   * it has; the list is empty while there is nothing new.
   *
   * @param from the first position wanted, 1 or more
   * @param limit how many at most, 1 or more
   * @throws dev.clustered.model.ClusterException with the code {@code JOURNAL_COMPACTED} when the
   *     entry wanted first has been replaced by a snapshot, which then is to be read, or {@code
   *     STORE_FAILED}
   */
  List<Entry> read(long from, int limit);

  /**
   * Replaces all entries up to a position, and an older snapshot, by a snapshot.
   *
   * @param epoch the writer's epoch, as for an append
   * @param position the last entry that the snapshot stands for; not before that of the newest
   *     snapshot, nor after the last entry
   * @param snapshot the state after that entry as JSON, with what an event may not have
   * @throws IllegalArgumentException when there is no such entry
   * @throws dev.clustered.model.ClusterException as for an append
   */
  void compact(long epoch, long position, String snapshot);

  /**
   * The newest snapshot; empty before the first.
   *
   * @throws dev.clustered.model.ClusterException with the code {@code STORE_FAILED}
   */
  Optional<Snapshot> snapshot();

  /**
   * The lease, when nobody holds one that has not run out; of several that ask, one gets it. From
   * then on the epochs of earlier holders are refused. {@link HeldLease#acquire} is the way to ask.
   *
   * @param engine who asks; a name of its own for each start of an engine, since its own lease too
   *     has to run out or to be released first
   * @param length 1 ms to 365 days
   * @throws dev.clustered.model.ClusterException with the code {@code STORE_FAILED}
   */
  Optional<Lease> acquire(String engine, Duration length);

  /**
   * Counts a lease anew from now.
   *
   * @return false when it has run out, was released, or another engine holds one
   * @throws dev.clustered.model.ClusterException with the code {@code STORE_FAILED}; whether it was
   *     renewed is not known then
   */
  boolean renew(Lease lease);

  /**
   * Ends a lease, so that the next engine gets one at once; does nothing when it has ended already.
   *
   * @throws dev.clustered.model.ClusterException with the code {@code STORE_FAILED}
   */
  void release(Lease lease);

  /**
   * The lease that has not run out; empty when nobody holds one.
   *
   * @throws dev.clustered.model.ClusterException with the code {@code STORE_FAILED}
   */
  Optional<LeaseView> holder();

  /** Gives back what the store holds open, but no lease; a second call does nothing. */
  @Override
  void close();

  /**
   * Checks what a call of {@link #append} or {@link #compact} gets, for those who write stores.
   *
   * @throws IllegalArgumentException when the JSON has a NUL or half of a surrogate pair
   */
  static void requireStorable(String json) {
    for (int at = 0; at < json.length(); at++) {
      char letter = json.charAt(at);
      boolean pair =
          Character.isHighSurrogate(letter)
              && at + 1 < json.length()
              && Character.isLowSurrogate(json.charAt(at + 1));
      if (pair) {
        at++;
      } else if (letter == 0 || Character.isSurrogate(letter)) {
        throw new IllegalArgumentException(
            "a journal keeps neither a NUL nor half of a surrogate pair; received \\u%04x at %d of %d; JSON can write it as an escape"
                .formatted((int) letter, at, json.length()));
      }
    }
  }
}
