package io.twinbell.node.engine;

import io.twinbell.node.task.Overlap;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** Every run that this process holds, and which tasks are running: the master's own memory of the unfinished ledger. */
final class InFlight {
    private final ConcurrentHashMap<Slot, Run> runs = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Long, Integer> runningByTask = new ConcurrentHashMap<>();
    /** Slots that were promised another attempt and wait for a run of their task to end. */
    private final ConcurrentHashMap<Long, Slot> promisedByTask = new ConcurrentHashMap<>();

    private final int limit;
    private volatile Set<Long> runningElsewhere = Set.of();

    /** @param limit how many runs this process takes on at once */
    InFlight(int limit) {
        this.limit = limit;
    }

    void add(Run run) {
        runs.put(run.slot(), run);
    }

    void remove(Run run) {
        if (runs.remove(run.slot(), run)) {
            promisedByTask.remove(run.slot().taskId(), run.slot());
        }
    }

    /** Null if this process does not hold it. */
    Run find(Slot slot) {
        return runs.get(slot);
    }

    boolean holds(Slot slot) {
        return runs.containsKey(slot);
    }

    /** How many more runs may be claimed. */
    int room() {
        return Math.max(0, limit - runs.size());
    }

    int size() {
        return runs.size();
    }

    Collection<Run> all() {
        return runs.values();
    }

    List<Run> of(Epoch epoch) {
        return runs.values().stream().filter(run -> run.epoch().equals(epoch)).toList();
    }

    boolean hasAny(Epoch epoch) {
        return runs.values().stream().anyMatch(run -> run.epoch().equals(epoch));
    }

    /**
     * Counts the task as running; false if its policy does not let this run begin beside another. A second attempt that
     * is refused goes first when the other has ended: newer slots of its task are refused until then.
     */
    boolean tryEnter(Run run) {
        long task = run.slot().taskId();
        boolean mayOverlap = run.definition().overlap() == Overlap.ALLOW;
        if (!mayOverlap && (runningElsewhere.contains(task) || isPromisedToAnother(run))) {
            return false;
        }
        boolean entered = count(task, mayOverlap);
        if (entered) {
            promisedByTask.remove(task, run.slot());
        } else if (run.attempt().attempt() > 1) {
            promisedByTask.putIfAbsent(task, run.slot());
            if (runs.get(run.slot()) != run) {
                // Given back in between: nobody would ever keep the promise.
                promisedByTask.remove(task, run.slot());
            }
        }
        return entered;
    }

    private boolean isPromisedToAnother(Run run) {
        Slot promised = promisedByTask.get(run.slot().taskId());
        return promised != null && !promised.equals(run.slot());
    }

    private boolean count(long task, boolean mayOverlap) {
        boolean[] entered = new boolean[1];
        runningByTask.compute(task, (id, count) -> {
            entered[0] = count == null || mayOverlap;
            return entered[0] ? (count == null ? 1 : count + 1) : count;
        });
        return entered[0];
    }

    void exit(Run run) {
        runningByTask.computeIfPresent(run.slot().taskId(), (id, count) -> count == 1 ? null : count - 1);
    }

    /** The tasks that a master that handed over is still finishing. */
    void runElsewhere(Set<Long> tasks) {
        runningElsewhere = tasks;
    }
}
