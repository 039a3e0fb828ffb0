// SPDX-License-Identifier: Apache-2.0

package dev.clustered.examples.digits;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/** An ordered set of images that batches are cut from. Immutable and thread-safe. */
record Samples(List<Sample> all) {

  Samples {
    all = List.copyOf(all);
  }

  int size() {
    return all.size();
  }

  /** The same images in the order that the seed of one epoch gives. */
  Samples shuffled(long seed) {
    List<Sample> shuffled = new ArrayList<>(all.size());
    for (int index : Shuffle.order(all.size(), new Random(seed))) {
      shuffled.add(all.get(index));
    }
    return new Samples(shuffled);
  }

  /** The images from start (inclusive) to end (exclusive), end being cut at the last image. */
  Samples slice(int start, int end) {
    return new Samples(all.subList(start, Math.min(end, all.size())));
  }

  /** The part of these images that falls to one rank: sizes differ by one at most. */
  Samples share(int rank, int ranks) {
    return slice(all.size() * rank / ranks, all.size() * (rank + 1) / ranks);
  }
}
