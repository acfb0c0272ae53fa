package io.twinbell.persistence.database;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;

/**
 * Opens sessions that begin with the node's settings. A pooler such as PgBouncer refuses the startup parameter {@code
 * options} or ignores it, so behind a pooler the first statements set what it contains. All sessions of a process share
 * one object. Thread-safe.
 */
final class StartupOptions {
    private static final String PARAMETER = "options";

    private static final String SET = """
            select pg_catalog.set_config(o.name, o.setting, false)
            from unnest(?::pg_catalog.text[], ?::pg_catalog.text[]) as o (name, setting)""";

    private volatile boolean isRefused;
    private boolean keepsSessions;

    /** Opens a session, without the options if the server refuses them. Call {@link #begin} before using it. */
    Connection connect(String url, Properties properties) throws SQLException {
        if (!isRefused) {
            try {
                return DriverManager.getConnection(url, properties);
            } catch (SQLException e) {
                if (!PoolerCheck.refusesOptions(e)) {
                    throw e;
                }
                isRefused = true;
            }
        }
        Properties without = new Properties();
        without.putAll(properties);
        without.remove(PARAMETER);
        return DriverManager.getConnection(url, without);
    }

    /**
     * Gives a new session the node's settings.
     *
     * @param properties those with which it was opened
     * @throws SQLException if a statement fails, or if a pooler gives each transaction another session; other clients
     *     of the pooler then see no setting of the node
     */
    void begin(Connection connection, DatabaseSettings settings, Properties properties) throws SQLException {
        boolean isDirect = SessionSettings.beginDirect(connection);
        if (isDirect && !isRefused) {
            return;
        }
        requireSessions(settings);
        set(connection, parsed(String.valueOf(properties.getOrDefault(PARAMETER, ""))));
        try (Statement statement = connection.createStatement()) {
            statement.execute(SessionSettings.AT_BEGIN);
        }
    }

    /** Checked once, on connections without the node's settings. */
    private synchronized void requireSessions(DatabaseSettings settings) throws SQLException {
        if (!keepsSessions) {
            if (PoolerCheck.isByTransaction(settings.dataSource("pooler-check"))) {
                throw PoolerCheck.refused();
            }
            keepsSessions = true;
        }
    }

    private static void set(Connection connection, Map<String, String> options) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(SET)) {
            statement.setArray(
                    1, connection.createArrayOf("text", options.keySet().toArray()));
            statement.setArray(
                    2, connection.createArrayOf("text", options.values().toArray()));
            statement.execute();
        }
    }

    /**
     * The settings in the startup parameter, as the server reads it: words of the form {@code -c name=value} or
     * {@code --name=value}, in which a backslash keeps the next character.
     *
     * @throws SQLException for another option, which only the server itself understands
     */
    static Map<String, String> parsed(String options) throws SQLException {
        Map<String, String> settings = new LinkedHashMap<>();
        List<String> words = words(options);
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            String setting = word;
            if (word.equals("-c") && i + 1 < words.size()) {
                i++;
                setting = words.get(i);
            } else if (word.startsWith("-c") || word.startsWith("--")) {
                setting = word.substring(2);
            }
            int equals = setting.indexOf('=');
            if (!word.startsWith("-c") && !word.startsWith("--") || equals < 1) {
                throw new SQLException(
                        "database.url has the option \"" + word + "\", which cannot be set behind a pooler: write"
                                + " options=-c%20name=value, or point database.url directly to PostgreSQL",
                        "08001");
            }
            settings.put(setting.substring(0, equals).replace('-', '_'), setting.substring(equals + 1));
        }
        return settings;
    }

    private static List<String> words(String options) {
        List<String> words = new ArrayList<>();
        StringBuilder word = new StringBuilder();
        boolean isInWord = false;
        for (int i = 0; i < options.length(); i++) {
            char next = options.charAt(i);
            boolean isKept = next == '\\' && i + 1 < options.length();
            if (!isKept && Character.isWhitespace(next)) {
                if (isInWord) {
                    words.add(word.toString());
                }
                word.setLength(0);
                isInWord = false;
                continue;
            }
            if (isKept) {
                i++;
                next = options.charAt(i);
            }
            word.append(next);
            isInWord = true;
        }
        if (isInWord) {
            words.add(word.toString());
        }
        return words;
    }
}
