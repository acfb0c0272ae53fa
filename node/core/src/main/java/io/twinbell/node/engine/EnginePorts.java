package io.twinbell.node.engine;

import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.epoch.DoubtWindow;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.ledger.callback.CallbackStore;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import io.twinbell.persistence.ledger.record.Recorder;
import io.twinbell.persistence.ledger.record.ReportWriter;
import io.twinbell.persistence.ledger.recovery.RecoveryStore;
import io.twinbell.persistence.limit.LimitSource;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * The database ports, and what makes sense of definitions. Ports that must not wait for each other use separate
 * connections.
 *
 * @param sqlArrivals processes a bounded number of changes made by SQL; returns whether there may be more
 * @param doubt is asked when an epoch begins
 */
public record EnginePorts(
        EpochRegister startCheckRegister,
        Ledger ledger,
        DueTasks dueTasks,
        Recorder recorder,
        ReportWriter reports,
        RecoveryStore recovery,
        RecoveryStore startRecovery,
        TaskCompiler compiler,
        BooleanSupplier sqlArrivals,
        Supplier<List<Pause>> pauses,
        LimitSource limits,
        ClaimJournal claimJournal,
        DoubtWindow.Source doubt,
        CallbackStore callbacks) {}
