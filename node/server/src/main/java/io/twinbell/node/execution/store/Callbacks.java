package io.twinbell.node.execution.store;

import io.twinbell.persistence.database.Rows;
import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.ledger.ColumnArrays;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.callback.CallbackStore.CallbackAnswer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import javax.sql.DataSource;

/** What the holder of a parked attempt's token may do, on either node. */
public final class Callbacks {
    private static final String FIND = """
            select attempt, answer is not null or over_at is not null or expires_at <= statement_timestamp() as closed
            from twinbell.parked
            where task_id = ? and fire_time = twinbell.instant(?) and token_hash = decode(?, 'hex')
            for update""";

    private static final String AWAITED = """
            select twinbell.millis(expires_at) from twinbell.parked
            where task_id = ? and fire_time = twinbell.instant(?) and is_out and answer is null and over_at is null
            order by attempt desc limit 1""";

    private static final String IS_UNFINISHED = """
            select 1 from twinbell.execution
            where task_id = ? and fire_time = twinbell.instant(?) and attempt = ? and state in ('CLAIMED', 'RUNNING')""";

    private static final String ANSWER = """
            update twinbell.parked
            set answer = ?, answered_at = clock_timestamp(), output = ?, error = ?, error_code = ?
            where task_id = ? and fire_time = twinbell.instant(?) and attempt = ?""";

    /** The length is bounded, because the receiver may answer any number of times. */
    private static final String NOTE = """
            update twinbell.execution e
            set note = left(concat_ws(E'\\n', e.note, 'attempt ' || ? || ' was over when its receiver answered: ' || ?
              || ' at ' || twinbell.instant_text(clock_timestamp()) || coalesce(', ' || left(?, 200), '')), 4000)
            where task_id = ? and fire_time = twinbell.instant(?) and length(coalesce(e.note, '')) < 4000""";

    private static final String CHECKPOINT = """
            update twinbell.execution set checkpoint = ?
            where task_id = ? and fire_time = twinbell.instant(?) and attempt = ? and state in ('CLAIMED', 'RUNNING')""";

    private static final String PROGRESS = """
            update twinbell.execution
            set progress = coalesce(?::float8, progress), progress_message = coalesce(?, progress_message)
            where task_id = ? and fire_time = twinbell.instant(?) and attempt = ? and state in ('CLAIMED', 'RUNNING')""";

    /** An attempt ends 30 days after it was parked, whatever its receiver reports. */
    private static final String EXTEND = """
            update twinbell.parked
            set expires_at = greatest(expires_at, least(clock_timestamp() + timeout, parked_at + interval '30 days'))
            where task_id = ? and fire_time = twinbell.instant(?) and attempt = ?
            returning twinbell.millis(expires_at)""";

    private final Transactions transactions;

    /** What became of a request. */
    public enum Verdict {
        /** It is durable. */
        ACCEPTED,
        /** The attempt is over, or was answered before. */
        OVER,
        /** The execution has no attempt with this token. */
        UNKNOWN
    }

    /**
     * Answer to a heartbeat.
     *
     * @param expiresMillis when the attempt times out without another heartbeat; 0 unless accepted
     */
    public record Beat(Verdict verdict, long expiresMillis) {}

    /**
     * What a heartbeat reports.
     *
     * @param message null to keep the latest
     * @param checkpoint JSON for the next attempt; null to keep the latest
     */
    public record Heartbeat(OptionalDouble fraction, String message, String checkpoint) {}

    public Callbacks(DataSource pool) {
        transactions = new Transactions(pool);
    }

    private record Found(int attempt, boolean isOpen) {}

    /**
     * Answers the attempt. The first answer counts; a later one becomes a note of the execution.
     *
     * @param tokenHash SHA-256 of the token, 64 hexadecimal digits
     * @param checkpoint JSON for the next attempt; null to keep the latest
     */
    public Verdict complete(Slot slot, String tokenHash, CallbackAnswer.Outcome outcome, String checkpoint) {
        return transactions.run("answer an execution", c -> {
            Found found = find(c, slot, tokenHash);
            if (found == null) {
                return Verdict.UNKNOWN;
            }
            if (!found.isOpen()) {
                note(c, slot, found.attempt(), outcome);
                return Verdict.OVER;
            }
            if (checkpoint != null) {
                update(c, CHECKPOINT, slot, found.attempt(), checkpoint);
            }
            update(
                    c,
                    ANSWER,
                    slot,
                    found.attempt(),
                    outcome.state().name(),
                    ColumnArrays.storable(outcome.output()),
                    ColumnArrays.storable(outcome.error()),
                    outcome.errorCode());
            try (PreparedStatement statement = c.prepareStatement("select pg_notify('twinbell_parked', '')")) {
                statement.execute();
            }
            return Verdict.ACCEPTED;
        });
    }

    /** Puts the timeout off, and keeps what is reported. */
    public Beat heartbeat(Slot slot, String tokenHash, Heartbeat progress) {
        return transactions.run("extend an execution", c -> {
            Found found = find(c, slot, tokenHash);
            if (found == null || !found.isOpen()) {
                return new Beat(found == null ? Verdict.UNKNOWN : Verdict.OVER, 0);
            }
            if (progress.fraction().isPresent() || progress.message() != null) {
                String fraction = progress.fraction().isPresent()
                        ? Double.toString(progress.fraction().getAsDouble())
                        : null;
                update(c, PROGRESS, slot, found.attempt(), fraction, ColumnArrays.storable(progress.message()));
            }
            if (progress.checkpoint() != null) {
                update(c, CHECKPOINT, slot, found.attempt(), progress.checkpoint());
            }
            try (PreparedStatement statement = c.prepareStatement(EXTEND)) {
                bind(statement, 1, slot, found.attempt());
                return Rows.only(statement, row -> new Beat(Verdict.ACCEPTED, row.getLong(1)));
            }
        });
    }

    /** The attempt with this token, whose row is locked from now on; null if there is none. */
    private static Found find(Connection c, Slot slot, String tokenHash) throws SQLException {
        int attempt;
        try (PreparedStatement statement = c.prepareStatement(FIND)) {
            statement.setLong(1, slot.taskId());
            statement.setLong(2, slot.fireTimeMillis());
            statement.setString(3, tokenHash);
            try (ResultSet row = statement.executeQuery()) {
                if (!row.next()) {
                    return null;
                }
                attempt = row.getInt(1);
                if (row.getBoolean(2)) {
                    return new Found(attempt, false);
                }
            }
        }
        // A statement of its own, which sees what was committed while the lock was awaited.
        try (PreparedStatement statement = c.prepareStatement(IS_UNFINISHED)) {
            bind(statement, 1, slot, attempt);
            return new Found(attempt, Rows.isAny(statement));
        }
    }

    /** When the slot's open attempt times out without an answer or a heartbeat; empty if none waits for an answer. */
    public OptionalLong awaitedUntil(Slot slot) {
        return transactions.run("read a parked attempt", c -> {
            try (PreparedStatement statement = c.prepareStatement(AWAITED)) {
                statement.setLong(1, slot.taskId());
                statement.setLong(2, slot.fireTimeMillis());
                return Rows.first(statement, row -> OptionalLong.of(row.getLong(1)))
                        .orElse(OptionalLong.empty());
            }
        });
    }

    private static void note(Connection c, Slot slot, int attempt, CallbackAnswer.Outcome outcome) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(NOTE)) {
            statement.setInt(1, attempt);
            statement.setString(2, outcome.state().name());
            statement.setString(3, ColumnArrays.storable(outcome.error()));
            statement.setLong(4, slot.taskId());
            statement.setLong(5, slot.fireTimeMillis());
            statement.executeUpdate();
        }
    }

    private static void update(Connection c, String sql, Slot slot, int attempt, String... values) throws SQLException {
        try (PreparedStatement statement = c.prepareStatement(sql)) {
            int next = 1;
            for (String value : values) {
                statement.setString(next++, value);
            }
            bind(statement, next, slot, attempt);
            statement.executeUpdate();
        }
    }

    private static void bind(PreparedStatement statement, int index, Slot slot, int attempt) throws SQLException {
        statement.setLong(index, slot.taskId());
        statement.setLong(index + 1, slot.fireTimeMillis());
        statement.setInt(index + 2, attempt);
    }
}
