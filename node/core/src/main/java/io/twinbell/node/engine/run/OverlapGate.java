package io.twinbell.node.engine.run;

import io.twinbell.node.engine.task.Overlap;
import io.twinbell.persistence.ledger.Slot;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * Decides whether a run may begin beside others of its task. A run whose policy is {@link Overlap#ALLOW} always may.
 * Any other may not while its task is in one of these states:
 *
 * <pre>
 * state              begins                                       ends                        stops
 * running            {@link #tryEnter} admits a run               {@link RunRegistry#exit}    every run
 * running elsewhere  a former master still drains a run of it     the next look at it         every run
 * to adopt           an earlier master's run awaits a callback    this master has adopted it  every run
 * promised           a slot in turn is claimed, or a further      that slot begins, or its    every other slot
 *                    attempt is refused                           run leaves this process
 * in turn            a slot is written to the ledger's queue      the queue is empty          newer slots
 * queueing           a run here waits to be written there         it is written               newer slots
 * retrying           a slot will have another attempt             its outcome is durable      newer slots
 * </pre>
 *
 * <p>"In turn" and "queueing" do not stop a run whose policy is {@link Overlap#CANCEL_RUNNING}. A newer slot is one
 * that neither comes from the queue nor is a further attempt. Any thread.
 */
public final class OverlapGate {
    private final Predicate<Run> isHeld;
    private final Set<Long> tasksInTurn = ConcurrentHashMap.newKeySet();
    private final ConcurrentHashMap<Long, Set<Slot>> retryingByTask = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Long, Slot> promisedByTask = new ConcurrentHashMap<>();
    private volatile Set<Long> runningElsewhere = Set.of();
    private volatile Set<Long> tasksToAdopt = Set.of();

    /** @param isHeld whether this process still holds the run: it may be handed back while it asks to begin */
    OverlapGate(Predicate<Run> isHeld) {
        this.isHeld = isHeld;
    }

    /** Promises the task to a run that comes from the queue in the ledger. */
    void added(Run run) {
        if (run.attempt().inTurn()) {
            promisedByTask.putIfAbsent(run.slot().taskId(), run.slot());
        }
    }

    /** Withdraws the promise to a run that leaves this process. */
    void removed(Run run) {
        promisedByTask.remove(run.slot().taskId(), run.slot());
    }

    /**
     * Counts the task as running; returns false if its overlap policy does not let this run begin beside another. If a
     * further attempt is refused, it goes first when the other run has ended: until then, newer slots of its task are
     * refused.
     */
    public boolean tryEnter(Run run) {
        TaskRuns ofTask = run.ofTask();
        Long task = ofTask.task();
        boolean mayOverlap = run.definition().overlap() == Overlap.ALLOW;
        if (!mayOverlap
                && (runningElsewhere.contains(task)
                        || tasksToAdopt.contains(task)
                        || isReservedForOther(run, task)
                        || waitsForOther(run, ofTask))) {
            return false;
        }
        boolean entered = ofTask.enter(mayOverlap);
        if (entered) {
            promisedByTask.remove(task, run.slot());
        } else if (run.waitsItsTurn()) {
            promisedByTask.putIfAbsent(task, run.slot());
            if (!isHeld.test(run)) {
                // The run was handed back in between and will not start, so its promise is withdrawn.
                promisedByTask.remove(task, run.slot());
            }
        }
        return entered;
    }

    private boolean waitsForOther(Run run, TaskRuns ofTask) {
        if (run.waitsItsTurn()) {
            return false;
        }
        // A run that cancels the others waits for none; rows that wait in the ledger wait for it.
        boolean waitsForQueue = run.definition().overlap() != Overlap.CANCEL_RUNNING && hasQueue(ofTask);
        return waitsForQueue || retryingByTask.containsKey(ofTask.task());
    }

    private boolean hasQueue(TaskRuns ofTask) {
        if (tasksInTurn.contains(ofTask.task())) {
            return true;
        }
        // A plain loop instead of a stream, because every start executes this.
        for (Run run : ofTask.unfinished()) {
            if (run.isQueueing()) {
                return true;
            }
        }
        return false;
    }

    /** Notes that a slot of the task waits in the ledger for its turn: no newer slot may go before it. */
    public void addTaskInTurn(long taskId) {
        tasksInTurn.add(taskId);
    }

    public Set<Long> tasksInTurn() {
        return Set.copyOf(tasksInTurn);
    }

    /**
     * Replaces the tasks with waiting slots by those read from the ledger.
     *
     * @param known the tasks before the ledger was read; tasks added since then stay
     */
    public void replaceTasksInTurn(Set<Long> known, Set<Long> inLedger) {
        known.stream().filter(task -> !inLedger.contains(task)).forEach(tasksInTurn::remove);
        inLedger.stream().filter(task -> !known.contains(task)).forEach(tasksInTurn::add);
    }

    /** The slots of the task that wait for their next attempt. */
    public Set<Slot> retrying(long taskId) {
        return retryingByTask.getOrDefault(taskId, Set.of());
    }

    /**
     * Notes that the slot will have another attempt: its task counts as unfinished until the slot's outcome is durable.
     */
    public void willRetry(Slot slot) {
        retryingByTask.compute(slot.taskId(), (id, others) -> {
            Set<Slot> all = others == null ? new HashSet<>() : new HashSet<>(others);
            all.add(slot);
            return all;
        });
    }

    public void dropRetry(Slot slot) {
        retryingByTask.computeIfPresent(slot.taskId(), (id, all) -> {
            Set<Slot> others = new HashSet<>(all);
            others.remove(slot);
            return others.isEmpty() ? null : others;
        });
    }

    public Set<Slot> retrying() {
        return retryingByTask.values().stream().flatMap(Set::stream).collect(Collectors.toSet());
    }

    /**
     * Replaces the retrying slots by those read from the ledger.
     *
     * @param known the retrying slots before the ledger was read; slots added since then stay, and so do those whose
     *     attempt this process holds
     * @param holds whether this process holds an attempt of a slot
     */
    public void replaceRetrying(Set<Slot> known, Set<Slot> inLedger, Predicate<Slot> holds) {
        known.stream()
                .filter(slot -> !inLedger.contains(slot) && !holds.test(slot))
                .forEach(this::dropRetry);
        inLedger.stream().filter(slot -> !known.contains(slot)).forEach(this::willRetry);
    }

    private boolean isReservedForOther(Run run, Long task) {
        Slot promised = promisedByTask.get(task);
        return promised != null && !promised.equals(run.slot());
    }

    /** Sets the tasks that have parked runs of an earlier master which this node has not adopted yet. */
    public void setTasksToAdopt(Set<Long> tasks) {
        tasksToAdopt = tasks;
    }

    /** Sets the tasks that a former master is still finishing. */
    public void setRunningElsewhere(Set<Long> tasks) {
        runningElsewhere = tasks;
    }

    /** Whether a former master is still finishing the task. */
    public boolean runsElsewhere(long taskId) {
        return runningElsewhere.contains(taskId);
    }
}
