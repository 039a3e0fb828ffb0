// SPDX-License-Identifier: Apache-2.0

/**
 * Durable engine state over JDBC: {@link dev.clustered.store.jdbc.SqliteStore} for engines of one
 * machine, {@link dev.clustered.store.jdbc.PostgresStore} for those of several.
 */
package dev.clustered.store.jdbc;
