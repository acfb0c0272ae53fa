package io.twinbell.node.audit.store;

import io.twinbell.persistence.database.Rows;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;

/**
 * One change, or one refused attempt.
 *
 * @param databaseRole the role whose session wrote the entry
 * @param target what was changed
 * @param outcome {@code DONE} or {@code REFUSED}
 * @param items how many objects or attempts the entry stands for
 */
public record AuditEntry(
        long id,
        long atMicros,
        Author author,
        String databaseRole,
        Target target,
        String act,
        ChangedValues values,
        String outcome,
        String detail,
        long items) {
    static final String COLUMNS = """
            id, (extract(epoch from at) * 1000000)::bigint, actor, channel, address, request,
            db_role, kind, object, app, name, act, before, after, outcome, detail, items""";

    /** What the triggers write in place of the definitions of tasks that run once. */
    private static final String ONCE = "{\"once\": true";

    /** Reads entries from rows with the {@link #COLUMNS}. */
    static List<AuditEntry> read(PreparedStatement statement) throws SQLException {
        return Rows.all(
                statement,
                row -> new AuditEntry(
                        row.getLong(1),
                        row.getLong(2),
                        new Author(row.getString(3), row.getString(4), row.getString(5), row.getString(6)),
                        row.getString(7),
                        new Target(row.getString(8), row.getString(9), row.getString(10), row.getString(11)),
                        row.getString(12),
                        new ChangedValues(row.getString(13), row.getString(14)),
                        row.getString(15),
                        row.getString(16),
                        row.getLong(17)));
    }

    /** Whether the entry is about new tasks that run once, which applications create by the thousand. */
    public boolean isAboutNewOneShots() {
        return act.equals("CREATE")
                && target.kind().equals("TASK")
                && values.after() != null
                && values.after().startsWith(ONCE);
    }

    /**
     * Who made the change, and through what.
     *
     * @param address of the client; null if unknown
     */
    public record Author(String name, String channel, String address, String request) {}

    /** What was changed; all but the kind may be null. */
    public record Target(String kind, String object, String app, String name) {}

    /** The values before and after as JSON; each may be null. */
    public record ChangedValues(String before, String after) {}
}
