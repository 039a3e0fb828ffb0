// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.core.plan.Demand.Group;
import dev.clustered.model.Resources;
import dev.clustered.model.Shape;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Which searches there are for a gang, and which of them finds the best place. */
final class Searches {

  static final Comparator<Resources> SMALLEST_FIRST =
      Comparator.comparingInt(Resources::gpus)
          .thenComparingInt(Resources::cpus)
          .thenComparing(Resources::memory);

  /** The smallest shapes first, those of the first roles before those of later ones. */
  private static final Comparator<Search> BY_SHAPES = Searches::compareShapes;

  private static final Comparator<Search> BY_NAME =
      Comparator.comparing(Search::backend)
          .thenComparing(search -> search.shapes().stream().map(Shape::name).toList().toString());

  /** So many choices of shapes are tried in a backend, the smallest shapes first. */
  private static final int MOST_CHOICES = 64;

  private Searches() {}

  private static int compareShapes(Search one, Search other) {
    for (int number = 0; number < one.shapes().size(); number++) {
      int order =
          SMALLEST_FIRST.compare(
              one.shapes().get(number).resources(), other.shapes().get(number).resources());
      if (order != 0) {
        return order;
      }
    }
    return 0;
  }

  /** One for each backend and choice of shapes, best first. */
  static List<Search> of(
      GangRequest gang, Collection<Places> backends, Predicate<Site> open, Undo undo) {
    Demand demand = new Demand(gang);
    List<Search> searches = new ArrayList<>();
    for (Places places : backends) {
      for (List<Shape> shapes : choices(demand, places)) {
        searches.add(new Search(places, demand, shapes, open, undo));
      }
    }
    searches.sort(BY_SHAPES.thenComparing(BY_NAME));
    return searches;
  }

  /** A shape for each group, in every way that suits them. */
  private static List<List<Shape>> choices(Demand demand, Places places) {
    List<List<Shape>> choices = List.of(List.of());
    for (Group group : demand.groups()) {
      List<List<Shape>> longer = new ArrayList<>();
      for (List<Shape> choice : choices) {
        for (Shape shape : places.shapes()) {
          if (longer.size() < MOST_CHOICES && group.need().fits(places.backend(), shape)) {
            List<Shape> more = new ArrayList<>(choice);
            more.add(shape);
            longer.add(more);
          }
        }
      }
      choices = longer;
    }
    return choices;
  }

  /**
   * Takes the nodes of the gang's best place: where it starts with most ranks, then on the smallest
   * shapes, then where least is left over, then the first by name.
   */
  static Optional<Placement> take(List<Search> searches, int most) {
    Optional<Search> best = Optional.empty();
    Optional<Search.Fit> bestFit = Optional.empty();
    for (Search search : searches) {
      if (bestFit.filter(fit -> fit.ranks() == most).isPresent()
          && compareShapes(best.orElseThrow(), search) < 0) {
        break; // It is on larger shapes, and so are all that follow.
      }
      Optional<Search.Fit> fit = search.fit();
      if (fit.isPresent()
          && (best.isEmpty() || better(search, fit.get(), best.get(), bestFit.orElseThrow()))) {
        best = Optional.of(search);
        bestFit = fit;
      }
    }
    return best.isPresent() ? best.get().take(bestFit.orElseThrow().place()) : Optional.empty();
  }

  /** Of two that are equal in all of this the one that comes first is kept. */
  private static boolean better(Search search, Search.Fit fit, Search than, Search.Fit thanFit) {
    if (fit.ranks() != thanFit.ranks()) {
      return fit.ranks() > thanFit.ranks();
    }
    int byShapes = compareShapes(search, than);
    return byShapes == 0 ? search.left(fit) < than.left(thanFit) : byShapes < 0;
  }
}
