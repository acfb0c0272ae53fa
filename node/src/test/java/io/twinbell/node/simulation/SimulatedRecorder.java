package io.twinbell.node.simulation;

import io.twinbell.node.simulation.Tables.Row;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.record.LedgerWait;
import io.twinbell.persistence.ledger.record.OverlapQueue;
import io.twinbell.persistence.ledger.record.Recorder;
import java.util.Comparator;
import java.util.List;

/** Does on simulated tables what {@code JdbcRecorder} does on PostgreSQL, except counting failures in a row. */
final class SimulatedRecorder implements Recorder {
    private final Link link;
    private final SimulatedDatabase database;
    private final Tables tables;

    SimulatedRecorder(Link link, SimulatedDatabase database) {
        this.link = link;
        this.database = database;
        tables = database.tables;
    }

    @Override
    public List<Completion> record(Epoch epoch, List<Completion> completions) {
        return link.guarded("record " + texts(completions), () -> {
            if (!tables.isOwnerOrDrains(epoch)) {
                return completions;
            }
            completions.forEach(completion -> record(database, epoch, completion));
            completions.stream()
                    .filter(completion -> completion.nextMillis() != Completion.NOT_FOLLOWED)
                    .sorted(Comparator.comparingLong(
                            completion -> completion.slot().taskId()))
                    .forEach(completion -> Rescheduling.run(
                            database, link.serving(), completion.slot().taskId(), completion.nextMillis()));
            return List.of();
        });
    }

    private static String texts(List<Completion> completions) {
        return completions.stream()
                .map(completion -> completion.slot().taskId() + "@"
                        + SimulatedLedger.time(completion.slot().fireTimeMillis()) + "/" + completion.attempt() + ":"
                        + completion.state())
                .toList()
                .toString();
    }

    static void record(SimulatedDatabase database, Epoch epoch, Completion done) {
        Row row = database.tables.executions.get(done.slot());
        if (row == null || row.attempt != done.attempt() || !row.isOf(epoch) || !row.isClaimed()) {
            return;
        }
        row.state = done.state();
        row.startedMillis = millisOrNull(done.run().startedMicros());
        row.endedMillis = millisOrNull(done.run().endedMicros());
        row.reason = done.text().reason() == null ? row.reason : done.text().reason();
        row.dueMillis = done.retry() == null ? null : done.retry().dueMillis();
        if (row.dueMillis != null) {
            database.tell("ledger", 0);
        }
    }

    private static Long millisOrNull(long micros) {
        return micros == Long.MAX_VALUE ? null : micros / 1000;
    }

    @Override
    public boolean queue(Epoch epoch, List<OverlapQueue> queueing) {
        return link.guarded("queue " + queueing.size(), () -> {
            if (!tables.isOwnerOrDrains(epoch)) {
                return false;
            }
            queueing.stream()
                    .sorted(Comparator.comparingLong(one -> one.slot().fireTimeMillis()))
                    .forEach(one -> queue(epoch, one));
            return true;
        });
    }

    private void queue(Epoch epoch, OverlapQueue wanted) {
        Row row = tables.executions.get(wanted.slot());
        boolean mayQueue =
                row != null && row.attempt == wanted.attempt() && row.isOf(epoch) && row.isClaimed() && !row.queued;
        if (!mayQueue) {
            return;
        }
        long waiting = tables.rowsOf(wanted.slot().taskId())
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
            row.endedMillis = database.nowMillis();
            row.reason = "an earlier execution of this task was still running, and " + wanted.max() + " waited already";
        }
    }

    @Override
    public boolean recordWaits(Epoch epoch, List<LedgerWait> held) {
        return link.guarded("hold " + held.size(), () -> {
            boolean may = tables.isOwnerOrDrains(epoch);
            if (may) {
                held.forEach(one -> recordWaits(epoch, one));
            }
            return may;
        });
    }

    private void recordWaits(Epoch epoch, LedgerWait held) {
        Row row = tables.executions.get(held.slot());
        if (row != null && row.attempt == held.attempt() && row.isOf(epoch) && row.state == ExecutionState.CLAIMED) {
            row.handBack();
            row.heldBy = held.limitKey();
        }
    }

    @Override
    public void note(List<Completion> late) {
        link.commit("note " + late.size(), () -> {
            late.forEach(completion -> {
                Row row = tables.executions.get(completion.slot());
                if (row != null) {
                    row.note = "attempt " + completion.attempt() + " ended after its epoch was superseded";
                }
            });
            return null;
        });
    }
}
