package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.SupersededListener;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.record.LedgerWait;
import io.twinbell.persistence.ledger.record.OverlapQueue;
import io.twinbell.persistence.ledger.record.Recorder;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes a batch of outcomes to the ledger, in the order that each task needs. Recorder's thread only. */
final class OutcomeWriter {
    private static final Logger LOG = LoggerFactory.getLogger(OutcomeWriter.class);

    private final Recorder usual;
    private final Recorder hurried;
    private final RunRegistry registry;
    private final SupersededListener supersededListener;
    /**
     * Runs that already wait in the ledger, although the rest of their batch failed. They may have been claimed again,
     * so they are not written a second time.
     */
    private final Set<PendingRecord> waitsRecorded = new HashSet<>();
    /** How many outcomes of rows without a run wait to be recorded; no other count includes them. */
    private final AtomicInteger unrun = new AtomicInteger();

    private final IntSupplier generation;
    /** The generation of the database server that has the waits recorded. */
    private int waitsGeneration;

    /** @param generation the generation of the database server */
    OutcomeWriter(
            Recorder recorder, RunRegistry registry, SupersededListener supersededListener, IntSupplier generation) {
        usual = recorder;
        hurried = recorder.hurried();
        this.registry = registry;
        this.supersededListener = supersededListener;
        this.generation = generation;
    }

    /** Counts an outcome of a row without a run. Any thread. */
    void countUnrun() {
        unrun.incrementAndGet();
    }

    /** How many outcomes of rows without a run are not recorded yet. Any thread. */
    int unrun() {
        return unrun.get();
    }

    /** Forgets outcomes that are recorded or given up. */
    void forget(List<PendingRecord> done) {
        done.forEach(waitsRecorded::remove);
        unrun.addAndGet(
                -(int) done.stream().filter(pending -> pending.run() == null).count());
    }

    /** Forgets the recorded wait of an outcome that was recorded in another form, without its texts. */
    void forgetWait(PendingRecord pending) {
        waitsRecorded.remove(pending);
    }

    /**
     * Records the outcomes. Recording is idempotent. It is repeated if the database was promoted meanwhile: the answer
     * may come from the former primary, and the new one may lack the outcomes.
     *
     * @param isHurried whether it may wait only briefly
     */
    void record(List<PendingRecord> together, boolean isHurried) {
        int before;
        do {
            before = generation.getAsInt();
            recordOnce(together, isHurried);
        } while (before != generation.getAsInt());
    }

    private void recordOnce(List<PendingRecord> together, boolean isHurried) {
        Recorder recorder = isHurried ? hurried : usual;
        forgetWaitsOfFormerServer();
        List<PendingRecord> waiting = together.stream()
                .filter(pending -> pending.returnsToPending() && !waitsRecorded.contains(pending))
                .toList();
        queueUp(recorder, waiting);
        recordWaits(recorder, waiting);
        waitsRecorded.addAll(waiting);
        List<Completion> completions = together.stream()
                .filter(pending -> !pending.returnsToPending())
                .map(PendingRecord::completion)
                .toList();
        Epoch.group(completions, Completion::epoch).forEach((epoch, some) -> record(recorder, epoch, some));
    }

    /**
     * A promoted server may lack the wait, or have the claim entered again. A run that was claimed again is left alone.
     */
    private void forgetWaitsOfFormerServer() {
        int now = generation.getAsInt();
        if (now != waitsGeneration) {
            waitsGeneration = now;
            waitsRecorded.removeIf(pending -> !isReplaced(pending.run()));
        }
    }

    /** Whether another run of the slot is in memory. A run that was set aside is not in memory any more. */
    private boolean isReplaced(Run run) {
        Run present = registry.find(run.slot());
        return present != null && present != run;
    }

    private void queueUp(Recorder recorder, List<PendingRecord> together) {
        List<Run> queueing = together.stream()
                .filter(PendingRecord::isQueueing)
                .map(PendingRecord::run)
                .toList();
        Epoch.group(queueing, Run::epoch).forEach((epoch, runs) -> {
            boolean isAuthorised = recorder.queue(
                    epoch,
                    runs.stream()
                            .map(run -> new OverlapQueue(
                                    run.slot(),
                                    run.attempt().attempt(),
                                    run.definition().queueMax()))
                            .toList());
            if (!isAuthorised) {
                supersededListener.superseded(epoch, runs.size());
            }
        });
    }

    /**
     * Makes runs wait in the ledger. A run whose answer was lost may have been claimed again since; then another run
     * has taken its place.
     */
    private void recordWaits(Recorder recorder, List<PendingRecord> together) {
        List<PendingRecord> held = together.stream()
                .filter(pending -> pending.waitedLimit() != null && !isReplaced(pending.run()))
                .toList();
        Epoch.group(held, pending -> pending.run().epoch()).forEach((epoch, some) -> {
            boolean isAuthorised = recorder.recordWaits(
                    epoch,
                    some.stream()
                            .map(pending -> new LedgerWait(
                                    pending.run().slot(),
                                    pending.run().attempt().attempt(),
                                    pending.waitedLimit()))
                            .toList());
            if (!isAuthorised) {
                supersededListener.superseded(epoch, some.size());
            }
        });
    }

    private void record(Recorder recorder, Epoch epoch, List<Completion> completions) {
        // A statement can update a row only once. So of two completions of one slot, the later one needs its own
        // statement.
        List<Completion> running = completions.stream()
                .filter(completion -> !completion.endsAttempt())
                .toList();
        List<Completion> ended =
                completions.stream().filter(Completion::endsAttempt).toList();
        if (!running.isEmpty()) {
            recorder.record(epoch, running);
        }
        if (!ended.isEmpty()) {
            List<Completion> refused = recorder.record(epoch, ended);
            if (!refused.isEmpty()) {
                supersededListener.superseded(epoch, refused.size());
                note(recorder, refused);
            }
        }
    }

    /**
     * Writes notes of outcomes that were refused. The epoch is superseded and the successor settles the rows, so a note
     * that the database refuses is only logged.
     */
    private static void note(Recorder recorder, List<Completion> refused) {
        try {
            recorder.note(refused);
        } catch (DatabaseUnavailableException e) {
            if (e.isOutage()) {
                throw e;
            }
            LOG.warn("{} outcomes of a superseded epoch could not be noted: {}", refused.size(), e.getMessage());
        }
    }
}
