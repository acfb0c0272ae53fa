package io.twinbell.node.audit.store;

import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Optional;

/**
 * Seals entries of the audit, and creates and drops its days. Only the owner of the epoch changes anything. No method
 * waits longer than {@value #LOCK_MILLIS} ms for a lock, because changes would wait behind it.
 */
public final class AuditSeals {
    private static final int LOCK_MILLIS = 20;

    private static final String SEAL = "select " + AuditEntry.COLUMNS + " from twinbell.seal_audit(?)";
    private static final String HEAD = "select number, encode(chain, 'hex') from twinbell.audit_head";
    private static final String DROP = "select twinbell.drop_audit_day(?)";

    private final DedicatedConnection connection;

    public AuditSeals(DedicatedConnection connection) {
        this.connection = connection;
    }

    /**
     * The entries of a new seal.
     *
     * @param chain the hash over this seal and all before it, in hexadecimal
     */
    public record Seal(long number, String chain, List<AuditEntry> entries) {}

    /** Seals the oldest unsealed entries; empty if there are none, or the epoch is not current. */
    public Optional<Seal> seal(Epoch epoch, int limit) {
        return connection.transaction(c -> {
            if (!begin(c, epoch)) {
                return Optional.empty();
            }
            try (PreparedStatement statement = c.prepareStatement(SEAL)) {
                statement.setInt(1, limit);
                List<AuditEntry> entries = AuditEntry.read(statement);
                return entries.isEmpty() ? Optional.empty() : Optional.of(sealed(c, entries));
            }
        });
    }

    private static Seal sealed(Connection c, List<AuditEntry> entries) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(HEAD)) {
            return Rows.only(statement, row -> new Seal(row.getLong(1), row.getString(2), entries));
        }
    }

    /** Creates the partitions of the week ahead. */
    public void makePartitions(Epoch epoch) {
        connection.transaction(c -> {
            if (begin(c, epoch)) {
                execute(c, "select twinbell.ensure_audit_partitions()");
            }
            return null;
        });
    }

    /** Drops the oldest day that is more than {@code keepDays} before today; empty if there is none. */
    public Optional<String> dropDay(Epoch epoch, int keepDays) {
        return connection.transaction(c -> {
            if (!begin(c, epoch)) {
                return Optional.empty();
            }
            try (PreparedStatement statement = c.prepareStatement(DROP)) {
                statement.setInt(1, keepDays);
                return Rows.only(statement, row -> Optional.ofNullable(row.getString(1)));
            }
        });
    }

    private static boolean begin(Connection c, Epoch epoch) throws SQLException {
        execute(c, "set local lock_timeout = " + LOCK_MILLIS);
        return EpochGuard.isOwner(c, epoch);
    }

    private static void execute(Connection c, String sql) throws SQLException {
        try (Statement statement = c.createStatement()) {
            statement.execute(sql);
        }
    }
}
