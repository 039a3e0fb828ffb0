// SPDX-License-Identifier: Apache-2.0

/** What applications use: {@link dev.clustered.Clusters} is the entry. */
@CheckReturnValue
package dev.clustered;

import dev.clustered.model.CheckReturnValue;
