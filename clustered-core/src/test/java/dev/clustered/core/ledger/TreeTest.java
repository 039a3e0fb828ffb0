// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.ledger;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class TreeTest {

  private static List<Integer> values(Tree<Integer, Integer> tree) {
    return tree.fold(
        List.<Integer>of(),
        (list, value) -> {
          List<Integer> longer = new ArrayList<>(list);
          longer.add(value);
          return longer;
        });
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5})
  void isLikeASortedMapAndStaysLow(long seed) {
    Random random = new Random(seed);
    TreeMap<Integer, Integer> model = new TreeMap<>();
    Tree<Integer, Integer> tree = Tree.empty();
    for (int step = 0; step < 2_000; step++) {
      int key = random.nextInt(300);
      if (random.nextInt(5) < 2) {
        model.remove(key);
        tree = tree.without(key);
      } else {
        model.put(key, step);
        tree = tree.with(key, step);
      }
      assertThat(tree.get(key)).isEqualTo(Optional.ofNullable(model.get(key)));
      double lowest = Math.log(model.size() + 2.0) / Math.log(2);
      assertThat((double) tree.height()).isLessThanOrEqualTo(1.45 * lowest);
    }
    assertThat(values(tree)).isEqualTo(List.copyOf(model.values()));
  }
}
