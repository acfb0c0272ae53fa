package io.twinbell.node.handler.store;

import io.twinbell.persistence.database.SessionSettings;
import io.twinbell.persistence.epoch.Epoch;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.UUID;

/**
 * The rights of a role that can neither read nor write the scheduler's tables, for the statements of SQL tasks. A
 * function with the owner's rights records the success, and only for the execution that the node proves this
 * transaction to belong to. Settings that a statement has changed are reset before they matter. Names are qualified
 * here, because a statement may have changed the search path.
 */
final class RestrictedRights implements CompletionRights {
    private static final String LIMITS = """
            select pg_catalog.pg_current_xact_id()::pg_catalog.text,
                   pg_catalog.set_config('search_path', 'public', true),
                   pg_catalog.set_config('statement_timeout', ?, true),
                   pg_catalog.set_config('idle_in_transaction_session_timeout', ?, true),
                   pg_catalog.set_config('lock_timeout', '0', true)""";

    private static final String FINISH = """
            select pg_catalog.pg_current_xact_id()::pg_catalog.text,
                   pg_catalog.set_config('role', 'none', true),
                   pg_catalog.set_config('search_path', 'pg_catalog, pg_temp', true),
                   pg_catalog.set_config('application_name', ?, true),
                   pg_catalog.set_config('statement_timeout', '3000', true),
                   pg_catalog.set_config('lock_timeout', '3000', true),
                   pg_catalog.set_config('idle_in_transaction_session_timeout', '3000', true)""";

    private static final String COMPLETE = "select twinbell.complete_sql_task(?, ?, ?, ?, ?, ?, ?, ?)";

    private final String applicationName;
    private final Admission admission;

    /** Checks the role that the statements run as. */
    @FunctionalInterface
    interface Admission {
        void admit() throws SQLException;
    }

    /** @param applicationName the name by which a successor finds the session and ends it */
    RestrictedRights(String applicationName, Admission admission) {
        this.applicationName = applicationName;
        this.admission = admission;
    }

    @Override
    public void admit() throws SQLException {
        admission.admit();
    }

    @Override
    public String begin(Connection open, CompletingTransaction.TimeLimits limits) throws SQLException {
        OwnerRights.execute(open, OwnerRights.PINNED);
        return limit(open, limits);
    }

    static String limit(Connection open, CompletingTransaction.TimeLimits limits) throws SQLException {
        try (PreparedStatement statement = open.prepareStatement(LIMITS)) {
            statement.setString(1, OwnerRights.millis(limits.statement()));
            statement.setString(2, OwnerRights.millis(limits.idle()));
            return OwnerRights.first(statement);
        }
    }

    @Override
    public void settle(Connection open, CompletingTransaction.TimeLimits limits) throws SQLException {
        limit(open, limits);
        OwnerRights.execute(open, "set constraints all immediate");
    }

    @Override
    public CompletingTransaction.Result complete(Connection open, Success success) throws SQLException {
        try (PreparedStatement statement = open.prepareStatement(FINISH)) {
            statement.setString(1, applicationName);
            if (!success.transaction().equals(OwnerRights.first(statement))) {
                throw OwnerRights.endedItself();
            }
        }
        CompletingTransaction.Claimed claimed = success.claimed();
        try (PreparedStatement statement = open.prepareStatement(COMPLETE)) {
            statement.setLong(1, claimed.slot().taskId());
            statement.setLong(2, claimed.slot().fireTimeMillis());
            statement.setInt(3, claimed.attempt());
            statement.setLong(4, claimed.epoch().number());
            statement.setLong(5, claimed.startedMicros());
            statement.setLong(6, success.endedMicros());
            statement.setString(7, success.output());
            statement.setBytes(8, proof(claimed, success.transaction()));
            return CompletingTransaction.Result.valueOf(OwnerRights.first(statement));
        }
    }

    /** Computed in the same way as {@code twinbell.proof}. */
    private static byte[] proof(CompletingTransaction.Claimed claimed, String transaction) {
        Epoch epoch = claimed.epoch();
        String message = claimed.slot().taskId() + "/" + claimed.slot().fireTimeMillis() + "/" + claimed.attempt() + "/"
                + epoch.number() + "/" + transaction;
        byte[] token = bytes(epoch.token());
        return sha256(token, sha256(token, message.getBytes(StandardCharsets.UTF_8)));
    }

    private static byte[] bytes(UUID token) {
        return ByteBuffer.allocate(16)
                .putLong(token.getMostSignificantBits())
                .putLong(token.getLeastSignificantBits())
                .array();
    }

    private static byte[] sha256(byte[] first, byte[] second) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(first);
            return digest.digest(second);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }

    /** Discards settings, temporary tables, advisory locks and LISTEN, so that the next task does not inherit them. */
    @Override
    public void leave(Connection open) throws SQLException {
        OwnerRights.execute(open, "discard all");
        OwnerRights.execute(open, SessionSettings.AT_BEGIN);
        // The driver sets the name after the session has begun, so it was discarded too.
        try (PreparedStatement statement =
                open.prepareStatement("select pg_catalog.set_config('application_name', ?, false)")) {
            statement.setString(1, applicationName);
            statement.execute();
        }
    }
}
