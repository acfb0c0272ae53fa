package io.twinbell.receiver;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Databases with the receiver's tables and a table {@code effect} that its calls change. */
public final class ReceiverDatabases {
    private static final AtomicInteger NAMES = new AtomicInteger();

    private ReceiverDatabases() {}

    /** Starts one server for all tests of a JVM when the first one asks. */
    private static final class Server {
        private static final EmbeddedPostgres POSTGRES = start();

        private static EmbeddedPostgres start() {
            try {
                return EmbeddedPostgres.start();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    /** A new database of this product, {@code postgresql} or {@code h2}; of PostgreSQL a new schema, which is as good. */
    public static DataSource fresh(String product) throws SQLException {
        String name = "receiver" + NAMES.incrementAndGet();
        DataSource database;
        if (product.equals("h2")) {
            JdbcDataSource h2 = new JdbcDataSource();
            h2.setURL("jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1;LOCK_TIMEOUT=10000");
            database = h2;
        } else {
            PGSimpleDataSource postgres = (PGSimpleDataSource) Server.POSTGRES.getPostgresDatabase();
            execute(postgres, "create schema " + name);
            postgres.setCurrentSchema(name);
            database = postgres;
        }
        try (Connection connection = database.getConnection()) {
            ExactlyOnceReceiver.createTables(connection);
            ExactlyOnceReceiver.createTables(connection);
        }
        execute(database, "create table effect (name varchar(200))");
        return database;
    }

    public static void execute(DataSource database, String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    public static long number(DataSource database, String sql) throws SQLException {
        try (Connection connection = database.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return row.getLong(1);
        }
    }
}
