package io.twinbell.node.simulation;

import io.twinbell.node.memory.MemoryRecorder;
import io.twinbell.node.memory.MemoryRow;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Completion;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.journal.ClaimJournal;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Does on simulated tables what {@code JdbcClaimJournal} and its {@code LedgerJournal} do on PostgreSQL. */
final class SimulatedClaimJournal implements ClaimJournal {
    private final Link gate;
    private final SimulatedDatabase database;
    private final Tables tables;
    private final SimulatedHistory history;
    private final List<Event> journal = new ArrayList<>();
    private int enteredGeneration;

    /**
     * An answered claim, outcome or hand-back.
     *
     * @param completion null for a claim and a hand-back
     * @param claim null for an outcome and a hand-back
     */
    private record Event(Epoch epoch, Slot slot, int attempt, Attempt claim, Completion completion) {
        boolean isOf(Event other) {
            return slot.equals(other.slot) && attempt == other.attempt;
        }
    }

    SimulatedClaimJournal(Link gate, SimulatedDatabase database, SimulatedHistory history) {
        this.gate = gate;
        this.database = database;
        this.history = history;
        tables = database.tables;
    }

    @Override
    public int generation() {
        return history.generation();
    }

    @Override
    public Answer find(Epoch epoch, Attempt attempt) {
        return gate.guarded("look up " + attempt.slot(), () -> {
            if (!tables.isOwner(epoch)) {
                return Answer.SUPERSEDED;
            }
            MemoryRow row = tables.row(attempt.slot());
            boolean isThere = row != null && row.isClaimed() && row.isOf(epoch) && row.attempt == attempt.attempt();
            return isThere ? Answer.CLAIMED : Answer.VANISHED;
        });
    }

    @Override
    public void claimed(Epoch epoch, Attempt attempt, long nowMillis) {
        journal.add(new Event(epoch, attempt.slot(), attempt.attempt(), attempt, null));
    }

    @Override
    public void ended(Completion completion) {
        journal.add(new Event(completion.epoch(), completion.slot(), completion.attempt(), null, completion));
    }

    @Override
    public void givenBack(Epoch epoch, Slot slot, int attempt) {
        journal.add(new Event(epoch, slot, attempt, null, null));
    }

    /** Called before each statement: enters again what a promoted server lacks. */
    void arrived() {
        if (enteredGeneration == history.generation()) {
            return;
        }
        enteredGeneration = history.generation();
        Set<Event> givenBack = new HashSet<>();
        List<Event> left = new ArrayList<>();
        for (int at = journal.size() - 1; at >= 0; at--) {
            Event event = journal.get(at);
            if (event.claim() == null && event.completion() == null) {
                givenBack.add(event);
            } else if (givenBack.stream().noneMatch(event::isOf)) {
                left.add(0, event);
            }
        }
        left.stream().filter(event -> tables.isOwnerOrDrains(event.epoch())).forEach(this::enter);
    }

    private void enter(Event event) {
        if (event.completion() != null) {
            new MemoryRecorder(tables).record(event.epoch(), List.of(notFollowed(event.completion())));
            return;
        }
        MemoryRow row = tables.row(event.slot());
        boolean isOlder = row != null
                && (row.attempt < event.attempt()
                        || row.attempt == event.attempt() && row.state == ExecutionState.PENDING);
        if (row == null) {
            row = new MemoryRow(event.slot(), event.claim().app(), event.claim().name(), ExecutionState.CLAIMED);
            tables.enter(row);
        } else if (!isOlder) {
            return;
        }
        row.state = ExecutionState.CLAIMED;
        row.attempt = event.attempt();
        row.epoch = event.epoch().number();
        row.node = event.epoch().node();
        row.batch = null;
        row.claimedMillis = database.nowMillis();
        row.startedMillis = null;
        row.endedMillis = null;
        row.dueMillis = null;
        row.heldBy = null;
        row.queued = false;
    }

    /** The outcome alone is entered again: a task that follows the end of its run is found stalled. */
    private static Completion notFollowed(Completion done) {
        return new Completion(
                done.epoch(),
                done.slot(),
                done.attempt(),
                done.state(),
                done.run(),
                done.text(),
                Completion.NOT_FOLLOWED,
                done.retry(),
                0);
    }
}
