package io.twinbell.spring.transaction;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/**
 * The schemas in which PostgreSQL looks for the application's tables. They may differ from those of the node's sessions,
 * by {@code currentSchema} in the URL, by a setting of the pool or by the role.
 */
final class ApplicationSchemas {
    /** The search path of a transaction that completes an execution. */
    private static final String OF_NODE = "public";

    private static final String OF_APPLICATION = """
            select coalesce(string_agg(quote_ident(each.name), ', ' order by each.place), '')
            from unnest(current_schemas(false)) with ordinality as each (name, place)""";
    private static final String USE = "select set_config('search_path', ?, true)";

    private final DataSource dataSource;
    private volatile String known;

    ApplicationSchemas(DataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** Uses them until the transaction of the connection ends. */
    void use(Connection connection) throws SQLException {
        if (!connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
            // In a test in virtual time, it is a connection of the application.
            return;
        }
        String own = known;
        if (own == null) {
            own = read();
            known = own;
        }
        if (!own.equals(OF_NODE)) {
            try (PreparedStatement statement = connection.prepareStatement(USE)) {
                statement.setString(1, own);
                statement.execute();
            }
        }
    }

    /** From a connection of the application, once: each of its connections has the same setting. */
    private String read() throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(OF_APPLICATION)) {
            row.next();
            return row.getString(1);
        }
    }
}
