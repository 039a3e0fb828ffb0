// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LineTest {

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
  void holdsTheSameInTheSameOrderAsATreeWhoeverComesAndLeaves(long seed) {
    Random random = new Random(seed);
    Line<Integer> line = new Line<>();
    TreeSet<Integer> tree = new TreeSet<>();
    for (int step = 0; step < 2_000; step++) {
      boolean leaves = !tree.isEmpty() && random.nextInt(5) < 2;
      if (leaves) {
        Integer first = tree.first();
        Integer gone = random.nextBoolean() ? first : tree.ceiling(random.nextInt(tree.last() + 1));
        assertThat(line.remove(gone)).as("step %d", step).isEqualTo(gone.equals(first));
        tree.remove(gone);
      } else {
        int come = random.nextBoolean() ? step * 10 : random.nextInt(step * 10 + 1);
        if (tree.add(come)) {
          assertThat(line.add(come)).as("step %d", step).isEqualTo(tree.last() == come);
        }
      }
      assertThat(line.inOrder()).as("step %d", step).containsExactlyElementsOf(tree);
      assertThat(line.size()).isEqualTo(tree.size());
      assertThat(line.isEmpty()).isEqualTo(tree.isEmpty());
    }
  }
}
