package io.twinbell.persistence.database;

import java.sql.SQLException;
import java.sql.Statement;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;

/** Gives nodes that do not own the schema their rights on what a migration created, in the migration's transaction. */
final class NodeGrants implements Callback {
    private static final String GRANT = """
            do $$ begin
              if to_regprocedure('twinbell.grant_to_nodes()') is not null then
                perform twinbell.grant_to_nodes();
              end if;
            end $$""";

    @Override
    public boolean supports(Event event, Context context) {
        return event == Event.AFTER_EACH_MIGRATE;
    }

    @Override
    public boolean canHandleInTransaction(Event event, Context context) {
        return true;
    }

    @Override
    public void handle(Event event, Context context) {
        try (Statement statement = context.getConnection().createStatement()) {
            statement.execute(GRANT);
        } catch (SQLException e) {
            throw new FlywayException(e);
        }
    }

    @Override
    public String getCallbackName() {
        return "grant to nodes";
    }
}
