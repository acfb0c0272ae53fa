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
    /** All rows of a query are in memory at once, and their tasks: this many fit into a heap of 256 MB. */
    private static final int MAX_ROWS = 50_000;

    /** Characters and bytes of all queries together. */
    private static final long MAX_TOTAL = 32L * 1024 * 1024;
    /** A driver reads so many rows at once before it can be told that they are too long. */
    private static final int FETCH_SIZE = 10;

    private static final int CONNECT_SECONDS = 10;
    private static final int QUERY_SECONDS = 300;
    private static final String POSTGRESQL = "jdbc:postgresql:";

    private final Connection connection;
    private final boolean isPostgres;
    private final int maxBytes;
    private long total;

    private JdbcSource(Connection connection, boolean isPostgres, int maxBytes) {
        this.connection = connection;
        this.isPostgres = isPostgres;
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
            bound(url, login);
            Connection connection =
                    driver == null ? DriverManager.getConnection(url, login) : connect(url, login, driver);
            connection.setReadOnly(true);
            connection.setAutoCommit(false);
            return new JdbcSource(connection, url.startsWith(POSTGRESQL), maxBytes);
        } catch (SQLException e) {
            // Some drivers repeat the URL, which may contain a password.
            String reason = String.valueOf(e.getMessage()).replace(url, shown(url));
            throw new SourceException("Can't connect to " + shown(url) + ": " + reason, e);
        }
    }

    /** PostgreSQL's driver can be told to read in small parts, and to give up. A URL that says otherwise prevails. */
    private static void bound(String url, Properties login) {
        if (url.startsWith(POSTGRESQL)) {
            login.setProperty("connectTimeout", Integer.toString(CONNECT_SECONDS));
            login.setProperty("socketTimeout", Integer.toString(2 * QUERY_SECONDS));
            login.setProperty("maxResultBuffer", Long.toString(MAX_TOTAL));
            login.setProperty("adaptiveFetch", "true");
        }
    }

    /** The URL without its parameters, and without a login before the host. */
    static String shown(String url) {
        return url.replaceFirst("[?;].*", "").replaceFirst("//[^/?\\s:@]*:[^?\\s]*@", "//");
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
     * All rows of a query; a binary value is a {@code byte[]}.
     *
     * @param required the columns that the result must have, in capitals
     * @throws SourceException if the query fails, lacks a column, or finds more than 50,000 rows or 32 MB; the message
     *     names it
     */
    public List<SourceRow> rows(String query, List<String> required, String... parameters) throws SourceException {
        List<SourceRow> rows = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(query)) {
            statement.setFetchSize(FETCH_SIZE);
            statement.setMaxRows(MAX_ROWS + 1);
            statement.setQueryTimeout(QUERY_SECONDS);
            for (int i = 0; i < parameters.length; i++) {
                statement.setString(i + 1, parameters[i]);
            }
            try (ResultSet result = statement.executeQuery()) {
                Map<String, Integer> columns = columns(result.getMetaData());
                String missing = SourceRow.missing(columns, required);
                if (missing != null) {
                    throw new SourceException(
                            "The table has no column " + missing + " (" + query
                                    + "): it is not of this scheduler, or of a version that is not supported",
                            null);
                }
                while (result.next()) {
                    rows.add(new SourceRow(columns, values(result)));
                    if (rows.size() > MAX_ROWS || total > MAX_TOTAL) {
                        throw new SourceException(
                                "There are more than " + MAX_ROWS + " rows or " + MAX_TOTAL + " bytes (" + query
                                        + "): import them in parts, each from a view in place of the table",
                                null);
                    }
                }
            }
            connection.rollback();
        } catch (SQLException | IOException e) {
            throw new SourceException("Can't read the tables (" + query + "): " + e.getMessage(), e);
        }
        return rows;
    }

    private static Map<String, Integer> columns(ResultSetMetaData data) throws SQLException {
        Map<String, Integer> columns = new HashMap<>();
        for (int i = 1; i <= data.getColumnCount(); i++) {
            columns.put(data.getColumnLabel(i).toUpperCase(Locale.ROOT), i - 1);
        }
        return columns;
    }

    private Object[] values(ResultSet result) throws SQLException, IOException {
        ResultSetMetaData columns = result.getMetaData();
        Object[] values = new Object[columns.getColumnCount()];
        for (int i = 1; i <= values.length; i++) {
            values[i - 1] = switch (columns.getColumnType(i)) {
                case Types.BINARY, Types.VARBINARY, Types.LONGVARBINARY, Types.BLOB -> bytes(result, i);
                case Types.CLOB, Types.NCLOB, Types.LONGVARCHAR, Types.LONGNVARCHAR -> result.getString(i);
                // PostgreSQL's driver would read a time without a zone in the zone of this machine.
                case Types.TIMESTAMP ->
                    isPostgres && columns.getColumnTypeName(i).equals("timestamp")
                            ? result.getString(i)
                            : result.getObject(i);
                default -> result.getObject(i);
            };
            if (values[i - 1] instanceof Timestamp timestamp) {
                values[i - 1] = timestamp.toInstant();
            }
            total += length(values[i - 1]);
        }
        return values;
    }

    private static int length(Object value) {
        if (value instanceof byte[] bytes) {
            return bytes.length;
        }
        return value == null || value instanceof Number ? 0 : value.toString().length();
    }

    private byte[] bytes(ResultSet result, int column) throws SQLException, IOException {
        try (InputStream stream = result.getBinaryStream(column)) {
            return stream == null ? null : stream.readNBytes(maxBytes + 1);
        }
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
