package io.twinbell.node.engine;

import io.twinbell.handler.TaskHandler;
import io.twinbell.node.handler.Handlers;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.handler.store.CompletingTransactions;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;

/** The real handlers, and one handler of a test. */
public final class TestHandlers {
    /** For handlers that do nothing in the database. */
    public static final CompletingTransactions NO_TRANSACTIONS = new CompletingTransactions(null, null, () -> 0);

    private TestHandlers() {}

    /** @param handler what tasks with the key "k" run */
    public static Handlers of(TaskHandler handler) {
        return of(handler, NO_TRANSACTIONS);
    }

    /** @param database where the handler saves its checkpoints */
    static Handlers of(TaskHandler handler, DataSource database) {
        return of(handler, new CompletingTransactions(database, null, () -> 0));
    }

    private static Handlers of(TaskHandler handler, CompletingTransactions transactions) {
        return new Handlers(HandlerConfig.DEFAULT, Map.of("k", handler), () -> 0, transactions, List.of());
    }
}
