package io.twinbell.node.simulation;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.recovery.CancelRequest;
import io.twinbell.persistence.takeover.OwnerLocation;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskProgress;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.stream.Stream;

/** The rows of the simulated database: the same as in PostgreSQL, as far as the protocol reads them. */
final class Tables {
    private static final Comparator<Slot> BY_TASK =
            Comparator.comparingLong(Slot::taskId).thenComparingLong(Slot::fireTimeMillis);

    final EpochRecord epoch = new EpochRecord();
    final List<HandOverRequest> handOverRequests = new ArrayList<>();
    final List<Takeover> takeovers = new ArrayList<>();
    final TreeMap<Long, Task> tasks = new TreeMap<>();
    final TreeMap<Slot, Row> executions = new TreeMap<>(BY_TASK);
    final List<Passed> passed = new ArrayList<>();
    final List<CancelRequest> cancelRequests = new ArrayList<>();
    final List<Opened> openings = new ArrayList<>();
    OwnerLocation location;
    long beatMillis;

    private final SimulatedDatabase database;
    /** All rows without an outcome, and some with one. */
    private final TreeMap<Slot, Row> open = new TreeMap<>(BY_TASK);

    private Guard guard = new Guard() {
        @Override
        public boolean isOwner(Epoch of, Process writer) {
            return epoch.number == of.number() && of.token().equals(epoch.token) && !epoch.resigned;
        }

        @Override
        public boolean isOwnerOrDrains(Epoch of, Process writer) {
            return epoch.number == of.number() && of.token().equals(epoch.token)
                    || drains().anyMatch(drain ->
                            drain.epoch() == of.number() && drain.token().equals(of.token()));
        }
    };

    private Tables beforeLatestOpening;

    /** The condition that a statement checks before it writes. */
    interface Guard {
        boolean isOwner(Epoch of, Process writer);

        boolean isOwnerOrDrains(Epoch of, Process writer);
    }

    /** The epoch row, which holds the authority. */
    static final class EpochRecord {
        long number;
        UUID token;
        String node;
        UUID incarnation;
        long openedMillis;
        boolean resigned;
        long resignedMillis;
        /** The drains, the latest one last. Some of them may have ended. */
        final List<Drain> drains = new ArrayList<>();

        /** The drain time that each epoch got when it was resigned, for the checker. */
        final Map<Long, Long> drainMillis = new HashMap<>();

        void copy(EpochRecord other) {
            number = other.number;
            token = other.token;
            node = other.node;
            incarnation = other.incarnation;
            openedMillis = other.openedMillis;
            resigned = other.resigned;
            resignedMillis = other.resignedMillis;
            replace(drains, other.drains);
            drainMillis.putAll(other.drainMillis);
        }
    }

    /** A resigned epoch whose master may still record the runs that it finishes. */
    record Drain(long epoch, UUID token, long untilMillis) {}

    record HandOverRequest(long epoch, String by, String reason) {}

    record Takeover(String verdict, long atMillis) {}

    record Passed(long taskId, String app, String name, PassedSlots slots) {}

    /** The opening of an epoch, also in true time. */
    record Opened(long epoch, String node, long atMillis, long atNanos) {}

    /** A row of the ledger; times are milliseconds, null for none. */
    static final class Row {
        final Slot slot;
        final String app;
        final String name;
        ExecutionState state;
        int attempt = 1;
        Long epoch;
        String node;
        Long batch;
        Long claimedMillis;
        Long startedMillis;
        Long endedMillis;
        Long dueMillis;
        /**
         * When the latest attempt was due, if it is a retry. The real ledger does not keep it, but the checker needs
         * it.
         */
        Long retryDueMillis;

        long untilMillis;
        long slots = 1;
        boolean inTurn;
        boolean queued;
        String heldBy;
        String reason;
        String note;

        Row(Slot slot, String app, String name, ExecutionState state) {
            this.slot = slot;
            this.app = app;
            this.name = name;
            this.state = state;
            untilMillis = slot.fireTimeMillis();
        }

        /** Hands the row back, so that it belongs to no claim. */
        void handBack() {
            state = ExecutionState.PENDING;
            inTurn |= attempt > 1;
            epoch = null;
            node = null;
            batch = null;
            claimedMillis = null;
        }

        Row copy() {
            Row copy = new Row(slot, app, name, state);
            copy.attempt = attempt;
            copy.epoch = epoch;
            copy.node = node;
            copy.batch = batch;
            copy.claimedMillis = claimedMillis;
            copy.startedMillis = startedMillis;
            copy.endedMillis = endedMillis;
            copy.dueMillis = dueMillis;
            copy.retryDueMillis = retryDueMillis;
            copy.untilMillis = untilMillis;
            copy.slots = slots;
            copy.inTurn = inTurn;
            copy.queued = queued;
            copy.heldBy = heldBy;
            copy.reason = reason;
            copy.note = note;
            return copy;
        }

        boolean isClaimed() {
            return state == ExecutionState.CLAIMED || state == ExecutionState.RUNNING;
        }

        boolean waits() {
            return state == ExecutionState.PENDING || state == ExecutionState.RETRYING;
        }

        boolean isOf(Epoch of) {
            return epoch != null && epoch == of.number();
        }

        long dueOrFireMillis() {
            return dueMillis == null ? slot.fireTimeMillis() : dueMillis;
        }
    }

    Tables(SimulatedDatabase database) {
        this.database = database;
    }

    /** {@code EpochGuard.OF_THE_OWNER}. */
    boolean isOwner(Epoch of) {
        return guard.isOwner(of, database.serving());
    }

    /** {@code EpochGuard.ALSO_WHILE_DRAINING}. */
    boolean isOwnerOrDrains(Epoch of) {
        return guard.isOwnerOrDrains(of, database.serving());
    }

    /** {@code twinbell.drains}. */
    Stream<Drain> drains() {
        return epoch.drains.stream().filter(drain -> drain.untilMillis() > database.nowMillis());
    }

    boolean drains(long epochNumber) {
        return drains().anyMatch(drain -> drain.epoch() == epochNumber);
    }

    void guardedBy(Guard other) {
        guard = other;
    }

    Stream<Row> rows() {
        return executions.values().stream();
    }

    /** The rows that have not ended. */
    Stream<Row> openRows() {
        open.values().removeIf(row -> row.state.isFinal());
        return open.values().stream();
    }

    /** False if the slot has a row. */
    boolean enter(Row row) {
        boolean isNew = executions.putIfAbsent(row.slot, row) == null;
        if (isNew) {
            open.put(row.slot, row);
        }
        return isNew;
    }

    /** Keeps a copy for a replica that lacks everything from the next opening on. */
    void keepForReplica() {
        beforeLatestOpening = new Tables(database);
        beforeLatestOpening.copy(this);
    }

    /**
     * Returns to the state before the latest opening, so everything committed since is lost. Returns false if there was
     * no opening.
     */
    boolean goBack() {
        Tables older = beforeLatestOpening;
        beforeLatestOpening = null;
        if (older != null) {
            copy(older);
        }
        return older != null;
    }

    Tables snapshot() {
        Tables snapshot = new Tables(database);
        snapshot.copy(this);
        return snapshot;
    }

    void become(Tables other) {
        copy(other);
    }

    private void copy(Tables other) {
        epoch.copy(other.epoch);
        replace(handOverRequests, other.handOverRequests);
        replace(takeovers, other.takeovers);
        replace(passed, other.passed);
        replace(cancelRequests, other.cancelRequests);
        replace(openings, other.openings);
        location = other.location;
        beatMillis = other.beatMillis;
        tasks.clear();
        tasks.putAll(other.tasks);
        List<Row> rows = other.rows().map(Row::copy).toList();
        executions.clear();
        open.clear();
        rows.forEach(this::enter);
    }

    private static <T> void replace(List<T> list, List<T> with) {
        list.clear();
        list.addAll(with);
    }

    Stream<Row> rowsOf(long task) {
        return executions
                .subMap(new Slot(task, Long.MIN_VALUE), true, new Slot(task, Long.MAX_VALUE), true)
                .values()
                .stream();
    }

    void put(Task task, TaskProgress progress, boolean isEdit) {
        tasks.put(
                task.id(),
                new Task(
                        task.id(),
                        task.version() + (isEdit ? 1 : 0),
                        task.content(),
                        progress,
                        task.createdAtMillis(),
                        task.updatedAtMillis()));
    }

    String definition(long task) {
        Task found = tasks.get(task);
        return found == null ? null : found.content().definition();
    }

    /** Returns the default, because no task of the simulation has another priority. */
    int priority(long task) {
        return 5;
    }

    Map<Long, Task> tasks() {
        return tasks;
    }
}
