// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.plan;

import dev.clustered.model.ClusterId;
import dev.clustered.model.LaunchId;
import dev.clustered.model.Offer;

/** A launch that is under way for a gang. */
public record LaunchView(LaunchId id, ClusterId gang, Offer offer, int nodes) {}
