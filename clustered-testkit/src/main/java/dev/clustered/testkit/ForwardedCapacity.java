// SPDX-License-Identifier: Apache-2.0

package dev.clustered.testkit;

import dev.clustered.model.Offer;
import dev.clustered.spi.CapacityProvider;
import dev.clustered.spi.Instance;
import dev.clustered.spi.LaunchRequest;
import dev.clustered.spi.Notice;
import java.util.Collection;
import java.util.List;

/**
 * Capacity that asks another for everything: a test extends it and changes what it is about.
 * Thread-safe if the other is.
 */
public class ForwardedCapacity implements CapacityProvider {

  private final CapacityProvider real;

  /** Forwards to this one. */
  public ForwardedCapacity(CapacityProvider real) {
    this.real = real;
  }

  @Override
  public List<Offer> offers() {
    return real.offers();
  }

  @Override
  public List<Instance> launch(LaunchRequest request) throws InterruptedException {
    return real.launch(request);
  }

  @Override
  public List<Instance> list(String owner) throws InterruptedException {
    return real.list(owner);
  }

  @Override
  public void terminate(Collection<String> instanceIds) throws InterruptedException {
    real.terminate(instanceIds);
  }

  @Override
  public List<Notice> notices() {
    return real.notices();
  }
}
