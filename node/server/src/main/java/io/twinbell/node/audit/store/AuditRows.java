package io.twinbell.node.audit.store;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** Reads entries from rows. */
final class AuditRows {
    static final String COLUMNS = """
            id, (extract(epoch from at) * 1000000)::bigint, actor, channel, address, request,
            db_role, kind, object, app, name, act, before, after, outcome, detail, items""";

    private AuditRows() {}

    static List<AuditEntry> read(PreparedStatement statement) throws SQLException {
        List<AuditEntry> entries = new ArrayList<>();
        try (ResultSet row = statement.executeQuery()) {
            while (row.next()) {
                entries.add(new AuditEntry(
                        row.getLong(1),
                        row.getLong(2),
                        new AuditEntry.Author(row.getString(3), row.getString(4), row.getString(5), row.getString(6)),
                        row.getString(7),
                        new AuditEntry.Target(row.getString(8), row.getString(9), row.getString(10), row.getString(11)),
                        row.getString(12),
                        new AuditEntry.ChangedValues(row.getString(13), row.getString(14)),
                        row.getString(15),
                        row.getString(16),
                        row.getLong(17)));
            }
        }
        return entries;
    }
}
