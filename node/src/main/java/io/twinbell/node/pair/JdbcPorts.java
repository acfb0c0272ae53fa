package io.twinbell.node.pair;

import io.twinbell.node.calendar.CalendarBook;
import io.twinbell.node.calendar.store.DedicatedCalendarSource;
import io.twinbell.node.compile.DefinitionCompiler;
import io.twinbell.node.compile.SqlArrivals;
import io.twinbell.node.compile.store.JdbcSkippedRanges;
import io.twinbell.node.compile.store.JdbcSqlArrivalSource;
import io.twinbell.node.engine.EnginePorts;
import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.node.journal.JdbcClaimJournal;
import io.twinbell.node.limit.store.FiringPauses;
import io.twinbell.node.pair.database.NodeDatabase;
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

/**
 * Connects the engine's ports to the node's database. Each port gets the connection whose queue its work may wait in.
 */
final class JdbcPorts {
    private JdbcPorts() {}

    static EnginePorts on(NodeDatabase database) {
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
}
