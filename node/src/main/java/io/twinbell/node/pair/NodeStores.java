package io.twinbell.node.pair;

import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.HandlerPolicy;
import io.twinbell.node.pair.database.NodeDatabase;
import io.twinbell.node.pair.database.PairRegisters;
import io.twinbell.node.task.PassedSlotFinder;
import io.twinbell.persistence.alert.JdbcTaskPings;
import io.twinbell.persistence.audit.AuditReader;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.ledger.parked.Callbacks;
import io.twinbell.persistence.ledger.query.ExplanationSource;
import io.twinbell.persistence.ledger.query.JdbcExecutionQueries;
import io.twinbell.persistence.ledger.query.JdbcExecutionRequests;
import io.twinbell.persistence.ledger.query.VerificationSource;
import io.twinbell.persistence.limit.LimitStore;
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
                registers.clusterRecords().standingPauses(),
                registers.clusterRecords().drills(),
                registers.clusterRecords().activity(),
                background.alerts(),
                new JdbcTaskPings(pool),
                new AuditReader(pool),
                successesKept,
                clock,
                handlers);
    }
}
