package io.twinbell.node.defaults.store;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Reads defaults on a given connection. */
public final class DefaultsRows {
    static final String SELECT = """
            select key, version, content, twinbell.millis(created_at), twinbell.millis(updated_at)
            from twinbell.task_defaults""";
    /** A single row without a key if there are no defaults any more, as after the restoration of an older backup. */
    private static final String CHANGED = """
            select d.key, d.version, d.content, twinbell.millis(d.created_at), twinbell.millis(d.updated_at)
            from (select max(version) as newest from twinbell.task_defaults) n
              left join twinbell.task_defaults d on true
            where n.newest is distinct from nullif(?, 0)""";

    private DefaultsRows() {}

    /**
     * Returns all defaults, with empty content for removed ones; empty if the version is still the greatest one.
     *
     * @param version the greatest version that the caller has read; 0 for none
     */
    public static Optional<List<StoredDefaults>> changedSince(Connection connection, long version) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(CHANGED)) {
            statement.setLong(1, version);
            List<StoredDefaults> all = read(statement);
            return all.isEmpty()
                    ? Optional.empty()
                    : Optional.of(all.stream().filter(one -> one.key() != null).toList());
        }
    }

    static List<StoredDefaults> read(PreparedStatement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery()) {
            List<StoredDefaults> found = new ArrayList<>();
            while (rows.next()) {
                found.add(new StoredDefaults(
                        rows.getString(1), rows.getLong(2), rows.getString(3), rows.getLong(4), rows.getLong(5)));
            }
            return found;
        }
    }
}
