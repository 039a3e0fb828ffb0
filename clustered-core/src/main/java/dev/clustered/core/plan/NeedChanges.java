// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.Change;
import dev.clustered.model.RdmaOptions;
import dev.clustered.model.Resources;
import dev.clustered.model.StartChange;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** The changes of what the ranks of a gang need of their nodes, each tried. */
final class NeedChanges {

  /** How many lower rates of RDMA are tried. */
  private static final int MOST_RATES = 4;

  private final Snapshot snapshot;
  private final GangRequest gang;
  private final Trials trials;

  NeedChanges(Snapshot snapshot, GangRequest gang, Trials trials) {
    this.snapshot = snapshot;
    this.gang = gang;
    this.trials = trials;
  }

  /** All of them, the cheapest first; none is tried before it is asked for. */
  List<Supplier<Optional<StartChange>>> all() {
    return List.of(
        this::tolerated,
        this::noAttribute,
        this::anyGpuModel,
        this::anyShape,
        this::lowerRdma,
        this::noRdma,
        this::anyBackend);
  }

  /** The gang with all its needs otherwise; empty when that is no change. */
  private Optional<Snapshot> needs(UnaryOperator<Need> change) {
    GangRequest other = gang.withEachRole(role -> role.withNeed(change.apply(role.need())));
    return other.equals(gang) ? Optional.empty() : Optional.of(snapshot.withWaiting(other));
  }

  private List<Need> needs() {
    return Stream.concat(Stream.of(gang.roles()), gang.alternatives().stream())
        .flatMap(Collection::stream)
        .map(Role::need)
        .distinct()
        .toList();
  }

  private Optional<StartChange> tolerated() {
    TreeSet<String> taints = new TreeSet<>();
    snapshot.nodes().stream()
        .filter(NodeView::usable)
        .forEach(node -> taints.addAll(node.taints()));
    return trials.first(
        List.copyOf(taints),
        Change.Tolerated::new,
        taint -> needs(need -> need.withToleration(taint)));
  }

  private Optional<StartChange> noAttribute() {
    List<Map.Entry<String, String>> asked =
        needs().stream().flatMap(need -> need.attributes().entrySet().stream()).distinct().toList();
    return trials.first(
        asked,
        entry -> new Change.NoAttribute(entry.getKey(), entry.getValue()),
        entry -> needs(need -> without(need, entry)));
  }

  private static Need without(Need need, Map.Entry<String, String> asked) {
    Map<String, String> fewer = new TreeMap<>(need.attributes());
    fewer.remove(asked.getKey(), asked.getValue());
    return new Need(
        need.backend(),
        need.shape(),
        need.each(),
        need.rdma(),
        fewer,
        need.tolerates(),
        need.perNode());
  }

  private static Need with(
      Need need,
      Optional<String> backend,
      Optional<String> shape,
      Optional<Resources> each,
      Optional<RdmaOptions> rdma) {
    return new Need(
        backend, shape, each, rdma, need.attributes(), need.tolerates(), need.perNode());
  }

  private Optional<StartChange> anyGpuModel() {
    List<String> asked =
        needs().stream()
            .flatMap(need -> need.each().stream())
            .map(Resources::gpuModel)
            .filter(model -> !model.isEmpty())
            .distinct()
            .toList();
    return trials.first(
        asked,
        Change.AnyGpuModel::new,
        model ->
            needs(n -> with(n, n.backend(), n.shape(), n.each().map(e -> of(e, model)), n.rdma())));
  }

  private static Resources of(Resources each, String model) {
    return each.gpuModel().equals(model)
        ? new Resources(each.gpus(), "", each.cpus(), each.memory())
        : each;
  }

  private Optional<StartChange> anyShape() {
    return trials.first(
        needs().stream().flatMap(need -> need.shape().stream()).distinct().toList(),
        Change.AnyShape::new,
        shape ->
            needs(
                n ->
                    with(
                        n,
                        n.backend(),
                        n.shape().filter(s -> !s.equals(shape)),
                        n.each(),
                        n.rdma())));
  }

  private int rate() {
    return needs().stream()
        .flatMap(need -> need.rdma().stream())
        .mapToInt(RdmaOptions::minimumGigabits)
        .max()
        .orElse(0);
  }

  private Optional<StartChange> lowerRdma() {
    TreeSet<Integer> rates = new TreeSet<>(Comparator.reverseOrder());
    snapshot.nodes().forEach(node -> rates.add(node.shape().rdmaGigabits()));
    snapshot.offers().forEach(offer -> rates.add(offer.shape().rdmaGigabits()));
    int asked = rate();
    return trials.first(
        rates.stream().filter(rate -> rate > 0 && rate < asked).limit(MOST_RATES).toList(),
        rate -> new Change.LowerRdma(asked, rate),
        rate -> rdma(wish -> Optional.of(new RdmaOptions(Math.min(rate, wish.minimumGigabits())))));
  }

  private Optional<Snapshot> rdma(Function<RdmaOptions, Optional<RdmaOptions>> change) {
    return needs(n -> with(n, n.backend(), n.shape(), n.each(), n.rdma().flatMap(change)));
  }

  private Optional<StartChange> noRdma() {
    return rdma(wish -> Optional.empty()).flatMap(s -> trials.with(new Change.NoRdma(), s));
  }

  private Optional<StartChange> anyBackend() {
    return trials.first(
        gang.backend().stream().toList(),
        Change.AnyBackend::new,
        backend -> needs(n -> with(n, Optional.empty(), n.shape(), n.each(), n.rdma())));
  }
}
