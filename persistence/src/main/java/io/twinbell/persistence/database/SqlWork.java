package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.SQLException;

/** Work with a connection. */
@FunctionalInterface
public interface SqlWork<T> {
    T with(Connection connection) throws SQLException;
}
