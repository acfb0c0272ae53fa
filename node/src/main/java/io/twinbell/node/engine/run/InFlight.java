package io.twinbell.node.engine.run;

import io.twinbell.node.task.Overlap;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Slot;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

/** Every run that this process holds, and which tasks are running: the master's own memory of the unfinished ledger. */
public final class InFlight {
    /** This part of the bound, one in so many, is not for one app alone. */
    private static final int RESERVE = 8;

    private final SetAsideOutcomes setAside = new SetAsideOutcomes();
    private final ConcurrentHashMap<Slot, Run> runs = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Long, TaskRuns> byTask = new ConcurrentHashMap<>();
    private final Set<Long> awaited = ConcurrentHashMap.newKeySet();
    private final Set<Long> tasksInTurn = ConcurrentHashMap.newKeySet();
    /** Slots whose next attempt is to come, or under way: unfinished all the time. */
    private final ConcurrentHashMap<Long, Set<Slot>> retryingByTask = new ConcurrentHashMap<>();

    /** Slots that were promised another attempt and wait for a run of their task to end. */
    private final ConcurrentHashMap<Long, Slot> promisedByTask = new ConcurrentHashMap<>();

    /** Runs that have yet to start. */
    private final AtomicInteger waiting = new AtomicInteger();
    /** Characters of the definitions of {@link #runs}. */
    private final AtomicLong text = new AtomicLong();

    private final AppLoads loads = new AppLoads();
    private final Limits limits = new Limits();
    private final Bounds bounds;
    private final Backpressure backpressure;
    private volatile long recordedNanos = Long.MIN_VALUE / 2;
    private volatile Set<Long> runningElsewhere = Set.of();
    private volatile LongConsumer onEnd = taskId -> {};

    /**
     * What this process takes on at once. Ten thousand runs with the largest payloads would be more than its memory; each
     * has its text there, and again as the body of a call.
     *
     * @param runs how many
     * @param text characters of their definitions in all; where a first batch turns out larger, it is the last one
     */
    public record Bounds(int runs, long text) {
        private static final int OF_THE_MEMORY = 16;

        /** So many runs, unless their text is too much for this process. */
        public static Bounds of(int runs) {
            return new Bounds(runs, Runtime.getRuntime().maxMemory() / OF_THE_MEMORY);
        }
    }

    public InFlight(Bounds bounds, Backpressure backpressure) {
        this.bounds = bounds;
        this.backpressure = backpressure;
    }

    /** Who may run beside what runs. */
    public Limits limits() {
        return limits;
    }

    /** How much each app holds. */
    public AppLoads loads() {
        return loads;
    }

    /** Who is told that a run of a task has ended, if somebody waits for that. */
    public void tells(LongConsumer waiter) {
        onEnd = waiter;
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
        putAmong(alone, run, before);
        if (run.attempt().inTurn()) {
            promisedByTask.putIfAbsent(alone.task(), run.slot());
        }
        if (!runs.containsKey(run.slot())) {
            // Given back in between, when it was not yet here to be forgotten.
            run.ofTask().remove(run);
            forgetUnused(run.ofTask());
            promisedByTask.remove(alone.task(), run.slot());
        }
    }

    /** Nearly every task has one run at most. */
    private void putAmong(TaskRuns alone, Run run, Run before) {
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
            loads.remove(run.app());
            promisedByTask.remove(task, run.slot());
            run.ofTask().remove(run);
            forgetUnused(run.ofTask());
            if (awaited.remove(task)) {
                onEnd.accept(task);
            }
        }
    }

    private void forgetUnused(TaskRuns ofTask) {
        if (ofTask.forgetIfUnused()) {
            byTask.remove(ofTask.task(), ofTask);
        }
    }

    /** Null if this process does not hold it. */
    public Run find(Slot slot) {
        return runs.get(slot);
    }

    /** The task's runs that have no durable outcome yet. */
    public List<Run> of(long taskId) {
        TaskRuns runs = byTask.get(taskId);
        return runs == null ? List.of() : runs.held();
    }

    /** When the latest run of the task started, {@link Long#MAX_VALUE} if one has not; {@link Long#MIN_VALUE} for none. */
    public long latestStart(long taskId) {
        long latest = Long.MIN_VALUE;
        for (Run run : of(taskId)) {
            latest = Math.max(latest, run.startedMillis());
        }
        return latest;
    }

    /** Has the next end of a run of the task told; false if there is none under way. */
    public boolean tellEnd(long taskId) {
        awaited.add(taskId);
        boolean isUnderWay = !of(taskId).isEmpty();
        if (!isUnderWay) {
            awaited.remove(taskId);
        }
        return isUnderWay;
    }

    /** Of how many tasks anything is known here. */
    int tasksHeld() {
        return byTask.size();
    }

    /** Runs that ended here and whose outcomes could not be recorded. */
    public SetAsideOutcomes setAside() {
        return setAside;
    }

    public boolean holds(Slot slot) {
        return runs.containsKey(slot);
    }

    /** How many more runs may be claimed. */
    public int room() {
        int held = runs.size();
        return (int) Math.max(0, Math.min(bounds.runs() - held, roomForText(held)));
    }

    /** As many as there is room for if they are as long as those that are here. */
    private long roomForText(int held) {
        long length = text.get();
        return length >= bounds.text() ? 0 : (bounds.text() - length) / Math.max(1, length / Math.max(1, held));
    }

    /** How many of them could start soon. */
    public int roomSoon() {
        return Math.min(room(), backpressure.room(waiting.get()));
    }

    /**
     * How much of what is due may be claimed: an eighth of what this process holds at most is kept for other apps than one
     * alone, and each app may have a few runs ready even if another has filled what could start soon.
     */
    public ClaimRoom roomForDue() {
        int least = loads.areSeveral() ? backpressure.leastOfApp() : 0;
        return new ClaimRoom(roomSoon(), room(), mostOfApp(), least);
    }

    /** How much of what waits in the ledger may be claimed: half of what could start soon, since what is due wants room too. */
    public ClaimRoom roomForWaiting() {
        return new ClaimRoom((roomSoon() + 1) / 2, room(), mostOfApp(), backpressure.leastOfApp());
    }

    private int mostOfApp() {
        return loads.areSeveral() ? bounds.runs() - bounds.runs() / RESERVE : Integer.MAX_VALUE;
    }

    /** How many more may be claimed of whichever apps without one having more than one app may hold. */
    public int roomOfOneApp() {
        return mostOfApp() - runs.size();
    }

    public int size() {
        return runs.size();
    }

    public Collection<Run> all() {
        return runs.values();
    }

    /**
     * What has waited here for longest, by the database's clock; {@link Long#MAX_VALUE} for nothing.
     *
     * @param waitingSinceMillis since when a run could have started and has not
     * @param endedMillis when a run ended whose end is not recorded
     */
    public record Oldest(long waitingSinceMillis, long endedMillis) {}

    /** Looks at each run. */
    public Oldest oldest() {
        long waitingSince = Long.MAX_VALUE;
        long ended = Long.MAX_VALUE;
        for (Run run : runs.values()) {
            waitingSince = Math.min(waitingSince, run.waitingSinceMillis());
            ended = Math.min(ended, run.endedMillis());
        }
        return new Oldest(waitingSince, ended);
    }

    /** Outcomes of some runs have become durable. */
    public void recordedAt(long nanos) {
        recordedNanos = nanos;
    }

    /** When outcomes became durable last, by the monotonic clock; long ago if none has. */
    public long recordedNanos() {
        return recordedNanos;
    }

    public List<Run> of(Epoch epoch) {
        return runs.values().stream().filter(run -> run.epoch().equals(epoch)).toList();
    }

    /** How many are of other epochs than this: of one that this node was given up under, and still drains. */
    public int heldOfOthers(Epoch epoch) {
        return (int)
                runs.values().stream().filter(run -> !run.epoch().equals(epoch)).count();
    }

    public boolean hasAny(Epoch epoch) {
        return runs.values().stream().anyMatch(run -> run.epoch().equals(epoch));
    }

    /**
     * Counts the task as running; false if its policy does not let this run begin beside another. A second attempt that
     * is refused goes first when the other has ended: newer slots of its task are refused until then.
     */
    public boolean tryEnter(Run run) {
        TaskRuns ofTask = run.ofTask();
        Long task = ofTask.task();
        boolean mayOverlap = run.definition().overlap() == Overlap.ALLOW;
        if (!mayOverlap
                && (runningElsewhere.contains(task)
                        || isPromisedToAnother(run, task)
                        || waitsForAnother(run, ofTask))) {
            return false;
        }
        boolean entered = ofTask.enter(mayOverlap);
        if (entered) {
            promisedByTask.remove(task, run.slot());
        } else if (run.waitsItsTurn()) {
            promisedByTask.putIfAbsent(task, run.slot());
            if (runs.get(run.slot()) != run) {
                // Given back in between: nobody would ever keep the promise.
                promisedByTask.remove(task, run.slot());
            }
        }
        return entered;
    }

    private boolean waitsForAnother(Run run, TaskRuns ofTask) {
        if (run.waitsItsTurn()) {
            return false;
        }
        // What cancels the others waits for nobody; what waits in the ledger waits for it.
        boolean waitsForQueue = run.definition().overlap() != Overlap.CANCEL_RUNNING && hasQueue(ofTask);
        return waitsForQueue || retryingByTask.containsKey(ofTask.task());
    }

    private boolean hasQueue(TaskRuns ofTask) {
        if (tasksInTurn.contains(ofTask.task())) {
            return true;
        }
        // No stream: each start comes here.
        for (Run run : ofTask.held()) {
            if (run.isQueueing()) {
                return true;
            }
        }
        return false;
    }

    /** A slot of the task waits in the ledger for its turn: no newer one goes before it. */
    public void waitsInLedger(long taskId) {
        tasksInTurn.add(taskId);
    }

    public Set<Long> tasksInTurn() {
        return Set.copyOf(tasksInTurn);
    }

    /**
     * Brings that in line with the ledger.
     *
     * @param known what was waiting before the ledger was read: what came later stays
     */
    public void waitInLedger(Set<Long> known, Set<Long> inLedger) {
        known.stream().filter(task -> !inLedger.contains(task)).forEach(tasksInTurn::remove);
        inLedger.stream().filter(task -> !known.contains(task)).forEach(tasksInTurn::add);
    }

    /** The slots of the task that wait for their next attempt. */
    public Set<Slot> retrying(long taskId) {
        return retryingByTask.getOrDefault(taskId, Set.of());
    }

    /** The slot has another attempt to come: until its outcome is durable its task counts as unfinished. */
    public void willRetry(Slot slot) {
        retryingByTask.compute(slot.taskId(), (id, others) -> {
            Set<Slot> all = others == null ? new HashSet<>() : new HashSet<>(others);
            all.add(slot);
            return all;
        });
    }

    public void retriesNoMore(Slot slot) {
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
     * Brings that in line with the ledger.
     *
     * @param known what was retrying before the ledger was read: what came later stays
     */
    public void retry(Set<Slot> known, Set<Slot> inLedger) {
        known.stream().filter(slot -> !inLedger.contains(slot) && !holds(slot)).forEach(this::retriesNoMore);
        inLedger.stream().filter(slot -> !known.contains(slot)).forEach(this::willRetry);
    }

    private boolean isPromisedToAnother(Run run, Long task) {
        Slot promised = promisedByTask.get(task);
        return promised != null && !promised.equals(run.slot());
    }

    public void exit(Run run) {
        run.ofTask().exit();
        forgetUnused(run.ofTask());
    }

    /** The tasks that a master that handed over is still finishing. */
    public void runElsewhere(Set<Long> tasks) {
        runningElsewhere = tasks;
    }
}
