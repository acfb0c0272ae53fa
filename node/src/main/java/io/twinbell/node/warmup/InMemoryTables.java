package io.twinbell.node.warmup;

import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.claim.ClaimOutcome;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.DueTask;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.HeapPage;
import io.twinbell.persistence.ledger.claim.Ledger;
import io.twinbell.persistence.ledger.record.Recorder;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * The in-memory tables of a warm-up run: tasks that become due one after the other, and a ledger that accepts every
 * claim.
 */
final class InMemoryTables implements Ledger, DueTasks {
    private static final String APP = "warm-up";
    private static final int TASKS = 12_000;
    private static final int A_MILLISECOND = 8;
    /** One in this many tasks calls this node's own API. */
    private static final int HTTP_EVERY = 4;

    private static final int RECURRING_EVERY = 10;
    private static final long LOOK_AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private final long firstMillis;
    private final String health;
    private final ApiActivity apiActivity;
    private final AtomicInteger outcomes = new AtomicInteger();
    private volatile boolean isClosed;

    /** @param node the address of this node's API; empty if there is none, and then no task makes a call */
    InMemoryTables(DatabaseClock clock, String node, ApiActivity apiActivity) {
        firstMillis = clock.nowMillis();
        health = node.isEmpty() ? "" : URI.create(node).resolve("/health/live").toString();
        this.apiActivity = apiActivity;
    }

    /** Lets waiting claims continue. */
    void close() {
        isClosed = true;
    }

    /** Whether as many outcomes were recorded as there are tasks. */
    boolean isEmpty() {
        return outcomes.get() >= TASKS;
    }

    int outcomes() {
        return outcomes.get();
    }

    Recorder recorder() {
        return new CountingRecorder(outcomes);
    }

    private long fireMillis(long id) {
        return firstMillis + id / A_MILLISECOND;
    }

    @Override
    public HeapPage page(long afterFireMillis, long afterTaskId, int limit) {
        int first = (int) afterTaskId + 1;
        int size = Math.max(0, Math.min(limit, TASKS - (int) afterTaskId));
        long[] ids = new long[size];
        long[] times = new long[size];
        byte[] priorities = new byte[size];
        for (int i = 0; i < size; i++) {
            ids[i] = first + i;
            times[i] = fireMillis(ids[i]);
            priorities[i] = 5;
        }
        return new HeapPage(times, ids, priorities);
    }

    @Override
    public HeapPage overdue(long byMillis, int limit) {
        return new HeapPage(new long[0], new long[0], new byte[0]);
    }

    @Override
    public HeapPage waiting(long[] taskIds) {
        byte[] priorities = new byte[taskIds.length];
        Arrays.fill(priorities, (byte) 5);
        return new HeapPage(Arrays.stream(taskIds).map(this::fireMillis).toArray(), taskIds, priorities);
    }

    @Override
    public List<DueTask> read(long[] taskIds) {
        return Arrays.stream(taskIds)
                .mapToObj(id -> new DueTask(
                        id, 1, APP, "task-" + id, definition(id), fireMillis(id), false, (byte) 5, List.of()))
                .toList();
    }

    @Override
    public Map<Long, String> apps(long[] taskIds) {
        return Arrays.stream(taskIds).boxed().collect(Collectors.toMap(Function.identity(), id -> APP));
    }

    @Override
    public String soleApp() {
        return APP;
    }

    private String definition(long id) {
        Instant fire = Instant.ofEpochMilli(fireMillis(id));
        String schedule = "{\"at\":\"" + fire + "\"}";
        if (id % RECURRING_EVERY == 0) {
            schedule = id % 2 == 0 ? "{\"every\":\"PT1S\"}" : "{\"cron\":\"* * * * * *\"}";
        }
        String handler = id % HTTP_EVERY == 1 && !health.isEmpty()
                ? "{\"type\":\"http\",\"method\":\"GET\",\"url\":\"" + health + "\"}"
                : "{\"type\":\"java\",\"key\":\"twinbell.noop\"}";
        return "{\"start\":\"" + fire + "\",\"schedule\":" + schedule + ",\"handler\":" + handler + "}";
    }

    /** Waits while clients use this node. This is the point where a real claim waits for the database. */
    @Override
    public ClaimOutcome claim(Epoch epoch, long batch, List<DecidedSlot> claims) {
        while (apiActivity.isThere() && !isClosed) {
            LockSupport.parkNanos(this, LOOK_AGAIN_NANOS);
        }
        Set<Long> all = new HashSet<>();
        claims.forEach(claim -> all.add(claim.taskId()));
        return new ClaimOutcome(true, all, all, Set.of());
    }

    @Override
    public Set<Long> enteredInBatch(Epoch epoch, long batch, List<DecidedSlot> claims) {
        return Set.of();
    }

    @Override
    public List<Attempt> claimWaiting(Epoch epoch, long batch, DueBounds due, int limit) {
        return new ArrayList<>();
    }

    @Override
    public SettledDoubts settleDoubts(Epoch epoch, int most) {
        return new SettledDoubts(Set.of(), false);
    }

    @Override
    public List<Attempt> claimWaiting(Epoch epoch, long batch, DueBounds due, Map<String, Integer> mostByApp) {
        return new ArrayList<>();
    }

    @Override
    public List<String> appsWaiting(DueBounds due, String after, int limit) {
        return List.of();
    }

    @Override
    public Set<Long> tasksInTurn(long nowMillis) {
        return Set.of();
    }

    @Override
    public long nextWaitingMillis(long afterMillis) {
        return DecidedSlot.NONE;
    }

    @Override
    public List<Attempt> claimedInBatch(Epoch epoch, long batch) {
        return List.of();
    }

    @Override
    public int releaseWaiting(Epoch epoch, String limitKey, int most) {
        return 0;
    }

    @Override
    public Set<String> waitedLimits() {
        return Set.of();
    }

    @Override
    public boolean markUnreadable(Epoch epoch, long taskId, long version, String reason) {
        throw new IllegalStateException("a warm-up task cannot be read: " + reason);
    }

    @Override
    public boolean handBack(Epoch epoch, List<Attempt> unstarted) {
        return true;
    }
}
