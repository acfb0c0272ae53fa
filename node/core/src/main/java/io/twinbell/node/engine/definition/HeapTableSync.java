package io.twinbell.node.engine.definition;

import io.twinbell.node.engine.run.ClaimRoom;
import io.twinbell.node.engine.run.ReadRequests;
import io.twinbell.node.engine.step.TimeSources;
import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.node.engine.trigger.ActionQueue;
import io.twinbell.node.engine.trigger.DueInbox;
import io.twinbell.node.engine.trigger.HeapAction;
import io.twinbell.persistence.ledger.claim.DueTask;
import io.twinbell.persistence.ledger.claim.DueTasks;
import io.twinbell.persistence.ledger.claim.DueTasks.HeapPage;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Keeps the task heap in line with the table. All reads happen on the claimer's thread, so actions enter the queue in
 * the order of the reads. An older answer therefore never replaces a newer one.
 */
public final class HeapTableSync {
    /** No schedule fires before 1970. */
    static final long BEFORE_EVERYTHING = -1;

    private static final int FIRST_PAGE = StandbyPrefetch.PAGE;
    private static final int PAGE = 2000;
    /** A due task is claimed much sooner than this, unless the heap lacks it. */
    private static final long LONG_DUE_MILLIS = 2000;

    /** Most definitions have some hundred characters, and some the 64 KiB that a payload may have. */
    private static final Definitions.Bounds REMEMBERED = new Definitions.Bounds(20_000, 32 << 20);

    private static final int READS_PER_PASS = 1000;
    /**
     * Fewer changed tasks are read as a whole: a second round trip takes some tenths of a millisecond, a definition
     * some 7 µs.
     */
    private static final int WORTH_TWO_READS = 20;

    private static final int PARSED_AT_ONCE = 250;
    private static final long SOLE_APP_NANOS = Duration.ofSeconds(1).toNanos();

    private final DueTasks table;
    private final ReadRequests requests;
    private final ActionQueue actions;
    private final TimeSources clocks;
    private final Definitions definitions;
    private final StandbyPrefetch prefetch;
    private boolean rebuilding;
    private boolean isPageNext;
    private long afterFireMillis;
    private long afterTaskId;
    private long rebuildBeganNanos;
    /** The app of all tasks at {@link #soleAppReadNanos}; null if they are of several apps. */
    private String soleApp;

    private long soleAppReadNanos = Long.MIN_VALUE / 2;
    private volatile long lastRebuildMillis = -1;
    private volatile long soonestSeenMillis = Long.MAX_VALUE;

    public HeapTableSync(
            DueTasks table, ReadRequests requests, ActionQueue actions, TimeSources clocks, TaskCompiler compiler) {
        this.table = table;
        this.requests = requests;
        this.actions = actions;
        this.clocks = clocks;
        definitions = new Definitions(REMEMBERED, compiler);
        prefetch = new StandbyPrefetch(table, definitions, clocks);
    }

    /** Reads these tasks again at the next pass. */
    public void readAgain(long... taskIds) {
        requests.add(taskIds);
    }

    /** Drops all requests, because this node no longer fires. */
    public void stop() {
        forget(requests.drop());
        rebuilding = false;
    }

    /** On a standby, reads the page that a promotion would claim first, and the definitions that are not known yet. */
    HeapPage warmUp() {
        // A standby has no heap to correct.
        forget(requests.take(Integer.MAX_VALUE));
        HeapPage soonest = prefetch.readPage();
        soonestSeenMillis = soonest.size() == 0 ? Long.MAX_VALUE : soonest.fireMillis()[0];
        return soonest;
    }

    /** The earliest fire time in the table as of the last {@link #warmUp}; {@link Long#MAX_VALUE} for none. */
    public long soonestSeenMillis() {
        return soonestSeenMillis;
    }

    private void forget(long[] outdated) {
        for (long id : outdated) {
            definitions.forget(id);
        }
    }

    /** Begins to build the heap of a new master, and reads its first page. */
    public void beginRebuild() {
        rebuildFrom(prefetch.beginningMillis());
    }

    private void rebuildFrom(long fireMillis) {
        forget(requests.dropForRebuild());
        rebuilding = true;
        isPageNext = false;
        rebuildBeganNanos = clocks.monotonic().nanos();
        afterFireMillis = fireMillis;
        afterTaskId = 0;
        readPage(FIRST_PAGE);
    }

    /** Reads what was requested, at most a page of each; returns whether there is more. */
    public boolean step() {
        if (requests.takeAll()) {
            rebuildFrom(BEFORE_EVERYTHING);
        } else if (rebuilding) {
            // Pages alternate with claims, so that overdue tasks do not wait for the millionth row.
            if (isPageNext) {
                readPage(PAGE);
            }
            isPageNext = !isPageNext;
        }
        long[] ids = requests.take(READS_PER_PASS);
        if (ids.length >= WORTH_TWO_READS) {
            readMany(ids);
        } else if (ids.length > 0) {
            read(ids);
        }
        return rebuilding || requests.hasAny();
    }

    /**
     * Looks for tasks that have long been due, if that was requested. Called while the claimer has no due task in hand.
     * Tasks whose claim failed are on their way back into the heap, so the check waits until all of them have been
     * read.
     */
    public void check(DueInbox due) {
        if (!rebuilding && !requests.hasAny() && requests.takeCheck()) {
            long taken = due.taken();
            HeapPage overdue = table.overdue(LONG_DUE_MILLIS, FIRST_PAGE);
            actions.add(new HeapAction.Check(overdue.taskIds(), overdue.fireMillis(), overdue.priorities(), taken));
        }
    }

    /** Whether rows are to be read. */
    public boolean hasRequests() {
        return requests.hasAny();
    }

    private void readPage(int limit) {
        HeapPage page = table.page(afterFireMillis, afterTaskId, limit);
        if (page.size() > 0) {
            afterFireMillis = page.fireMillis()[page.size() - 1];
            afterTaskId = page.taskIds()[page.size() - 1];
            actions.add(new HeapAction.Put(page.taskIds(), page.fireMillis(), page.priorities()));
        }
        if (page.size() < limit) {
            rebuilding = false;
            lastRebuildMillis = (clocks.monotonic().nanos() - rebuildBeganNanos) / 1_000_000;
        }
    }

    /**
     * Reads changed tasks again. Most tasks of a large batch are due much later; their definitions are read when they
     * are due, and would take most of the time of this.
     */
    private void readMany(long[] ids) {
        requestedAgainOnFailure(ids, () -> {
            long[] rest = updateHeapForLaterTasks(ids);
            return rest.length == 0 ? Map.of() : readAll(rest);
        });
    }

    /** Corrects the heap entries of the tasks that are due much later; returns the other ones. */
    private long[] updateHeapForLaterTasks(long[] ids) {
        HeapPage waiting = table.waiting(ids);
        long now = clocks.database().nowMillis();
        long[] later = IntStream.range(0, waiting.size())
                .filter(i ->
                        !definitions.has(waiting.taskIds()[i]) && !Definitions.isSoon(waiting.fireMillis()[i], now))
                .mapToLong(i -> waiting.taskIds()[i])
                .toArray();
        if (later.length == 0) {
            return ids;
        }
        Map<Long, String> apps = table.apps(later);
        HeapUpdates heapUpdates = new HeapUpdates(later.length);
        for (int i = 0; i < waiting.size(); i++) {
            long id = waiting.taskIds()[i];
            // Without an app: it is due soon, or was removed meanwhile.
            if (apps.containsKey(id)) {
                heapUpdates.add(id, waiting.fireMillis()[i], waiting.priorities()[i], apps.get(id));
            }
        }
        heapUpdates.sendTo(actions);
        return Arrays.stream(ids).filter(id -> !apps.containsKey(id)).toArray();
    }

    /** Reads the tasks again and corrects their heap entries; returns the tasks found, by id. */
    public Map<Long, DueTask> read(long[] ids) {
        return requestedAgainOnFailure(ids, () -> readAll(ids));
    }

    private Map<Long, DueTask> requestedAgainOnFailure(long[] ids, Supplier<Map<Long, DueTask>> reading) {
        try {
            return reading.get();
        } catch (RuntimeException e) {
            // Reading a calendar that a definition names may have failed. Then the tasks are read a second time, which
            // does no harm.
            requests.add(ids);
            throw e;
        }
    }

    private Map<Long, DueTask> readAll(long[] ids) {
        List<DueTask> found = table.read(ids);
        long now = clocks.database().nowMillis();
        Map<Long, DueTask> byId = new HashMap<>();
        found.forEach(task -> byId.put(task.id(), task));
        HeapUpdates heapUpdates = new HeapUpdates(ids.length);
        for (long id : ids) {
            DueTask task = byId.get(id);
            if (task == null || task.nextFireMillis() == Long.MAX_VALUE) {
                actions.add(new HeapAction.Remove(id));
                definitions.forget(id);
            } else {
                heapUpdates.add(id, task.nextFireMillis(), task.priority(), task.app());
                definitions.renew(task, now);
            }
        }
        heapUpdates.sendTo(actions);
        return byId;
    }

    /** The tasks' definitions, read if they are not known. A task that no longer exists is not in the result. */
    public Map<Long, Definitions.KnownDefinition> definitions(long[] ids, int count) {
        Map<Long, Definitions.KnownDefinition> all = new HashMap<>();
        long[] unknown = new long[count];
        int missing = 0;
        for (int i = 0; i < count; i++) {
            Definitions.KnownDefinition known = definitions.get(ids[i]);
            if (known == null) {
                unknown[missing++] = ids[i];
            } else {
                all.put(ids[i], known);
            }
        }
        // Read in parts: otherwise a thousand definitions of the largest size would be in memory three times while they
        // are parsed.
        for (int from = 0; from < missing; from += PARSED_AT_ONCE) {
            long[] some = Arrays.copyOfRange(unknown, from, Math.min(from + PARSED_AT_ONCE, missing));
            table.read(some).forEach(task -> all.put(task.id(), definitions.add(task)));
        }
        return all;
    }

    /**
     * Reads the apps of due tasks, which a page of the heap does not contain. They are needed if more slots are due
     * than there is room for, because then apps take turns.
     */
    public void readApps(DueInbox due, ClaimRoom room) {
        if (due.unknown(room) == 0) {
            return;
        }
        long now = clocks.monotonic().nanos();
        if (now - soleAppReadNanos >= SOLE_APP_NANOS) {
            soleApp = table.soleApp();
            soleAppReadNanos = now;
            due.setSoleApp(soleApp);
        }
        if (soleApp == null) {
            long[] ids = due.peekUnknown(READS_PER_PASS);
            due.setApps(ids, table.apps(ids));
        }
    }

    /**
     * Forgets a task's definition that is not needed any more, or may be outdated. Thousands of tasks a second may fire
     * for the last time; definitions that are kept would survive young garbage collections and make later ones
     * expensive.
     */
    public void forget(long id) {
        definitions.forget(id);
    }

    /** The task's cached definition, or null. */
    public Definitions.KnownDefinition known(long id) {
        return definitions.get(id);
    }

    /** How long the last complete rebuild took, in milliseconds; -1 before the first. */
    public long lastRebuildMillis() {
        return lastRebuildMillis;
    }
}
