package io.twinbell.node.pair;

import io.twinbell.node.alert.store.JdbcTaskPings;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.HandlerPolicy;
import io.twinbell.node.audit.store.AuditReader;
import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.calendar.store.DedicatedCalendarSource;
import io.twinbell.node.compile.DefinitionCompiler;
import io.twinbell.node.compile.SqlArrivals;
import io.twinbell.node.compile.store.JdbcSkippedRanges;
import io.twinbell.node.compile.store.JdbcSqlArrivalSource;
import io.twinbell.node.engine.EnginePorts;
import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.node.execution.store.Callbacks;
import io.twinbell.node.execution.store.ExplanationSource;
import io.twinbell.node.execution.store.JdbcExecutionQueries;
import io.twinbell.node.execution.store.JdbcExecutionRequests;
import io.twinbell.node.execution.store.VerificationSource;
import io.twinbell.node.journal.JdbcClaimJournal;
import io.twinbell.node.limit.store.FiringPauses;
import io.twinbell.node.limit.store.LimitStore;
import io.twinbell.node.pair.database.NodeDatabase;
import io.twinbell.node.pair.database.PairRegisters;
import io.twinbell.node.task.PassedSlotFinder;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.epoch.DoubtWindow;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.ledger.PackedSlots;
import io.twinbell.persistence.ledger.callback.JdbcCallbackStore;
import io.twinbell.persistence.ledger.claim.JdbcDueTasks;
import io.twinbell.persistence.ledger.claim.JdbcLedger;
import io.twinbell.persistence.ledger.record.JdbcRecorder;
import io.twinbell.persistence.ledger.record.JdbcReportWriter;
import io.twinbell.persistence.ledger.recovery.JdbcRecoveryStore;
import io.twinbell.persistence.limit.JdbcLimitSource;
import io.twinbell.persistence.task.TaskStore;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Connects the engine's ports and the stores of the API to the node's database. Each port gets the connection whose
 * queue its work may wait in.
 */
final class JdbcPorts {
    private JdbcPorts() {}

    static EnginePorts engine(NodeDatabase database) {
        PackedSlots batches = new PackedSlots(PackedSlots.LEAST);
        CalendarBook calendars = new CalendarBook(new DedicatedCalendarSource(database.claims()));
        TaskCompiler compiler = new DefinitionCompiler(calendars);
        SqlArrivals arrivals = new SqlArrivals(
                new JdbcSqlArrivalSource(database.epoch()),
                new JdbcSkippedRanges(database.epoch()),
                calendars,
                compiler);
        return new EnginePorts(
                new JdbcEpochRegister(database.settings(), database.gate()),
                new JdbcLedger(database.claims(), batches),
                new JdbcDueTasks(database.claims()),
                new JdbcRecorder(database.outcomes(), batches),
                new JdbcReportWriter(database.outcomes(), batches),
                new JdbcRecoveryStore(database.epoch()),
                new JdbcRecoveryStore(database.gate()),
                compiler,
                arrivals::step,
                new FiringPauses(database.epoch())::withStanding,
                new JdbcLimitSource(database.claims(), database.housekeeping()),
                new JdbcClaimJournal(database.gate(), database.settings().servers(), database.journal()),
                new DoubtWindow(database.epoch(), database.settings().servers())::window,
                new JdbcCallbackStore(database.outcomes(), batches));
    }

    /**
     * The stores of the API.
     *
     * @param successesKept how long the ledger keeps executions that have SUCCEEDED
     */
    static ApiStores stores(
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
