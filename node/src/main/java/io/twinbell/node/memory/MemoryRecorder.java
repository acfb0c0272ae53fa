package io.twinbell.node.memory;

import io.twinbell.node.handler.store.Checkpoints;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.FailureStreaks;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.record.LedgerWait;
import io.twinbell.persistence.ledger.record.OverlapQueue;
import io.twinbell.persistence.ledger.record.Recorder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/** Records outcomes and checkpoints in the tables in memory, as {@code JdbcRecorder} does. */
public final class MemoryRecorder implements Recorder, Checkpoints {
    private final MemoryTables tables;
    private final ChainLinks chains;

    public MemoryRecorder(MemoryTables tables) {
        this.tables = tables;
        chains = new ChainLinks(tables);
    }

    @Override
    public List<Completion> record(Epoch epoch, List<Completion> completions) {
        tables.reach("record outcomes");
        if (!tables.isOwnerOrDrains(epoch)) {
            return completions;
        }
        List<MemoryRow> ended = new ArrayList<>();
        for (Completion completion : completions) {
            MemoryRow row = tables.row(completion.slot());
            boolean isClaim = row != null && row.attempt == completion.attempt() && row.isOf(epoch) && row.isClaimed();
            if (isClaim) {
                ExecutionState before = row.state;
                record(row, completion);
                if (row.state != before) {
                    ended.add(row);
                }
                if (FailureStreaks.counts(completion)) {
                    boolean hasFailed = completion.state() != ExecutionState.SUCCEEDED;
                    tables.countFailure(row.slot.taskId(), hasFailed, completion.pauseAfter());
                }
            }
        }
        chains.follow(ended);
        completions.stream()
                .filter(completion -> completion.nextMillis() != Completion.NOT_FOLLOWED)
                .sorted(Comparator.comparingLong(completion -> completion.slot().taskId()))
                .forEach(completion -> tables.reschedule(completion.slot().taskId(), completion.nextMillis()));
        return List.of();
    }

    private void record(MemoryRow row, Completion done) {
        Completion.Text text = done.text();
        row.state = done.state();
        row.startedMillis = millisOrNull(done.run().startedMicros());
        row.endedMillis = millisOrNull(done.run().endedMicros());
        row.output = text.output();
        row.error = text.error();
        row.errorCode = text.errorCode();
        row.dueMillis = done.retry() == null ? null : done.retry().dueMillis();
        boolean isSnoozed = done.retry() != null && done.retry().attemptState().equals("SNOOZED");
        if (isSnoozed) {
            row.snoozes++;
            row.snoozedSinceMillis = row.snoozedSinceMillis == null ? row.endedMillis : row.snoozedSinceMillis;
        } else if (text.reason() != null) {
            row.reason = text.reason();
        }
        if (done.retry() != null) {
            row.keepAttempt(done.retry().attemptState(), isSnoozed ? text.reason() : null);
            tables.listener().ledgerChanged();
        }
    }

    private static Long millisOrNull(long micros) {
        return micros == Long.MAX_VALUE ? null : Math.floorDiv(micros, 1000L);
    }

    @Override
    public boolean queue(Epoch epoch, List<OverlapQueue> queueing) {
        tables.reach("queue executions");
        if (!tables.isOwnerOrDrains(epoch)) {
            return false;
        }
        queueing.stream()
                .sorted(Comparator.comparingLong(one -> one.slot().fireTimeMillis()))
                .forEach(one -> queue(epoch, one));
        return true;
    }

    private void queue(Epoch epoch, OverlapQueue wanted) {
        MemoryRow row = tables.row(wanted.slot());
        boolean mayQueue =
                row != null && row.attempt == wanted.attempt() && row.isOf(epoch) && row.isClaimed() && !row.queued;
        if (!mayQueue) {
            return;
        }
        long waiting = tables.openRowsOf(wanted.slot().taskId())
                .filter(other -> other.state == ExecutionState.PENDING && other.queued)
                .count();
        boolean hasPlace = waiting < wanted.max();
        row.state = hasPlace ? ExecutionState.PENDING : ExecutionState.SKIPPED;
        row.inTurn = hasPlace;
        row.queued = hasPlace;
        row.batch = null;
        if (hasPlace) {
            row.epoch = null;
            row.node = null;
            row.claimedMillis = null;
        } else {
            row.endedMillis = tables.nowMillis();
            row.reason = "an earlier execution of this task was still running, and " + wanted.max() + " waited already";
        }
    }

    @Override
    public boolean recordWaits(Epoch epoch, List<LedgerWait> held) {
        tables.reach("let executions wait");
        if (!tables.isOwnerOrDrains(epoch)) {
            return false;
        }
        for (LedgerWait wait : held) {
            MemoryRow row = tables.row(wait.slot());
            boolean isClaim = row != null
                    && row.attempt == wait.attempt()
                    && row.isOf(epoch)
                    && row.state == ExecutionState.CLAIMED;
            if (isClaim) {
                row.handBack();
                row.heldBy = wait.limitKey();
            }
        }
        return true;
    }

    @Override
    public void note(List<Completion> late) {
        tables.reach("note late outcomes");
        for (Completion completion : late) {
            MemoryRow row = tables.row(completion.slot());
            if (row != null && (row.attempt != completion.attempt() || row.state != completion.state())) {
                row.note = "attempt " + completion.attempt() + " ended after its epoch was superseded: "
                        + completion.state();
            }
        }
    }

    @Override
    public boolean save(Epoch epoch, Slot slot, int attempt, String json) {
        tables.reach("save a checkpoint");
        MemoryRow row = tables.row(slot);
        boolean may =
                row != null && row.attempt == attempt && row.isOf(epoch) && row.isClaimed() && tables.isOwner(epoch);
        if (may) {
            row.checkpoint = json;
        }
        return may;
    }

    @Override
    public String read(Slot slot) {
        tables.reach("read a checkpoint");
        MemoryRow row = tables.row(slot);
        return row == null ? null : row.checkpoint;
    }
}
