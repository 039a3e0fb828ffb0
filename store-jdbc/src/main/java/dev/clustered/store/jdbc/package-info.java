// SPDX-License-Identifier: Apache-2.0

/** Durable engine state over JDBC. */
package dev.clustered.store.jdbc;
