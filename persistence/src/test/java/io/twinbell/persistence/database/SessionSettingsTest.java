package io.twinbell.persistence.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

/** A node's sessions override each listed setting, even if the whole database has another value. */
class SessionSettingsTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.emptyDatabase();

    /** The listed settings that this server knows, with the time limits of sessions among them. */
    static List<String> known() throws SQLException {
        List<String> names = new ArrayList<>();
        for (String name : Stream.concat(
                        SessionSettings.all().keySet().stream(), DatabaseSettings.BOUNDED_SETTINGS.stream())
                .toList()) {
            if (name.startsWith("plpgsql.")
                    || one("select name from pg_settings where lower(name) = ?", name)
                            .isPresent()) {
                names.add(name);
            }
        }
        return names;
    }

    @ParameterizedTest
    @MethodSource("known")
    void sessions_of_the_node_have_its_own_value(String name) throws SQLException {
        String hostile = hostile(name);
        String database = DATABASE.getDatabaseName();
        TestPostgres.execute(DATABASE, "alter database " + database + " set " + name + " = '" + hostile + "'");
        try (Connection plain = DATABASE.getConnection()) {
            assertEquals(hostile.toLowerCase(Locale.ROOT), setting(plain, name).toLowerCase(Locale.ROOT));
        }
        DatabaseSettings settings = TestSettings.of(DATABASE, "a");
        try (DedicatedConnection connection = new DedicatedConnection(settings, "claim", 3);
                Connection migrating = settings.forMigrations().getConnection()) {
            for (String seen : List.of(connection.run(c -> setting(c, name)), setting(migrating, name))) {
                String wanted = SessionSettings.all().get(name);
                if (wanted == null) {
                    assertNotEquals(hostile, seen);
                } else {
                    assertEquals(wanted, seen.replaceAll("(?<=50)ms", ""));
                }
            }
        } finally {
            TestPostgres.execute(DATABASE, "alter database " + database + " reset " + name);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"off", "local", "remote_write"})
    void no_role_or_database_makes_commits_weaker_than_the_server_promises(String weaker) throws SQLException {
        String database = DATABASE.getDatabaseName();
        TestPostgres.execute(DATABASE, "alter database " + database + " set synchronous_commit = " + weaker);
        try (DedicatedConnection connection = new DedicatedConnection(TestSettings.of(DATABASE, "a"), "claim", 3)) {
            assertEquals("on", connection.run(c -> setting(c, "synchronous_commit")));
        } finally {
            TestPostgres.execute(DATABASE, "alter database " + database + " reset synchronous_commit");
        }
    }

    @Test
    void a_stronger_commit_than_the_usual_one_stays() throws SQLException {
        String database = DATABASE.getDatabaseName();
        TestPostgres.execute(DATABASE, "alter database " + database + " set synchronous_commit = remote_apply");
        try (DedicatedConnection connection = new DedicatedConnection(TestSettings.of(DATABASE, "a"), "claim", 3)) {
            assertEquals("remote_apply", connection.run(c -> setting(c, "synchronous_commit")));
        } finally {
            TestPostgres.execute(DATABASE, "alter database " + database + " reset synchronous_commit");
        }
    }

    /** Another value than the node's and the server's, as the server itself describes it. */
    private static String hostile(String name) throws SQLException {
        Map<String, String> words = new TreeMap<>(Map.of(
                "search_path", "nowhere",
                "default_table_access_method", "heap2",
                "restrict_nonsystem_relation_kind", "view",
                "plpgsql.extra_errors", "all",
                "plpgsql.extra_warnings", "all",
                "plpgsql.variable_conflict", "use_column",
                "client_connection_check_interval", "7ms",
                "tcp_user_timeout", "7000",
                "synchronous_commit", "off"));
        if (name.equals("default_table_access_method")) {
            TestPostgres.execute(DATABASE, "create access method heap2 type table handler heap_tableam_handler");
        }
        if (words.containsKey(name)) {
            return words.get(name);
        }
        String wanted = SessionSettings.all().getOrDefault(name, "on");
        Optional<String> word = one(
                "select word from pg_settings, unnest(case vartype when 'bool' then '{on,off}' else enumvals end) as word"
                        + " where lower(name) = ? and word <> '" + wanted + "' limit 1",
                name);
        return word.isPresent() ? word.get() : name.contains("timeout") ? "77s" : "7";
    }

    private static Optional<String> one(String query, String name) throws SQLException {
        try (Connection connection = DATABASE.getConnection();
                PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() ? Optional.of(row.getString(1)) : Optional.empty();
            }
        }
    }

    private static String setting(Connection connection, String name) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("select current_setting(?)")) {
            statement.setString(1, name);
            try (ResultSet row = statement.executeQuery()) {
                assertTrue(row.next());
                return row.getString(1);
            }
        }
    }
}
