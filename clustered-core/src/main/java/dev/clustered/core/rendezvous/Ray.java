// SPDX-License-Identifier: Apache-2.0

package dev.clustered.core.rendezvous;

import java.util.Map;

/** To come. */
final class Ray implements Handing {
}
