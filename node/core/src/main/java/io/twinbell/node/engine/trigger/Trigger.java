package io.twinbell.node.engine.trigger;

import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunHeap;
import io.twinbell.node.engine.run.Urgency;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.loop.Signals;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Owns the task heap: sends due tasks to the claimer a little ahead of time, and starts claimed runs at their fire
 * times. One pass is bounded, does no I/O and takes no lock that another thread holds for long.
 */
public final class Trigger {
    /** This many runs of one instant are a burst. */
    public static final int BURST = 100;

    private static final Duration CLOCK_WAS_SET_BACK = SystemTasks.LONGEST_DELAY.plusSeconds(1);
    private static final int ACTIONS_PER_PASS = 1000;
    private static final int STARTS_PER_PASS = 1000;
    /** A backlog of a million is sent in parts, so that starts and system tasks happen in between. */
    private static final int SENDS_PER_PASS = 4096;
    /** A small batch, so that workers begin the first runs while the next batch is handed over. */
    private static final int STARTS_AT_ONCE = 100;
    /**
     * A burst is handed to the workers this long before its fire time, because handing over thousands takes a
     * millisecond.
     */
    private static final long READY_AHEAD_MILLIS = 4;

    private static final long LONGEST_SLEEP_NANOS = Duration.ofSeconds(1).toNanos();

    private final ActionQueue actions;
    private final DueInbox inbox;
    private final Signals<EngineEvent> signals;
    private final LookAhead lookAhead;
    private final RunDispatcher dispatcher;
    private final Runnable misses;
    private final TaskHeap heap = new TaskHeap();
    private final RunHeap claimed = new RunHeap();
    private final List<Run> due = new ArrayList<>(STARTS_AT_ONCE);
    private final long[] asideIds = new long[(int) -SystemTasks.LOWEST_ID];
    private final long[] asideTimes = new long[asideIds.length];
    private int aside;
    private long readyInstant = Long.MAX_VALUE;
    private volatile boolean firing;
    private volatile int size;
    private volatile long headTime = Long.MAX_VALUE;

    /** @param misses counts a due task that the heap lacked */
    public Trigger(
            ActionQueue actions,
            DueInbox inbox,
            Signals<EngineEvent> signals,
            LookAhead lookAhead,
            RunDispatcher dispatcher,
            Runnable misses) {
        this.actions = actions;
        this.inbox = inbox;
        this.signals = signals;
        this.lookAhead = lookAhead;
        this.dispatcher = dispatcher;
        this.misses = misses;
    }

    /** Sets whether user tasks are sent to be claimed; system tasks always run. */
    public void fire(boolean on) {
        firing = on;
    }

    /** Whether user tasks are sent to be claimed. Any thread. */
    public boolean isFiring() {
        return firing;
    }

    /**
     * Does one pass.
     *
     * @param nowNanos the database's clock, nanoseconds since 1970 UTC
     * @return how long to sleep if nothing is added, in nanoseconds; 0 to continue at once
     */
    public long step(long nowNanos) {
        boolean moreActions = takeActions();
        long nowMillis = Math.floorDiv(nowNanos, 1_000_000L);
        startSystemTasks(nowMillis);
        boolean moreStarts = startClaimed(nowMillis);
        boolean moreToPrepare = prepareBurst(nowMillis);
        boolean moreToSend = sendDue(nowNanos);
        long nextUserTime = firing ? userHeadTime() : Long.MAX_VALUE;
        putSystemTasksBack();
        size = heap.size();
        headTime = nextUserTime;
        if (moreActions || moreStarts || moreToPrepare || moreToSend) {
            return 0;
        }
        return sleep(nowNanos, nextUserTime);
    }

    private boolean takeActions() {
        for (int taken = 0; taken < ACTIONS_PER_PASS; taken++) {
            HeapAction action = actions.poll();
            if (action == null) {
                return false;
            }
            take(action);
        }
        return true;
    }

    private void take(HeapAction action) {
        if (action instanceof HeapAction.Put put) {
            for (int i = 0; i < put.ids().length; i++) {
                heap.put(put.ids()[i], put.times()[i], put.priorities()[i], put.apps()[i]);
            }
        } else if (action instanceof HeapAction.Start begin) {
            begin.runs().forEach(run -> claimed.add(run.slot().fireTimeMillis(), run));
        } else if (action instanceof HeapAction.Remove remove) {
            heap.remove(remove.id());
        } else if (action instanceof HeapAction.Check check) {
            addMissing(check);
        } else {
            heap.clearUserTasks();
            inbox.clear();
        }
    }

    /**
     * Adds tasks that the heap lacks. A task that the claimer is processing is not in the heap either, so a missing
     * task is counted only if the claimer has none now and has taken none since the table was read.
     */
    private void addMissing(HeapAction.Check check) {
        if (!firing || !inbox.isEmpty() || inbox.taken() != check.taken()) {
            return;
        }
        for (int i = 0; i < check.ids().length; i++) {
            if (!heap.contains(check.ids()[i])) {
                heap.put(check.ids()[i], check.times()[i], check.priorities()[i]);
                misses.run();
            }
        }
    }

    private boolean startClaimed(long nowMillis) {
        if (readyInstant <= nowMillis) {
            dispatcher.runPrepared();
            readyInstant = Long.MAX_VALUE;
        }
        for (int started = 0; started < STARTS_PER_PASS && claimed.headKey() <= nowMillis; started += STARTS_AT_ONCE) {
            takeClaimed(nowMillis);
            dispatcher.run(due);
        }
        return claimed.headKey() <= nowMillis;
    }

    /** Prepares one burst at a time. Runs that are not prepared at their fire time start like any others. */
    private boolean prepareBurst(long nowMillis) {
        long next = claimed.headKey();
        if (next <= nowMillis || next - READY_AHEAD_MILLIS > nowMillis || !(next == readyInstant || isBurstNext())) {
            return false;
        }
        readyInstant = next;
        for (int ready = 0; ready < STARTS_PER_PASS && claimed.headKey() == next; ready += STARTS_AT_ONCE) {
            takeClaimed(next);
            dispatcher.prepare(due);
        }
        return claimed.headKey() == next;
    }

    private void takeClaimed(long untilMillis) {
        due.clear();
        while (claimed.headKey() <= untilMillis && due.size() < STARTS_AT_ONCE) {
            due.add(claimed.poll());
        }
    }

    private boolean isBurstNext() {
        return readyInstant == Long.MAX_VALUE && claimed.isShared(BURST);
    }

    /** System tasks go first, even if the head is a user task that cannot be sent. */
    private void startSystemTasks(long nowMillis) {
        for (long id = SystemTasks.LOWEST_ID; id < 0; id++) {
            if (heap.contains(id) && isTimeOf(heap.timeOf(id), nowMillis)) {
                heap.remove(id);
                dispatcher.system(id);
            }
        }
    }

    /** No system task is set further ahead than its longest delay. If one seems to be, the clock was set back. */
    private static boolean isTimeOf(long systemTime, long nowMillis) {
        return systemTime <= nowMillis || systemTime > nowMillis + CLOCK_WAS_SET_BACK.toMillis();
    }

    /** Sends due tasks to the claimer; returns whether there are more. */
    private boolean sendDue(long nowNanos) {
        int sent = 0;
        long horizon = firing ? lookAhead.untilMillis(nowNanos, heap, userHeadTime(), inbox.size()) : Long.MIN_VALUE;
        while (sent < SENDS_PER_PASS && firing && userHeadTime() <= horizon) {
            inbox.offer(heap.headId(), heap.headTime(), heap.headPriority(), heap.headApp());
            heap.pop();
            sent++;
        }
        if (sent > 0) {
            signals.raise(EngineEvent.TASKS_DUE);
        }
        return sent == SENDS_PER_PASS;
    }

    /**
     * The earliest user task's time. System tasks before it are put aside until the pass ends, so that they do not hide
     * it.
     */
    private long userHeadTime() {
        while (heap.size() > 0 && heap.headId() < 0) {
            asideIds[aside] = heap.headId();
            asideTimes[aside++] = heap.headTime();
            heap.pop();
        }
        return heap.headTime();
    }

    private void putSystemTasksBack() {
        while (aside > 0) {
            aside--;
            heap.put(asideIds[aside], asideTimes[aside], Urgency.HIGHEST);
        }
    }

    private long sleep(long nowNanos, long nextUserTime) {
        long wake = nowNanos + LONGEST_SLEEP_NANOS;
        wake = Math.min(
                wake,
                LookAhead.nanos(Math.min(readyInstant, claimed.headKey() - (isBurstNext() ? READY_AHEAD_MILLIS : 0))));
        for (long id = SystemTasks.LOWEST_ID; id < 0; id++) {
            wake = Math.min(wake, LookAhead.nanos(heap.timeOf(id)));
        }
        if (nextUserTime != Long.MAX_VALUE) {
            wake = Math.min(wake, lookAhead.wakeNanos(nowNanos, nextUserTime));
        }
        return Math.max(0, wake - nowNanos);
    }

    public int heapSize() {
        return size;
    }

    /**
     * The earliest fire time of a user task in the heap; {@link Long#MAX_VALUE} while no user tasks are sent. Any
     * thread.
     */
    public long headMillis() {
        return headTime;
    }
}
