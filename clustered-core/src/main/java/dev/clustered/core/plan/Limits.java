// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Decision.Refuse;
import dev.clustered.model.ErrorCode;
import dev.clustered.model.WaitReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Why a queue denies a gang something, now or for ever. Not thread-safe. */
final class Limits {

  private final boolean limited;
  private final Accounts accounts;
  private final Measure measure;
  private final Shapes shapes;
  private final Charges charges;

  /**
   * By what the queues own and what is charged to them.
   *
   * @param limited whether there are queues at all
   */
  Limits(boolean limited, Accounts accounts, Shapes shapes, Charges charges) {
    this.limited = limited;
    this.accounts = accounts;
    this.measure = accounts.measure();
    this.shapes = shapes;
    this.charges = charges;
  }

  /** Why the queue of a gang could never have so much, whatever ends. */
  Optional<Refuse> never(GangRequest gang, Total least) {
    return never(gang, least, accounts.find(gang.terms().queue()));
  }

  private Optional<Refuse> never(GangRequest gang, Total least, @Nullable Account known) {
    String queue = gang.terms().queue();
    if (!queue.isEmpty() && known == null) {
      return Optional.of(
          new Refuse(
              gang.id(),
              ErrorCode.INVALID_SPEC,
              "the queue %s of gang %s is unknown; there are: %s"
                  .formatted(
                      queue,
                      gang.id(),
                      limited ? QueueTree.some(accounts.names()) : "none but the root")));
    }
    if (!limited) {
      return Optional.empty();
    }
    Account account = known == null ? accounts.leaf(queue) : known;
    long[] asked = measure.of(least);
    for (int i = asked.length - 1; i >= 0; i--) { // GPUs first: they are what people ask about.
      if (asked[i] > account.most(i)) {
        return Optional.of(
            new Refuse(
                gang.id(),
                ErrorCode.CANNOT_EVER_FIT,
                "gang %s asks %s; %s can never have more than %s, of which it owns %s; ask for less or give it a larger share"
                    .formatted(
                        gang.id(),
                        measure.inWords(i, asked[i]),
                        queue.isEmpty() ? "the root of all queues" : "its queue " + queue,
                        measure.inWords(i, account.most(i)),
                        measure.inWords(i, account.nominal(i)))));
      }
    }
    return Optional.empty();
  }

  /**
   * Why the queue of a gang cannot have so much now.
   *
   * @param demand what the gang would have in all; what it is charged already is part of that
   */
  Optional<WaitReason> refuses(GangRequest gang, Total demand) {
    return limited ? full(gang, demand).map(this::reason) : Optional.empty();
  }

  /** Whether the queue of a gang may have so much in all now. */
  boolean allow(GangRequest gang, Total demand) {
    return full(gang, demand).isEmpty();
  }

  private Optional<Full> full(GangRequest gang, Total demand) {
    return full(gang, demand, accounts.leaf(gang.terms().queue()));
  }

  private Optional<Full> full(GangRequest gang, Total demand, Account account) {
    long[] more = charges.beyond(gang.id(), measure.of(demand));
    for (int i = more.length - 1; i >= 0; i--) {
      Account full = account.full(i, more[i]);
      if (full != null) {
        return Optional.of(new Full(full, account, more, i));
      }
    }
    return Optional.empty();
  }

  private WaitReason reason(Full denial) {
    Account full = denial.account();
    Account asking = denial.asking;
    int gpus = Math.max(denial.amount, Measure.GPUS);
    return new WaitReason.QueueLimit(
        full.queue(),
        measure.resources(denial.more, gpus),
        measure.resources(measure.each(full::held), gpus),
        measure.resources(measure.each(full::limit), gpus),
        measure.resources(measure.each(i -> full.keptFrom(asking, i)), gpus),
        measure.resources(measure.each(i -> full.lentBy(asking, i)), gpus));
  }

  /**
   * Why a gang can have none of some sites as far as its queue goes: refused when that can never
   * change.
   */
  Optional<Denial> denies(GangRequest gang, Kind kind, Set<Site> sites) {
    Account known = accounts.find(gang.terms().queue());
    Optional<Refuse> never = never(gang, Total.NONE, known);
    if (!limited || never.isPresent()) {
      return never.map(refusal -> new Denial(refusal, List.of()));
    }
    Account account = known == null ? accounts.leaf("") : known;
    Optional<Full> first = Optional.empty();
    List<Account> denying = new ArrayList<>();
    for (Site site : sites) {
      Total demand = shapes.at(gang, kind, site);
      Optional<Refuse> neverThere = never(gang, demand, known);
      Optional<Full> fullThere = full(gang, demand, account);
      if (neverThere.isEmpty() && fullThere.isEmpty()) {
        return Optional.empty();
      }
      never = never.or(() -> neverThere);
      if (neverThere.isEmpty()) {
        first = first.or(() -> fullThere);
        fullThere.map(Full::account).ifPresent(denying::add);
      }
    }
    Optional<Decision> waits =
        first.map(f -> new Decision.Wait(gang.id(), List.of(reason(f)), Optional.empty()));
    Optional<? extends Decision> denied = waits.isPresent() ? waits : never;
    return denied.map(decision -> new Denial(decision, denying));
  }

  /**
   * What a queue denies a gang.
   *
   * @param decision that it waits, or why it always would
   * @param full the queues that have to give something back before it can be otherwise
   */
  record Denial(Decision decision, List<Account> full) {}

  /** A queue that can have no more. */
  private static final class Full {
    private final Account account;
    private final Account asking;
    private final long[] more;
    private final int amount;

    Full(Account account, Account asking, long[] more, int amount) {
      this.account = account;
      this.asking = asking;
      this.more = more;
      this.amount = amount;
    }

    Account account() {
      return account;
    }
  }
}
