package io.twinbell.node.engine.trigger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.TestRuns;
import io.twinbell.node.engine.run.AppHash;
import io.twinbell.node.engine.run.AppLoads;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.Urgency;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.loop.Signals;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The trigger's step through virtual time. */
class TriggerTest {
    private static final long T = TestRuns.START;
    private static final int MANY = 20_000;

    private final ActionQueue actions = new ActionQueue(10_000, new Signals<>(EngineEvent.class));
    private final DueInbox inbox = new DueInbox();
    private final List<String> started = new ArrayList<>();
    private final List<Run> prepared = new ArrayList<>();
    private final AtomicInteger claimerWoken = new AtomicInteger();
    private final AtomicInteger misses = new AtomicInteger();
    private final Trigger trigger = new Trigger(
            actions,
            inbox,
            new Signals<>(EngineEvent.class).on(EngineEvent.TASKS_DUE, claimerWoken::incrementAndGet),
            new LookAhead(() -> 0, () -> 10_000),
            new RunDispatcher() {
                @Override
                public void run(List<Run> runs) {
                    runs.forEach(run -> started.add("run " + run.slot().taskId()));
                }

                @Override
                public void prepare(List<Run> runs) {
                    prepared.addAll(runs);
                }

                @Override
                public void runPrepared() {
                    run(prepared);
                    prepared.clear();
                }

                @Override
                public void system(long id) {
                    started.add(SystemTasks.name(id));
                }
            },
            misses::incrementAndGet);

    TriggerTest() {
        trigger.fire(true);
    }

    @Test
    void a_task_is_sent_to_be_claimed_fifty_milliseconds_ahead_and_not_sooner() {
        put(1, T + 50);
        trigger.step(nanos(T) - 1);
        assertEquals(List.of(), sent());
        trigger.step(nanos(T));
        assertEquals(List.of(1L), sent());
        assertEquals(1, claimerWoken.get());
        assertEquals(0, trigger.heapSize());
    }

    @Test
    void a_pass_that_sends_nothing_wakes_nobody() {
        put(1, T + 51);
        trigger.step(nanos(T));
        assertEquals(0, claimerWoken.get());
    }

    @Test
    void a_claimed_run_starts_at_its_instant_and_never_before() {
        actions.add(new HeapAction.Start(List.of(TestRuns.run(1, T))));
        assertEquals(1, trigger.step(nanos(T) - 1));
        assertEquals(List.of(), started);
        trigger.step(nanos(T));
        assertEquals(List.of("run 1"), started);
    }

    @Test
    void a_crowd_is_handed_over_shortly_before_its_instant_and_starts_at_it() {
        actions.add(new HeapAction.Start(crowd(Trigger.BURST)));
        assertEquals(nanos(5), trigger.step(nanos(T - 9)));
        assertEquals(List.of(), prepared);
        assertEquals(nanos(4), trigger.step(nanos(T - 4)));
        assertEquals(Trigger.BURST, prepared.size());
        assertEquals(1, trigger.step(nanos(T) - 1));
        assertEquals(List.of(), started);
        trigger.step(nanos(T));
        assertEquals(Trigger.BURST, started.size());
    }

    @Test
    void a_run_due_beside_a_prepared_burst_starts_as_well() {
        actions.add(new HeapAction.Start(crowd(Trigger.BURST)));
        trigger.step(nanos(T - 4));
        actions.add(new HeapAction.Start(
                List.of(TestRuns.run(2000, T - 1), TestRuns.run(2001, T), TestRuns.run(2002, T + 1))));
        actions.add(new HeapAction.Start(crowd(Trigger.BURST)));
        trigger.step(nanos(T - 1));
        assertEquals(List.of("run 2000"), started);
        trigger.step(nanos(T));
        assertEquals(2 + 2 * Trigger.BURST, started.size());
        trigger.step(nanos(T + 1));
        assertEquals("run 2002", started.get(started.size() - 1));
    }

    @Test
    void runs_of_a_burst_that_are_not_ready_in_time_start_last() {
        actions.add(new HeapAction.Start(crowd(2500)));
        trigger.step(nanos(T - 50));
        trigger.step(nanos(T - 50));
        trigger.step(nanos(T - 50));
        assertEquals(0, trigger.step(nanos(T - 2)));
        assertEquals(0, trigger.step(nanos(T) - 1));
        assertEquals(2000, prepared.size());
        assertEquals(List.of(), started);
        trigger.step(nanos(T));
        assertEquals(2500, started.size());
    }

    @Test
    void a_crowd_that_was_handed_over_waits_for_a_clock_that_was_set_back() {
        actions.add(new HeapAction.Start(crowd(Trigger.BURST)));
        trigger.step(nanos(T - 4));
        trigger.step(nanos(T - 500));
        assertEquals(List.of(), started);
        trigger.step(nanos(T));
        assertEquals(Trigger.BURST, started.size());
    }

    @Test
    void fewer_than_a_crowd_are_not_handed_over_before() {
        actions.add(new HeapAction.Start(crowd(Trigger.BURST - 1)));
        assertEquals(nanos(4), trigger.step(nanos(T - 4)));
        assertEquals(List.of(), prepared);
        trigger.step(nanos(T));
        assertEquals(Trigger.BURST - 1, started.size());
    }

    private static List<Run> crowd(int size) {
        return LongStream.rangeClosed(1, size)
                .mapToObj(id -> TestRuns.run(id, T))
                .toList();
    }

    @Test
    void claimed_runs_start_in_the_order_of_their_instants() {
        actions.add(new HeapAction.Start(List.of(TestRuns.run(1, T + 3), TestRuns.run(2, T + 1))));
        actions.add(new HeapAction.Start(List.of(TestRuns.run(3, T + 2))));
        trigger.step(nanos(T + 3));
        assertEquals(List.of("run 2", "run 3", "run 1"), started);
    }

    @Test
    void system_tasks_go_before_everything_that_is_due() {
        actions.add(new HeapAction.Start(List.of(TestRuns.run(1, T - 1000))));
        put(SystemTasks.HEARTBEAT, T);
        trigger.step(nanos(T));
        assertEquals(List.of("heartbeat", "run 1"), started);
    }

    @Test
    void a_large_backlog_is_sent_in_parts_and_system_tasks_start_in_between() {
        int backlog = 10_000;
        long[] ids = LongStream.rangeClosed(1, backlog).toArray();
        long[] times = LongStream.of(ids).map(id -> T - 10).toArray();
        actions.add(new HeapAction.Put(ids, times, new byte[backlog]));
        assertEquals(0, trigger.step(nanos(T)), "there is more to send");
        put(SystemTasks.HEARTBEAT, T);
        assertEquals(0, trigger.step(nanos(T)));
        assertEquals(List.of("heartbeat"), started);
        int sent = sent().size();
        assertTrue(sent > 0 && sent < backlog, "in parts: " + sent);
        while (trigger.step(nanos(T)) == 0) {
            sent += sent().size();
        }
        assertEquals(backlog, sent + sent().size());
    }

    @Test
    void while_firing_is_held_system_tasks_run_and_user_tasks_wait_without_spinning() {
        trigger.fire(false);
        put(1, T - 1000);
        put(SystemTasks.HEARTBEAT, T);
        assertEquals(1_000_000_000, trigger.step(nanos(T)));
        assertEquals(List.of("heartbeat"), started);
        assertEquals(List.of(), sent());
        trigger.fire(true);
        trigger.step(nanos(T));
        assertEquals(List.of(1L), sent());
    }

    @Test
    void a_burst_foreseen_before_a_pause_wakes_no_worker_during_it() {
        put(1, T + 400);
        trigger.step(nanos(T));
        trigger.fire(false);
        for (int millis : new int[] {1, 100, 375, 400, 1000}) {
            assertEquals(1_000_000_000, trigger.step(nanos(T + millis)), "after " + millis + " ms");
        }
    }

    @Test
    void a_system_task_that_is_not_yet_due_does_not_keep_a_user_task_from_being_claimed_ahead() {
        put(SystemTasks.HEARTBEAT, T + 40);
        put(1, T + 45);
        trigger.step(nanos(T));
        assertEquals(List.of(1L), sent());
        assertEquals(List.of(), started);
    }

    @Test
    void a_system_task_waits_no_longer_than_its_delay_when_the_clock_is_set_back() {
        put(SystemTasks.INIT, T);
        put(SystemTasks.SETTLE, T + 3000);
        long anHourBack = T - 3_600_000;
        trigger.step(nanos(anHourBack));
        assertEquals(List.of("settling", "init"), started);
    }

    @Test
    void one_pass_takes_a_thousand_actions_and_goes_on_at_once() {
        LongStream.rangeClosed(1, 1500).forEach(id -> put(id, T + 1_000_000));
        assertEquals(0, trigger.step(nanos(T)));
        assertEquals(1000, trigger.heapSize());
        trigger.step(nanos(T));
        assertEquals(1500, trigger.heapSize());
    }

    @Test
    void one_pass_starts_a_thousand_runs_and_goes_on_at_once() {
        List<Run> runs = LongStream.rangeClosed(1, 1500)
                .mapToObj(id -> TestRuns.run(id, T))
                .toList();
        actions.add(new HeapAction.Start(runs));
        assertEquals(0, trigger.step(nanos(T)));
        assertEquals(1000, started.size());
        trigger.step(nanos(T));
        assertEquals(1500, started.size());
    }

    @Test
    void it_sleeps_until_the_next_thing_to_do_and_a_second_at_most() {
        assertEquals(1_000_000_000, trigger.step(nanos(T)));
        put(1, T + 950);
        assertEquals(nanos(475), trigger.step(nanos(T)), "looks whether many are due at once come first");
        assertEquals(nanos(100), trigger.step(nanos(T + 475)));
        assertEquals(nanos(30), trigger.step(nanos(T + 870)), "and then the look-ahead");
        actions.add(new HeapAction.Start(List.of(TestRuns.run(2, T + 300))));
        assertEquals(nanos(300), trigger.step(nanos(T)));
        put(SystemTasks.HEARTBEAT, T + 100);
        assertEquals(nanos(100), trigger.step(nanos(T)));
    }

    @Test
    void removed_and_cleared_tasks_are_not_sent() {
        put(1, T);
        put(2, T);
        actions.add(new HeapAction.Remove(1));
        trigger.step(nanos(T - 60));
        actions.add(new HeapAction.Clear());
        trigger.step(nanos(T));
        assertEquals(List.of(), sent());
    }

    @Test
    void clearing_takes_back_what_was_sent_and_not_yet_claimed_but_no_system_task() {
        put(1, T);
        trigger.step(nanos(T));
        put(SystemTasks.HEARTBEAT, T + 60);
        actions.add(new HeapAction.Clear());
        trigger.step(nanos(T));
        assertEquals(List.of(), sent());
        trigger.step(nanos(T + 60));
        assertEquals(List.of("heartbeat"), started);
    }

    @Test
    void long_overdue_tasks_that_the_heap_lacks_are_added_and_counted() {
        put(1, T + 1_000_000);
        actions.add(new HeapAction.Check(new long[] {1, 2}, new long[] {T - 5000, T - 5000}, new byte[] {5, 5}, 0));
        trigger.step(nanos(T));
        assertEquals(1, misses.get());
        assertEquals(List.of(2L), sent());
    }

    @Test
    void a_slot_claimed_since_the_query_is_no_miss() {
        put(1, T - 5000);
        trigger.step(nanos(T));
        long taken = inbox.taken();
        inbox.drain(new long[1], new long[1], TestRuns.room(1), new AppLoads());
        actions.add(new HeapAction.Check(new long[] {1}, new long[] {T - 5000}, new byte[] {5}, taken));
        trigger.step(nanos(T));
        assertEquals(0, misses.get());
        assertEquals(List.of(), sent(), "it is in the claimer's hands");
    }

    @Test
    void a_task_that_never_fires_again_puts_no_bound_on_the_sleep() {
        put(1, Long.MAX_VALUE);
        assertEquals(1_000_000_000, trigger.step(nanos(T)));
    }

    private void put(long id, long time) {
        actions.add(HeapAction.Put.one(id, time, Urgency.USUAL, AppHash.UNKNOWN));
    }

    private List<Long> sent() {
        long[] ids = new long[MANY];
        int count = inbox.drain(ids, new long[MANY], TestRuns.room(MANY), new AppLoads());
        return LongStream.of(ids).limit(count).boxed().toList();
    }

    private static long nanos(long millis) {
        return millis * 1_000_000;
    }
}
