// SPDX-License-Identifier: Apache-2.0

import org.jspecify.annotations.NullMarked;

/** Durable engine state over JDBC. */
@NullMarked
module dev.clustered.store.jdbc {
  requires transitive dev.clustered;
  requires transitive java.sql;
  requires org.xerial.sqlitejdbc;
  requires org.postgresql.jdbc;
  requires static org.jspecify;

  exports dev.clustered.store.jdbc;
}
