package io.twinbell.persistence.database;

import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/**
 * Keeps a migration from standing in the way of a master that fires: a statement that waits for a table has everybody
 * after it wait as well, so it waits for half a second at most.
 */
final class MigrationLockTimeout implements Callback {
    @Override
    public boolean supports(Event event, Context context) {
        return event == Event.BEFORE_EACH_MIGRATE;
    }

    /** In the migration's own transaction, and for no longer. */
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
        return "give way";
    }
}
