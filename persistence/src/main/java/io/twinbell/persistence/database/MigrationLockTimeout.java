package io.twinbell.persistence.database;

import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/**
 * Limits a migration's waits for locks to half a second, because every other statement on that table waits behind it,
 * including those of a master that fires.
 */
final class MigrationLockTimeout implements Callback {
    @Override
    public boolean supports(Event event, Context context) {
        return event == Event.BEFORE_EACH_MIGRATE;
    }

    /** Runs in the migration's own transaction, so the limit ends with it. */
    @Override
    public boolean canHandleInTransaction(Event event, Context context) {
        return true;
    }

    @Override
    public void handle(Event event, Context context) {
        try (Statement statement = context.getConnection().createStatement()) {
            statement.execute("set local lock_timeout = '500ms'");
        } catch (SQLException e) {
            throw new FlywayException(e);
        }
    }

    @Override
    public String getCallbackName() {
        return "limit lock waits";
    }
}
