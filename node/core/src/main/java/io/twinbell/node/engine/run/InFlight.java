package io.twinbell.node.engine.run;

import io.twinbell.node.engine.task.Overlap;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;

/**
 * Registry of every run in this process and of the tasks that are running: the master's memory of the unfinished part
 * of the ledger.
 */
public final class InFlight {
    /** One part in this many of the bound is not available to a single app. */
    private static final int RESERVE = 8;

    private final UnrecordableOutcomes setAside = new UnrecordableOutcomes();
    private final ConcurrentHashMap<Slot, Run> runs = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Long, TaskRuns> byTask = new ConcurrentHashMap<>();
    private final Set<Long> awaited = ConcurrentHashMap.newKeySet();
    private final Set<Long> tasksInTurn = ConcurrentHashMap.newKeySet();
    /** Slots whose next attempt waits or is under way. They are unfinished the whole time. */
    private final ConcurrentHashMap<Long, Set<Slot>> retryingByTask = new ConcurrentHashMap<>();

    /**
     * By task, the slot that goes next when its other runs have ended: its start was refused, or it comes from the
     * queue in the ledger.
     */
    private final ConcurrentHashMap<Long, Slot> promisedByTask = new ConcurrentHashMap<>();

    /** Runs that have not started yet. */
    private final AtomicInteger waiting = new AtomicInteger();
    /** Characters of the definitions of {@link #runs}. */
    private final AtomicLong text = new AtomicLong();

    private final AppLoads loads = new AppLoads();
    private final Limits limits;
    private final Bounds bounds;
    private final Backpressure backpressure;
    private final ReadRequests readRequests;
    private volatile long recordedNanos = Long.MIN_VALUE / 2;
    private volatile Set<Long> runningElsewhere = Set.of();
    private volatile Set<Long> tasksToAdopt = Set.of();
    private final CallbackLoad callbackLoad;

    /**
     * The bounds on what this process takes on at once. Ten thousand runs with the largest payloads would exceed its
     * memory: each holds its text, and a copy as the body of a call.
     *
     * @param runs largest number of runs
     * @param text largest total length of their definitions in characters; a batch that exceeds it is still taken as a
     *     whole, but no further one
     * @param firesPerMinute how many executions of an app may start in a minute; 0 for any number
     */
    public record Bounds(int runs, long text, int firesPerMinute) {
        private static final int OF_THE_MEMORY = 16;

        /** The given number of runs, with texts of at most a sixteenth of this process's memory. */
        public static Bounds of(int runs) {
            return of(runs, 0);
        }

        /** As {@link #of(int)}, with a quota of each app. */
        public static Bounds of(int runs, int firesPerMinute) {
            return new Bounds(runs, Runtime.getRuntime().maxMemory() / OF_THE_MEMORY, firesPerMinute);
        }
    }

    /** @param readRequests gets each task that waits for the end of a run, when that run has ended */
    public InFlight(Bounds bounds, Backpressure backpressure, ReadRequests readRequests) {
        this.bounds = bounds;
        this.readRequests = readRequests;
        this.backpressure = backpressure;
        limits = new Limits(bounds.firesPerMinute());
        callbackLoad = new CallbackLoad(bounds.text());
    }

    /** The limits on runs that run at the same time. */
    public Limits limits() {
        return limits;
    }

    /** How many runs each app holds. */
    public AppLoads loads() {
        return loads;
    }

    public void add(Run run) {
        run.countsIn(waiting);
        TaskRuns alone = new TaskRuns(run.slot().taskId(), List.of(run));
        run.belongsTo(alone);
        Run before = runs.put(run.slot(), run);
        text.addAndGet(run.length() - (before == null ? 0 : before.length()));
        if (before == null) {
            loads.add(run.app());
        }
        putWithOthers(alone, run, before);
        if (run.attempt().inTurn()) {
            promisedByTask.putIfAbsent(alone.task(), run.slot());
        }
        if (!runs.containsKey(run.slot())) {
            // The run was handed back in between: the removal did not find it here.
            run.ofTask().remove(run);
            forgetUnused(run.ofTask());
            promisedByTask.remove(alone.task(), run.slot());
        }
    }

    /** Nearly every task has one run at most. */
    private void putWithOthers(TaskRuns alone, Run run, Run before) {
        TaskRuns others = byTask.putIfAbsent(alone.task(), alone);
        while (others != null) {
            run.belongsTo(others);
            if (others.add(run, before)) {
                return;
            }
            byTask.remove(others.task(), others);
            run.belongsTo(alone);
            others = byTask.putIfAbsent(alone.task(), alone);
        }
    }

    public void remove(Run run) {
        long task = run.slot().taskId();
        if (limits.leave(run.slot(), run.hasStarted(), () -> runs.remove(run.slot(), run))) {
            text.addAndGet(-run.length());
            if (!callbackLoad.remove(run)) {
                loads.remove(run.app());
            }
            promisedByTask.remove(task, run.slot());
            run.ofTask().remove(run);
            forgetUnused(run.ofTask());
            if (awaited.remove(task)) {
                readRequests.changed(task);
            }
        }
    }

    private void forgetUnused(TaskRuns ofTask) {
        if (ofTask.forgetIfUnused()) {
            byTask.remove(ofTask.task(), ofTask);
        }
    }

    /** The run of the slot; null if this process does not hold it. */
    public Run find(Slot slot) {
        return runs.get(slot);
    }

    /** The task's runs that have no durable outcome yet. */
    public List<Run> of(long taskId) {
        TaskRuns runs = byTask.get(taskId);
        return runs == null ? List.of() : runs.unfinished();
    }

    /**
     * When the latest run of the task started; {@link Long#MAX_VALUE} if one has not started, {@link Long#MIN_VALUE} if
     * there is none.
     */
    public long latestStart(long taskId) {
        long latest = Long.MIN_VALUE;
        for (Run run : of(taskId)) {
            latest = Math.max(latest, run.startedMillis());
        }
        return latest;
    }

    /** Requests that the task is read again when a run of it ends; returns false if none is under way. */
    public boolean requestEndCallback(long taskId) {
        awaited.add(taskId);
        boolean isUnderWay = !of(taskId).isEmpty();
        if (!isUnderWay) {
            awaited.remove(taskId);
        }
        return isUnderWay;
    }

    /** The number of tasks with an entry here. */
    int taskCount() {
        return byTask.size();
    }

    /** Runs that ended here and whose outcomes could not be recorded. */
    public UnrecordableOutcomes setAside() {
        return setAside;
    }

    public boolean contains(Slot slot) {
        return runs.containsKey(slot);
    }

    /** How many more runs may be claimed. */
    public int room() {
        int held = runs.size() - callbackLoad.count();
        return (int) Math.max(0, Math.min(bounds.runs() - held, roomForText(held)));
    }

    /** The number of further runs with the average text length of those held here. */
    private long roomForText(int held) {
        long length = text.get() - callbackLoad.text();
        return length >= bounds.text() ? 0 : (bounds.text() - length) / Math.max(1, length / Math.max(1, held));
    }

    /** How many of them could start soon. */
    public int startableSoon() {
        return Math.min(room(), backpressure.room(waiting.get()));
    }

    /**
     * How many due slots may be claimed. An eighth of this process's bound is not available to a single app, and each
     * app may have a few runs ready even if another has filled the room for runs that start soon.
     */
    public ClaimRoom roomForDue() {
        int least = loads.areSeveral() ? backpressure.minPerApp() : 0;
        return new ClaimRoom(startableSoon(), room(), maxPerApp(), least);
    }

    /**
     * How many rows waiting in the ledger may be claimed: half of what could start soon, because due slots need room
     * too.
     */
    public ClaimRoom roomForWaiting() {
        return new ClaimRoom((startableSoon() + 1) / 2, room(), maxPerApp(), backpressure.minPerApp());
    }

    private int maxPerApp() {
        return loads.areSeveral() ? bounds.runs() - bounds.runs() / RESERVE : Integer.MAX_VALUE;
    }

    /** How many more runs of unknown apps may be claimed without one app exceeding its maximum. */
    public int roomOfUnknownApp() {
        return maxPerApp() - runs.size() + callbackLoad.count();
    }

    public int size() {
        return runs.size();
    }

    public Collection<Run> all() {
        return runs.values();
    }

    /**
     * The runs that have waited longest, by the database's clock; {@link Long#MAX_VALUE} for none.
     *
     * @param waitingSinceMillis since when a run could have started and has not
     * @param endedMillis when a run ended whose end is not recorded
     */
    public record OldestUnrecorded(long waitingSinceMillis, long endedMillis) {}

    /** Finds the oldest waits, by a look at each run. */
    public OldestUnrecorded oldest() {
        long waitingSince = Long.MAX_VALUE;
        long ended = Long.MAX_VALUE;
        for (Run run : runs.values()) {
            waitingSince = Math.min(waitingSince, run.waitingSinceMillis());
            ended = Math.min(ended, run.endedMillis());
        }
        return new OldestUnrecorded(waitingSince, ended);
    }

    /** Notes that outcomes have become durable. */
    public void recordedAt(long nanos) {
        recordedNanos = nanos;
    }

    /** When outcomes last became durable, by the monotonic clock; a time long past if none has. */
    public long recordedNanos() {
        return recordedNanos;
    }

    public List<Run> of(Epoch epoch) {
        return runs.values().stream().filter(run -> run.epoch().equals(epoch)).toList();
    }

    /**
     * How many runs belong to other epochs than this: those of an earlier time as master that this node still drains.
     */
    public int countOfOtherEpochs(Epoch epoch) {
        return (int)
                runs.values().stream().filter(run -> !run.epoch().equals(epoch)).count();
    }

    public boolean hasAny(Epoch epoch) {
        return runs.values().stream().anyMatch(run -> run.epoch().equals(epoch));
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
            if (runs.get(run.slot()) != run) {
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
     * @param known the retrying slots before the ledger was read; slots added since then stay
     */
    public void replaceRetrying(Set<Slot> known, Set<Slot> inLedger) {
        known.stream()
                .filter(slot -> !inLedger.contains(slot) && !contains(slot))
                .forEach(this::dropRetry);
        inLedger.stream().filter(slot -> !known.contains(slot)).forEach(this::willRetry);
    }

    private boolean isReservedForOther(Run run, Long task) {
        Slot promised = promisedByTask.get(task);
        return promised != null && !promised.equals(run.slot());
    }

    /** Stops counting the run as running. It stays here until {@link #remove}. */
    public void exit(Run run) {
        run.ofTask().exit();
        forgetUnused(run.ofTask());
    }

    /** Notes that the run waits for an answer from outside: it no longer counts against the bound of runs. */
    public void parked(Run run) {
        if (runs.get(run.slot()) == run && callbackLoad.add(run)) {
            loads.remove(run.app());
            if (runs.get(run.slot()) != run && callbackLoad.remove(run)) {
                // The run ended in between, and its removal did not find it among the parked ones.
                loads.add(run.app());
            }
        }
    }

    /** How many runs wait for an answer from outside. */
    public int parkedCount() {
        return callbackLoad.count();
    }

    /** Adds a parked run that began under an earlier master. */
    public void adopt(Run run, long startedMicros) {
        add(run);
        run.ofTask().enter(true);
        run.beginParking(false);
        run.begin(startedMicros);
        run.callbackState().accepted();
        parked(run);
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
