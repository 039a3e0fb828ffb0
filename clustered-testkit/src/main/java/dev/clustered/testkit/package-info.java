// SPDX-License-Identifier: Apache-2.0

/**
 * What tests of clusters and backends use: {@link dev.clustered.testkit.NothingLeft} after every
 * test, and the contracts that a backend or a runtime extends.
 */
package dev.clustered.testkit;
