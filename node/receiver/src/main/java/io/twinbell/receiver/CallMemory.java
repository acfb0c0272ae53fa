package io.twinbell.receiver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTimeoutException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Clock;
import java.time.Duration;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** The two tables of a receiver: the calls that had an effect, and the greatest epoch of each source. */
final class CallMemory {
    private static final System.Logger LOG = System.getLogger(CallMemory.class.getName());
    private static final int MAX_BODY = 64 * 1024;
    private static final int MAX_CONTENT_TYPE = 200;
    private static final Set<String> MISSING_TABLE = Set.of("42P01", "42S02", "42S03", "42S04");
    /**
     * SQL states that PostgreSQL reports, in spite of "if not exists", when two processes create a table at the same
     * moment.
     */
    private static final Set<String> CREATED_MEANWHILE = Set.of("23505", "42P07", "42710");
    /** SQL states of a statement that was cancelled or did not get its lock in time. */
    private static final Set<String> LOCKED = Set.of("57014", "55P03", "HYT00");

    private final String source;
    private final int patienceSeconds;
    private final Clock clock;

    /** Executes a statement whose values are set. */
    @FunctionalInterface
    private interface StatementUse<T> {
        T of(PreparedStatement statement) throws SQLException;
    }

    CallMemory(String source, Duration patience, Clock clock) {
        this.source = source;
        this.clock = clock;
        this.patienceSeconds = (int) Math.max(1, patience.toSeconds());
    }

    static void createTables(Connection connection) throws SQLException {
        try (InputStream file = CallMemory.class.getResourceAsStream("tables.sql");
                Statement statement = connection.createStatement()) {
            String script = new String(file.readAllBytes(), StandardCharsets.UTF_8);
            for (String command : script.replaceAll("(?m)^--.*$", "").split(";")) {
                if (!command.isBlank()) {
                    create(statement, command);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException("tables.sql of this jar cannot be read", e);
        }
    }

    private static void create(Statement statement, String command) throws SQLException {
        try {
            statement.execute(command);
        } catch (SQLException e) {
            boolean canContinue = statement.getConnection().getAutoCommit();
            if (!canContinue || !CREATED_MEANWHILE.contains(String.valueOf(e.getSQLState()))) {
                throw e;
            }
            statement.execute(command);
        }
    }

    /** Stores the greatest epoch, in a transaction that ends before the effect begins, so that no call waits for another. */
    void raise(Connection connection, long epoch) throws SQLException {
        if (update(
                        connection,
                        "update twinbell_receiver_epoch set epoch = ? where source = ? and epoch < ?",
                        epoch,
                        source,
                        epoch)
                == 1) {
            return;
        }
        Optional<Long> greatest = greatest(connection, "");
        if (greatest.isPresent()) {
            refuseIfOver(epoch, greatest.get());
            return;
        }
        Savepoint before = connection.setSavepoint();
        try {
            update(connection, "insert into twinbell_receiver_epoch (source, epoch) values (?, ?)", source, epoch);
        } catch (SQLException e) {
            if (!isDuplicate(e)) {
                throw e;
            }
            connection.rollback(before);
            raise(connection, epoch);
        }
    }

    /** Enters the call, or returns the answer that it got before. Waits while the effect of the same call is in progress. */
    Optional<ReceiverAnswer> enter(Connection connection, TwinbellCall call) throws SQLException {
        Savepoint before = connection.setSavepoint();
        try {
            update(
                    connection,
                    """
                    insert into twinbell_receiver_call (source, call_key, attempt, epoch, received_at)
                    values (?, ?, ?, ?, ?)""",
                    source,
                    call.key(),
                    call.attempt(),
                    call.epoch(),
                    clock.instant().atOffset(ZoneOffset.UTC));
            connection.releaseSavepoint(before);
            return Optional.empty();
        } catch (SQLException e) {
            if (!isDuplicate(e)) {
                throw e;
            }
            connection.rollback(before);
        }
        return executed(
                connection,
                "select status, content_type, body from twinbell_receiver_call where source = ? and call_key = ?",
                select -> {
                    try (ResultSet row = select.executeQuery()) {
                        if (!row.next() || row.getObject(1) == null) {
                            throw inProgress(call);
                        }
                        byte[] body = row.getBytes(3);
                        return Optional.of(
                                new ReceiverAnswer(row.getInt(1), row.getString(2), body == null ? new byte[0] : body));
                    }
                },
                source,
                call.key());
    }

    /**
     * Stores the answer, and then locks the epoch until the commit, so that no other transaction can raise it. So once
     * a later epoch is stored, no effect of an earlier one commits.
     */
    void complete(Connection connection, TwinbellCall call, ReceiverAnswer answer) throws SQLException {
        byte[] body = answer.body().length > MAX_BODY ? Arrays.copyOf(answer.body(), MAX_BODY) : answer.body();
        String type = answer.contentType();
        update(
                connection,
                """
                update twinbell_receiver_call set status = ?, content_type = ?, body = ?
                where source = ? and call_key = ?""",
                answer.status(),
                type == null || type.length() <= MAX_CONTENT_TYPE ? type : type.substring(0, MAX_CONTENT_TYPE),
                body,
                source,
                call.key());
        // H2 has no FOR SHARE; with its FOR UPDATE, calls that commit at the same time wait for each other.
        boolean canShare = connection
                .getMetaData()
                .getDatabaseProductName()
                .toLowerCase(Locale.ROOT)
                .equals("postgresql");
        String lock = canShare ? " for share" : " for update";
        Optional<Long> greatest = greatest(connection, lock);
        if (greatest.isEmpty()) {
            // The row was deleted after this process had stored the epoch.
            raise(connection, call.epoch());
            greatest = greatest(connection, lock);
        }
        refuseIfOver(call.epoch(), greatest.orElse(call.epoch()));
    }

    /** Deletes at most {@code limit} calls that are older than this, the oldest first. */
    int forget(Connection connection, Duration age, int limit) throws SQLException {
        return update(
                connection,
                """
                delete from twinbell_receiver_call where source = ? and call_key in (
                  select call_key from twinbell_receiver_call where source = ? and received_at < ?
                  order by received_at fetch first\s""" + limit + " rows only)",
                source,
                source,
                clock.instant().minus(age).atOffset(ZoneOffset.UTC));
    }

    private Optional<Long> greatest(Connection connection, String lock) throws SQLException {
        return executed(
                connection,
                "select epoch from twinbell_receiver_epoch where source = ?" + lock,
                select -> {
                    try (ResultSet row = select.executeQuery()) {
                        return row.next() ? Optional.of(row.getLong(1)) : Optional.empty();
                    }
                },
                source);
    }

    private void refuseIfOver(long epoch, long greatest) {
        if (epoch < greatest) {
            throw new CallRefusedException(
                    409,
                    "epoch " + epoch + " is over: source " + source + " has called with epoch " + greatest
                            + ". If the scheduler's database was restored or is another one, delete this source from"
                            + " twinbell_receiver_epoch");
        }
    }

    private static CallRefusedException inProgress(TwinbellCall call) {
        return new CallRefusedException(503, "the effect of call " + call.key() + " is still in progress: call again");
    }

    private int update(Connection connection, String sql, Object... values) throws SQLException {
        try {
            return executed(connection, sql, PreparedStatement::executeUpdate, values);
        } catch (SQLException e) {
            if (MISSING_TABLE.contains(String.valueOf(e.getSQLState()))) {
                throw new SQLException(
                        "a table of the receiver is missing: run ExactlyOnceReceiver.createTables(connection), or"
                                + " io/twinbell/receiver/tables.sql of this jar",
                        e.getSQLState(),
                        e);
            }
            throw e;
        }
    }

    private <T> T executed(Connection connection, String sql, StatementUse<T> use, Object... values)
            throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            // In H2 this is the limit of the connection, which the effect and the next user of the pool have too.
            int before = statement.getQueryTimeout();
            statement.setQueryTimeout(patienceSeconds);
            try {
                for (int i = 0; i < values.length; i++) {
                    if (values[i] instanceof byte[] bytes) {
                        statement.setBytes(i + 1, bytes);
                    } else {
                        statement.setObject(i + 1, values[i]);
                    }
                }
                return use.of(statement);
            } catch (SQLException e) {
                if (e instanceof SQLTimeoutException || LOCKED.contains(String.valueOf(e.getSQLState()))) {
                    throw new CallRefusedException(
                            503, "the same call, or a lock of the receiver's tables, is still in progress: call again");
                }
                throw e;
            } finally {
                restoreLimit(statement, before);
            }
        }
    }

    private static void restoreLimit(PreparedStatement statement, int seconds) {
        try {
            statement.setQueryTimeout(seconds);
        } catch (SQLException e) {
            // The connection is broken; what the statement has thrown says why.
            LOG.log(System.Logger.Level.DEBUG, "the limit of a statement could not be restored", e);
        }
    }

    /** Class 23 is "integrity constraint violation" in the SQL standard, and these tables have only their keys. */
    private static boolean isDuplicate(SQLException e) {
        return String.valueOf(e.getSQLState()).startsWith("23");
    }
}
