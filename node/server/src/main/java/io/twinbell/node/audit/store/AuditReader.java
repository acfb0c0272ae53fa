package io.twinbell.node.audit.store;

import io.twinbell.persistence.database.Conditions;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.Transactions;
import java.sql.PreparedStatement;
import java.util.List;
import javax.sql.DataSource;

/**
 * Reads the audit and checks its chain. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public final class AuditReader {
    /** More unsealed entries than this are not counted. */
    public static final int MOST_UNSEALED = 100_000;

    private static final String CHECK =
            "select number, day, entries, encode(chain, 'hex'), problems from twinbell.verify_audit(?, ?)";
    private static final String END = "select u.entries, u.oldest_seconds, u.problem from twinbell.audit_end(?) u";

    private final Transactions transactions;

    public AuditReader(DataSource pool) {
        transactions = new Transactions(pool);
    }

    /**
     * Which entries to read. A null restricts nothing.
     *
     * @param withAccess whether to include changes of tokens and refused attempts
     */
    public record AuditFilter(
            Long sinceMillis,
            Long untilMillis,
            String app,
            String actor,
            AuditKind kind,
            String object,
            AuditAct act,
            String outcome,
            boolean withAccess) {}

    /** The kinds of objects that entries of the audit are about. */
    public enum AuditKind {
        TASK,
        EXECUTION,
        CALENDAR,
        LIMIT,
        DEFAULTS,
        ALERT,
        CALLER,
        PAUSE,
        STANDING_PAUSE,
        HOLD,
        ROLE,
        PAIR,
        TOKEN,
        ACCESS
    }

    /** The acts that entries of the audit can name: what was done or attempted. */
    public enum AuditAct {
        CREATE,
        CHANGE,
        REMOVE,
        REMOVE_ALL,
        PAUSE,
        RESUME,
        MOVE,
        ACTIVATE,
        BACKFILL,
        CATCH_UP,
        ERROR,
        FINISH,
        TRIGGER,
        RERUN,
        CANCEL,
        RELEASE,
        HOLD,
        PROMOTE,
        ROTATE,
        SIGN_IN,
        REQUEST,
        CONNECT
    }

    /**
     * One seal.
     *
     * @param chain the hash over this seal and all before it, in hexadecimal
     * @param problems what is wrong with it or its entries
     */
    public record CheckedSeal(long number, String day, int entries, String chain, List<String> problems) {}

    /**
     * The end of the chain.
     *
     * @param unsealed entries that are not sealed yet, at most {@value #MOST_UNSEALED}
     * @param oldestSeconds the age of the oldest of these; 0 if there is none
     * @param problem null if the last seal is the one that was recorded last
     */
    public record ChainEnd(long unsealed, long oldestSeconds, String problem) {}

    /**
     * Reads entries, newest first.
     *
     * @param before reads only entries older than this one; null for the newest
     */
    public List<AuditEntry> list(AuditFilter filter, Position before, int limit) {
        Conditions conditions = new Conditions()
                .andIfGiven("at >= twinbell.instant(?)", filter.sinceMillis())
                .andIfGiven("at < twinbell.instant(?)", filter.untilMillis())
                .andIfGiven("app = ?", filter.app())
                .andIfGiven("actor = ?", filter.actor())
                .andIfGiven("kind = ?", name(filter.kind()))
                .andIfGiven("object = ?", filter.object())
                .andIfGiven("act = ?", name(filter.act()))
                .andIfGiven("outcome = ?", filter.outcome());
        if (!filter.withAccess()) {
            conditions.and("kind <> ?", "TOKEN").and("kind <> ?", "ACCESS");
        }
        if (before != null) {
            conditions
                    .and("at <= timestamptz 'epoch' + ? * interval '1 microsecond'", before.atMicros())
                    .and(
                            "(at, id) < (timestamptz 'epoch' + " + before.atMicros()
                                    + " * interval '1 microsecond', ?)",
                            before.id());
        }
        return transactions.run("read the audit", connection -> {
            String sql = "select " + AuditEntry.COLUMNS + " from twinbell.audit_entry" + conditions.where()
                    + " order by at desc, id desc limit " + limit;
            try (PreparedStatement statement = connection.prepareStatement(sql)) {
                conditions.bind(statement);
                return AuditEntry.read(statement);
            }
        });
    }

    private static String name(Enum<?> word) {
        return word == null ? null : word.name();
    }

    /** The place of an entry in the order of time. */
    public record Position(long atMicros, long id) {}

    /** Checks the next seals after a number. */
    public List<CheckedSeal> check(long afterNumber, int limit) {
        return transactions.run("check the audit", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(CHECK)) {
                statement.setLong(1, afterNumber);
                statement.setInt(2, limit);
                return Rows.all(
                        statement,
                        row -> new CheckedSeal(
                                row.getLong(1), row.getString(2), row.getInt(3), row.getString(4), List.of((String[])
                                        row.getArray(5).getArray())));
            }
        });
    }

    /** Looks at the end of the chain. */
    public ChainEnd end() {
        return transactions.run("check the audit", connection -> {
            try (PreparedStatement statement = connection.prepareStatement(END)) {
                statement.setInt(1, MOST_UNSEALED);
                return Rows.only(statement, row -> new ChainEnd(row.getLong(1), row.getLong(2), row.getString(3)));
            }
        });
    }
}
