package io.twinbell.node.engine.run;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Every run in this process: the master's memory of the unfinished part of the ledger, and the bounds on it. Whether a
 * run may begin beside others of its task is decided by the {@link OverlapGate}.
 */
public final class RunRegistry {
    /** One part in this many of the bound is not available to a single app. */
    private static final int RESERVE = 8;

    private final UnrecordableOutcomes unrecordable = new UnrecordableOutcomes();
    private final ConcurrentHashMap<Slot, Run> runs = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Long, TaskRuns> byTask = new ConcurrentHashMap<>();
    private final Set<Long> awaited = ConcurrentHashMap.newKeySet();
    /** Runs that have not started yet. */
    private final AtomicInteger waiting = new AtomicInteger();
    /** Characters of the definitions of {@link #runs}. */
    private final AtomicLong text = new AtomicLong();

    private final OverlapGate overlap = new OverlapGate(run -> runs.get(run.slot()) == run);
    private final AppLoads loads = new AppLoads();
    private final Limits limits;
    private final Bounds bounds;
    private final Backpressure backpressure;
    private final ReadRequests readRequests;
    private volatile long recordedNanos = Long.MIN_VALUE / 2;
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

        /**
         * The given number of runs and quota of each app, with texts of at most a sixteenth of this process's memory.
         */
        public static Bounds of(int runs, int firesPerMinute) {
            return new Bounds(runs, Runtime.getRuntime().maxMemory() / OF_THE_MEMORY, firesPerMinute);
        }
    }

    /** @param readRequests gets each task that waits for the end of a run, when that run has ended */
    public RunRegistry(Bounds bounds, Backpressure backpressure, ReadRequests readRequests) {
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

    /** Which runs may begin beside others of their task. */
    public OverlapGate overlap() {
        return overlap;
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
        overlap.added(run);
        if (!runs.containsKey(run.slot())) {
            // The run was handed back in between: the removal did not find it here.
            run.ofTask().remove(run);
            forgetUnused(run.ofTask());
            overlap.removed(run);
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
            overlap.removed(run);
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
    public UnrecordableOutcomes unrecordable() {
        return unrecordable;
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
}
