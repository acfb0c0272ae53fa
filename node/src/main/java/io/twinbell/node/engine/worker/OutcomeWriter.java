package io.twinbell.node.engine.worker;

import io.twinbell.node.engine.run.InFlight;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.step.SupersededListener;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.HeldByLimit;
import io.twinbell.persistence.ledger.OverlapQueue;
import io.twinbell.persistence.ledger.Recorder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Writes some outcomes of whatever kind to the ledger, in the order that one task needs. Recorder's thread only. */
final class OutcomeWriter {
    private static final Logger LOG = LoggerFactory.getLogger(OutcomeWriter.class);

    private final Recorder usual;
    private final Recorder hurried;
    private final InFlight inFlight;
    private final SupersededListener supersededListener;
    /** What waits in the ledger by now though its statement failed: it may have been claimed again, and is not laid down twice. */
    private final Set<PendingRecord> laidDown = new HashSet<>();
    /** Outcomes of rows that no run was made of: nothing else in this process counts them. */
    private final AtomicInteger unrun = new AtomicInteger();

    private volatile IntSupplier generation = () -> 0;

    OutcomeWriter(Recorder recorder, InFlight inFlight, SupersededListener supersededListener) {
        usual = recorder;
        hurried = recorder.hurried();
        this.inFlight = inFlight;
        this.supersededListener = supersededListener;
    }

    /** @param ofTheServer the generation of the database's server */
    void follows(IntSupplier ofTheServer) {
        generation = ofTheServer;
    }

    /** An outcome of a row that no run was made of is to be recorded. Any thread. */
    void awaitUnrun() {
        unrun.incrementAndGet();
    }

    /** How many of them are not recorded yet. Any thread. */
    int unrun() {
        return unrun.get();
    }

    /** These are recorded, or given up. */
    void forget(List<PendingRecord> done) {
        done.forEach(laidDown::remove);
        unrun.addAndGet(
                -(int) done.stream().filter(pending -> pending.run() == null).count());
    }

    /**
     * Saying it again changes nothing. It is said again if the database was promoted meanwhile: the answer may be that of the
     * former primary, and nobody else knows of the outcome yet.
     *
     * @param isHurried whether it may wait for a moment only
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
        List<PendingRecord> waiting = together.stream()
                .filter(pending -> pending.goesOn() && !laidDown.contains(pending))
                .toList();
        queueUp(recorder, waiting);
        hold(recorder, waiting);
        laidDown.addAll(waiting);
        Map<Epoch, List<Completion>> byEpoch = new LinkedHashMap<>();
        for (PendingRecord pending : together) {
            if (!pending.goesOn()) {
                byEpoch.computeIfAbsent(pending.completion().epoch(), epoch -> new ArrayList<>())
                        .add(pending.completion());
            }
        }
        byEpoch.forEach((epoch, completions) -> record(recorder, epoch, completions));
    }

    private void queueUp(Recorder recorder, List<PendingRecord> together) {
        Map<Epoch, List<OverlapQueue>> byEpoch = new LinkedHashMap<>();
        for (PendingRecord pending : together) {
            if (pending.isQueueing()) {
                Run run = pending.run();
                byEpoch.computeIfAbsent(run.epoch(), epoch -> new ArrayList<>())
                        .add(new OverlapQueue(
                                run.slot(),
                                run.attempt().attempt(),
                                run.definition().queueMax()));
            }
        }
        byEpoch.forEach((epoch, queueing) -> {
            if (!recorder.queue(epoch, queueing)) {
                supersededListener.superseded(epoch, queueing.size());
            }
        });
    }

    /** One whose answer was lost may have been claimed again since: then another run has its place. */
    private void hold(Recorder recorder, List<PendingRecord> together) {
        Map<Epoch, List<HeldByLimit>> byEpoch = new LinkedHashMap<>();
        for (PendingRecord pending : together) {
            if (pending.heldBy() != null && inFlight.find(pending.run().slot()) == pending.run()) {
                Run run = pending.run();
                byEpoch.computeIfAbsent(run.epoch(), epoch -> new ArrayList<>())
                        .add(new HeldByLimit(run.slot(), run.attempt().attempt(), pending.heldBy()));
            }
        }
        byEpoch.forEach((epoch, held) -> {
            if (!recorder.hold(epoch, held)) {
                supersededListener.superseded(epoch, held.size());
            }
        });
    }

    private void record(Recorder recorder, Epoch epoch, List<Completion> completions) {
        // A statement updates a row once: of two completions of one slot, the later in its own statement.
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

    /** The epoch is over, and its successor settles the rows: a note that cannot be written stops nobody. */
    private static void note(Recorder recorder, List<Completion> refused) {
        try {
            recorder.note(refused);
        } catch (DatabaseUnavailableException e) {
            if (e.isOutage()) {
                throw e;
            }
            LOG.warn("{} outcomes of an epoch that is over are not noted: {}", refused.size(), e.getMessage());
        }
    }
}
