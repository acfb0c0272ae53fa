package io.twinbell.tools.importer;

import java.io.IOException;
import java.io.InputStream;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.ResultSetMetaData;
import java.sql.SQLException;
import java.sql.Timestamp;
import java.sql.Types;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;

/** The database of another scheduler, read only. */
public final class JdbcSource implements AutoCloseable {
    /** All rows of a query are in memory at once. */
    private static final int MAX_ROWS = 100_000;

    private static final int FETCH_SIZE = 1_000;

    private final Connection connection;
    private final int maxBytes;

    private JdbcSource(Connection connection, int maxBytes) {
        this.connection = connection;
        this.maxBytes = maxBytes;
    }

    /**
     * Connects to the database.
     *
     * @param driver a jar with the database's JDBC driver; null for PostgreSQL, whose driver is included
     * @param maxBytes the longest binary value; of a longer one, one more byte is read, so that its reader rejects it
     * @throws SourceException if the connection fails
     */
    public static JdbcSource open(String url, Properties login, Path driver, int maxBytes) throws SourceException {
        try {
            Connection connection =
                    driver == null ? DriverManager.getConnection(url, login) : connect(url, login, driver);
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            return new JdbcSource(connection, maxBytes);
        } catch (SQLException e) {
            // Some drivers repeat the URL, which may contain a password.
            String reason = String.valueOf(e.getMessage()).replace(url, shown(url));
            throw new SourceException("Can't connect to " + shown(url) + ": " + reason, e);
        }
    }

    /** The URL without its parameters. */
    private static String shown(String url) {
        return url.replaceFirst("[?;].*", "");
    }

    private static Connection connect(String url, Properties login, Path jar) throws SQLException, SourceException {
        if (!Files.isReadable(jar)) {
            throw new SourceException("Jar " + jar + " does not exist or can't be read", null);
        }
        try {
            // Stays open as long as the process, because the connection may load classes at any time.
            URLClassLoader classes = new URLClassLoader(new URL[] {jar.toUri().toURL()});
            for (Driver driver : ServiceLoader.load(Driver.class, classes)) {
                Connection connection = driver.acceptsURL(url) ? driver.connect(url, login) : null;
                if (connection != null) {
                    return connection;
                }
            }
        } catch (MalformedURLException e) {
            throw new SourceException("The path " + jar + " is not valid: " + e.getMessage(), e);
        } catch (ServiceConfigurationError | LinkageError e) {
            throw new SourceException("The driver in " + jar + " cannot be loaded: " + e.getMessage(), e);
        }
        throw new SourceException("No driver in " + jar + " accepts " + shown(url), null);
    }

    /**
     * All rows, each by the names of its columns in capitals; a binary value is a {@code byte[]}.
     *
     * @throws SourceException if the query fails, or finds more than 100,000 rows; the message names it
     */
    public List<Map<String, Object>> rows(String query, String... parameters) throws SourceException {
        List<Map<String, Object>> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setFetchSize(FETCH_SIZE);
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet result = statement.executeQuery()) {
                while (result.next()) {
                    if (rows.size() == MAX_ROWS) {
                        throw new SourceException(
                                "There are more than " + MAX_ROWS + " rows (" + query
                                        + "): import them in parts, each from a view in place of the table",
                                null);
                    }
                    rows.add(row(result));
                }
            }
            connection.rollback();
        } catch (SQLException | IOException e) {
            throw new SourceException("Can't read the tables (" + query + "): " + e.getMessage(), e);
        }
        return rows;
    }

    private Map<String, Object> row(ResultSet result) throws SQLException, IOException {
        ResultSetMetaData columns = result.getMetaData();
        Map<String, Object> row = new HashMap<>();
        for (int i = 1; i <= columns.getColumnCount(); i++) {
            row.put(
                    columns.getColumnLabel(i).toUpperCase(Locale.ROOT),
                    switch (columns.getColumnType(i)) {
                        case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> bytes(result, i);
                        case Types.CLOB, Types.NCLOB, Types.LONGVARCHAR, Types.LONGNVARCHAR -> result.getString(i);
                        default -> result.getObject(i);
                    });
        }
        return row;
    }

    private byte[] bytes(ResultSet result, int column) throws SQLException, IOException {
        try (InputStream stream = result.getBinaryStream(column)) {
            return stream == null ? null : stream.readNBytes(maxBytes + 1);
        }
    }

    /** A value as text, or null. */
    public static String text(Map<String, Object> row, String column) {
        Object value = row.get(column);
        return value == null ? null : value.toString();
    }

    /** A whole number; 0 if there is none. */
    public static long number(Map<String, Object> row, String column) {
        return row.get(column) instanceof Number number ? number.longValue() : 0;
    }

    /**
     * A time with its zone, as drivers give it.
     *
     * @throws java.time.DateTimeException if the column is empty, or its time has no zone
     */
    public static Instant instant(Map<String, Object> row, String column) {
        Object value = row.get(column);
        if (value instanceof Timestamp timestamp) {
            return timestamp.toInstant();
        }
        return value instanceof OffsetDateTime time ? time.toInstant() : Instant.parse(String.valueOf(value));
    }

    @Override
    public void close() throws SourceException {
        try {
            connection.close();
        } catch (SQLException e) {
            throw new SourceException("Can't close the connection: " + e.getMessage(), e);
        }
    }
}
