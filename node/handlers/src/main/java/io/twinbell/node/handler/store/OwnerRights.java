package io.twinbell.node.handler.store;

import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.FailureStreaks;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.record.JdbcRecorder;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/** The rights of the node itself, for code of the application: transactional java handlers. */
final class OwnerRights implements CompletionRights {
    static final String PINNED = "set transaction isolation level read committed, read write";

    private static final String BEGIN = """
            select pg_current_xact_id()::text, set_config('statement_timeout', ?, true),
                   set_config('idle_in_transaction_session_timeout', ?, true), set_config('lock_timeout', '0', true),
                   set_config('search_path', 'public', true), set_config('role', 'none', true)""";
    private static final String FINISH = """
            select pg_current_xact_id()::text, set_config('role', 'none', true), set_config('search_path', '', true),
                   set_config('statement_timeout', '3000', true), set_config('lock_timeout', '3000', true)""";

    @Override
    public void admit() {
        // Java handlers are trusted code.
    }

    @Override
    public String begin(Connection open, CompletingTransaction.TimeLimits limits) throws SQLException {
        execute(open, PINNED);
        try (PreparedStatement statement = open.prepareStatement(BEGIN)) {
            statement.setString(1, limits.statement() == null ? "0" : millis(limits.statement()));
            statement.setString(2, millis(limits.idle()));
            return first(statement);
        }
    }

    @Override
    public void settle(Connection open, CompletingTransaction.TimeLimits limits) throws SQLException {
        execute(open, "set constraints all immediate");
    }

    @Override
    public CompletingTransaction.Result complete(Connection open, Success success) throws SQLException {
        try (PreparedStatement statement = open.prepareStatement(FINISH)) {
            if (!success.transaction().equals(first(statement))) {
                throw endedItself();
            }
        }
        CompletingTransaction.Claimed claimed = success.claimed();
        FailureStreaks.succeeded(open, claimed.slot().taskId());
        // Before the guard: its lock must not be held while another transaction unpacks the same batch.
        PackedSlots.unpackBatchesOf(open, new long[] {claimed.slot().taskId()});
        JdbcRecorder.RecordResult recordResult =
                JdbcRecorder.update(open, claimed.epoch(), List.of(completion(success)));
        if (!recordResult.isAuthorised()) {
            return CompletingTransaction.Result.SUPERSEDED;
        }
        return recordResult.rows() == 1
                ? CompletingTransaction.Result.COMMITTED
                : CompletingTransaction.Result.ENDED_BEFORE;
    }

    private static Completion completion(Success success) {
        CompletingTransaction.Claimed claimed = success.claimed();
        return new Completion(
                claimed.epoch(),
                claimed.slot(),
                claimed.attempt(),
                ExecutionState.SUCCEEDED,
                new Completion.RunTimes(claimed.startedMicros(), success.endedMicros()),
                new Completion.Text(success.output(), null, null),
                Completion.NOT_FOLLOWED);
    }

    @Override
    public void leave(Connection open) {
        // Session settings of java handlers are the application's responsibility.
    }

    static SQLException endedItself() {
        return new SQLException("the handler ended the transaction itself: changes made before that are not undone");
    }

    static void execute(Connection open, String sql) throws SQLException {
        try (Statement statement = open.createStatement()) {
            statement.execute(sql);
        }
    }

    static String first(PreparedStatement statement) throws SQLException {
        try (ResultSet row = statement.executeQuery()) {
            row.next();
            return row.getString(1);
        }
    }

    static String millis(Duration duration) {
        return Long.toString(Math.max(1, duration.toMillis()));
    }
}
