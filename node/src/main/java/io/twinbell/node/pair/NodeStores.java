package io.twinbell.node.pair;

import io.twinbell.node.alert.store.JdbcTaskPings;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.HandlerPolicy;
import io.twinbell.node.audit.store.AuditReader;
import io.twinbell.node.execution.store.Callbacks;
import io.twinbell.node.execution.store.ExplanationSource;
import io.twinbell.node.execution.store.JdbcExecutionQueries;
import io.twinbell.node.execution.store.JdbcExecutionRequests;
import io.twinbell.node.execution.store.VerificationSource;
import io.twinbell.node.limit.store.LimitStore;
import io.twinbell.node.pair.database.NodeDatabase;
import io.twinbell.node.pair.database.PairRegisters;
import io.twinbell.node.task.PassedSlotFinder;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.task.TaskStore;
import java.time.Duration;
import javax.sql.DataSource;

/** Creates the stores of the API on the node's database. */
final class NodeStores {
    private NodeStores() {}

    /** @param successesKept how long the ledger keeps executions that have SUCCEEDED */
    static ApiStores of(
            NodeDatabase database,
            TaskStore tasks,
            PairRegisters registers,
            BackgroundThreads background,
            Duration successesKept,
            DatabaseClock clock,
            HandlerPolicy handlers) {
        DataSource pool = database.pool();
        return new ApiStores(
                tasks,
                new JdbcExecutionQueries(pool),
                new JdbcExecutionRequests(pool),
                new Callbacks(pool),
                new VerificationSource(pool),
                new ExplanationSource(pool, PassedSlotFinder.MOVED),
                background.stuck(),
                background.calendars(),
                background.defaults(),
                new LimitStore(pool),
                registers.standingPauses(),
                registers.activity(),
                background.alerts(),
                new JdbcTaskPings(pool),
                new AuditReader(pool),
                successesKept,
                clock,
                handlers);
    }
}
