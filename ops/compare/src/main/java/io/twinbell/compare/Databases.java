package io.twinbell.compare;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The PostgreSQL server of a comparison, in which each workload gets its own database. */
final class Databases {
    static final String USER = "postgres";

    private final int port;

    Databases(int port) {
        this.port = port;
    }

    NewDatabase named(String name) {
        return new NewDatabase(name, "jdbc:postgresql://127.0.0.1:" + port + "/" + name);
    }

    NewDatabase create(String name) throws SQLException {
        named("postgres").execute("create database " + name);
        return named(name);
    }

    void drop(String name) throws SQLException {
        named("postgres").execute("drop database " + name + " with (force)");
    }

    /** A new database for one workload. */
    record NewDatabase(String name, String url) {
        HikariDataSource pool(int size) {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url);
            config.setUsername(USER);
            config.setPassword(USER);
            config.setMaximumPoolSize(size);
            return new HikariDataSource(config);
        }

        Connection connect() throws SQLException {
            return DriverManager.getConnection(url, USER, USER);
        }

        void execute(String sql) throws SQLException {
            try (Connection connection = connect();
                    Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }

        void executeResource(String path) throws SQLException, IOException {
            try (InputStream text = NewDatabase.class.getResourceAsStream(path)) {
                if (text == null) {
                    throw new IOException("no " + path + " on the class path");
                }
                execute(new String(text.readAllBytes(), StandardCharsets.UTF_8));
            }
        }

        boolean has(String table) throws SQLException {
            return number("select count(*) from pg_class where relname = '" + table + "'") > 0;
        }

        long number(String query) throws SQLException {
            return Long.parseLong(text(query));
        }

        String text(String query) throws SQLException {
            try (Connection connection = connect();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(query)) {
                row.next();
                return row.getString(1);
            }
        }
    }
}
