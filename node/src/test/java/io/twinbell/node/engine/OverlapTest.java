package io.twinbell.node.engine;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Predecessor;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.tools.check.history.LedgerReasons;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Slots that would start while an earlier execution of their task is unfinished. */
class OverlapTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final String CANCELS = ",\"overlap\":\"CANCEL_RUNNING\"";

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private long first;

    @BeforeEach
    void prepare() {
        first = Math.floorDiv(bench.nowMillis, 1000L) * 1000;
        bench.nowMillis = first;
    }

    @AfterEach
    void close() {
        Thread.interrupted();
    }

    /** A run that takes three and a half seconds of a task that fires every second; slots are numbered from 0. */
    @ParameterizedTest(name = "{0}: {1}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            "overlap":"SKIP"                       | SUCCEEDED SKIPPED SKIPPED SKIPPED     | 0
            "overlap":"ALLOW"                      | SUCCEEDED SUCCEEDED SUCCEEDED SUCCEEDED | 0 1 2 3
            "overlap":"QUEUE"                      | SUCCEEDED SUCCEEDED SKIPPED SKIPPED   | 0 1
            "overlap":{"policy":"QUEUE","max":2}   | SUCCEEDED SUCCEEDED SUCCEEDED SKIPPED | 0 1 2
            "overlap":{"policy":"QUEUE","max":9}   | SUCCEEDED SUCCEEDED SUCCEEDED SUCCEEDED | 0 1 2 3
            """)
    void slots_that_meet_a_run_of_their_task_end_as_its_policy_says(String overlap, String states, String ran) {
        bench.task("t", StoredTasks.EVERY_SECOND, first, "," + overlap + until(3));
        bench.begin();
        bench.onRun(context -> {
            if (context.fireTime().toEpochMilli() == first) {
                passes(1000, 1000, 1000, 500);
            }
        });
        firesALot();
        assertEquals(states, states());
        assertEquals(ran, slotsRun());
    }

    /**
     * Slots 0 and 1 are overdue when the master comes, and each run takes two and a half seconds: those two run in order,
     * what comes due during them meets its policy, and the next one is on time again. Each run as "slot@start".
     */
    @ParameterizedTest(name = "{0}")
    @CsvSource(delimiter = '|', quoteCharacter = '`', textBlock = """
            SKIP  | SUCCEEDED SUCCEEDED SKIPPED SKIPPED SKIPPED SKIPPED SKIPPED SUCCEEDED   | 0@1900 1@4400 7@7000
            QUEUE | SUCCEEDED SUCCEEDED SUCCEEDED SKIPPED SKIPPED SKIPPED SKIPPED SUCCEEDED | 0@1900 1@4400 2@6900 7@9400
            """)
    void a_task_whose_runs_take_longer_than_its_interval_catches_up_with_time(
            String overlap, String states, String ran) {
        bench.task("t", StoredTasks.EVERY_SECOND, first, ",\"overlap\":\"" + overlap + "\"" + until(7));
        List<String> starts = new ArrayList<>();
        bench.onRun(context -> {
            starts.add((context.fireTime().toEpochMilli() - first) / 1000 + "@" + (bench.nowMillis - first));
            passes(500, 500, 500, 500, 500);
        });
        bench.nowMillis = first + 1900;
        bench.begin();
        firesALot();
        bench.nowMillis = Math.max(bench.nowMillis, first + 7000);
        firesALot();
        assertEquals(states, states());
        assertEquals(ran, String.join(" ", starts));
    }

    @Test
    void a_queued_slot_waits_in_the_ledger_and_one_too_many_says_why_it_does_not() {
        bench.task("t", StoredTasks.EVERY_SECOND, first, ",\"overlap\":\"QUEUE\"" + until(2));
        bench.begin();
        bench.onRun(context -> {
            if (context.fireTime().toEpochMilli() == first) {
                passes(1000, 1000);
                assertEquals("CLAIMED PENDING SKIPPED", states());
                bench.tasks.assertRows(
                        "select reason from twinbell.execution where state = 'SKIPPED'",
                        "an earlier execution of this task was still running, and 1" + LedgerReasons.QUEUE_FULL);
            }
        });
        firesALot();
        assertEquals("0 1", slotsRun());
    }

    @Test
    void a_queue_survives_its_master_and_is_not_stuck_behind_the_orphan() {
        bench.task("t", StoredTasks.EVERY_SECOND, first, ",\"overlap\":{\"policy\":\"QUEUE\",\"max\":5}" + until(2));
        bench.begin();
        bench.handler = context -> {
            passes(1000, 1000);
            throw new IllegalStateException("the node dies here");
        };
        bench.fireAllAndDie();
        assertEquals("CLAIMED PENDING PENDING", states());
        try (EngineBench successor = new EngineBench(DATABASE, 1000)) {
            successor.nowMillis = bench.nowMillis;
            Epoch epoch = successor.begin();
            successor.fireAll();
            assertEquals(List.of(), successor.ran, "whether the orphan is over is not known yet");
            successor.settler.begin(Predecessor.over(epoch.number() - 1));
            successor.settler.step(epoch);
            for (int i = 0; i < 4; i++) {
                successor.fireAll();
            }
            assertEquals("DROPPED SUCCEEDED SUCCEEDED", states());
            assertEquals(List.of("t -1000 1", "t 0 1"), successor.ran);
        }
    }

    @Test
    void a_queued_slot_that_fails_is_tried_again_and_does_not_wait_for_itself() {
        bench.task(
                "t",
                StoredTasks.EVERY_SECOND,
                first,
                ",\"overlap\":\"QUEUE\",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT1S\",\"jitter\":0}" + until(1));
        bench.begin();
        bench.onRun(context -> {
            if (context.fireTime().toEpochMilli() == first) {
                passes(1000);
            } else if (context.attempt() == 1) {
                throw new IllegalStateException("not yet");
            }
        });
        firesALot();
        assertEquals("SUCCEEDED RETRYING", states());
        bench.nowMillis += 1000;
        firesALot();
        assertEquals("SUCCEEDED SUCCEEDED", states());
    }

    @Test
    void queued_slots_of_a_paused_task_wait_for_its_resumption() {
        bench.task("t", StoredTasks.EVERY_SECOND, first, ",\"overlap\":\"QUEUE\"" + until(1));
        bench.begin();
        bench.onRun(context -> {
            if (context.fireTime().toEpochMilli() == first) {
                passes(1000);
                bench.tasks.execute("update twinbell.task_state set state = 'PAUSED'");
            }
        });
        firesALot();
        assertEquals("SUCCEEDED PENDING", states());
        bench.tasks.execute("update twinbell.task_state set state = 'ACTIVE'");
        firesALot();
        assertEquals("SUCCEEDED SUCCEEDED", states());
    }

    @Test
    void the_newest_slot_takes_the_place_of_the_running_one_and_not_beside_it() {
        bench.task("t", StoredTasks.EVERY_SECOND, first, CANCELS + until(1));
        bench.begin();
        boolean[] running = new boolean[1];
        bench.handler = context -> {
            assertTrue(!running[0], "beside another");
            running[0] = true;
            try {
                if (context.fireTime().toEpochMilli() == first) {
                    passes(1000);
                    assertTrue(Thread.interrupted(), "told to make room");
                    throw new InterruptedException();
                }
                return null;
            } finally {
                running[0] = false;
            }
        };
        bench.fireAll();
        await().until(() -> {
            bench.fireAll();
            return states().equals("CANCELLED SUCCEEDED");
        });
        assertEquals("0 1", slotsRun());
        assertTrue(bench.tasks
                .query("select reason from twinbell.execution where state = 'CANCELLED'")
                .get(0)
                .startsWith("cancelled: the slot of "));
    }

    @Test
    void the_newest_slot_takes_the_place_of_one_that_waits_for_its_next_attempt() {
        String retry = ",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT1H\"}";
        bench.task("t", StoredTasks.EVERY_SECOND, first, CANCELS + retry + until(1));
        Epoch epoch = bench.begin();
        bench.onRun(context -> {
            if (context.fireTime().toEpochMilli() == first) {
                throw new IllegalStateException("broken");
            }
        });
        bench.fireAll();
        assertEquals("RETRYING", states());
        bench.nowMillis += 1000;
        await().until(() -> {
            bench.fireAll();
            bench.executionRequests.cancel(epoch);
            return states().equals("CANCELLED SUCCEEDED");
        });
    }

    @Test
    void an_orphan_holds_up_nobody_for_ever() {
        for (String overlap : List.of("SKIP", "QUEUE", "CANCEL_RUNNING")) {
            TestPostgres.clear(DATABASE);
            long task = bench.task("t", StoredTasks.EVERY_MINUTE, bench.nowMillis, ",\"overlap\":\"" + overlap + "\"");
            long old = bench.openEpoch().number();
            bench.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, epoch, node,"
                    + " claimed_at) values (" + task + ", twinbell.instant(" + (bench.nowMillis - 60_000)
                    + "), 'test', 't', 'RUNNING', " + old + ", 'b', clock_timestamp())");
            Epoch epoch = bench.begin();
            bench.settler.begin(Predecessor.over(old));
            bench.settler.step(epoch);
            firesALot();
            assertEquals("DROPPED SUCCEEDED", states(), overlap);
        }
    }

    @Test
    void waiting_rows_and_due_slots_share_what_room_there_is() {
        try (EngineBench narrow = new EngineBench(DATABASE, 4)) {
            long task =
                    narrow.task("waiting", StoredTasks.ONCE, narrow.nowMillis + 3_600_000, ",\"overlap\":\"ALLOW\"");
            narrow.tasks.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) select " + task
                    + ", twinbell.instant(" + narrow.nowMillis + " - i), 'test', 'waiting', 'PENDING'"
                    + " from generate_series(1, 40) as i");
            for (int i = 0; i < 40; i++) {
                narrow.task("due" + i, StoredTasks.ONCE, narrow.nowMillis - 50);
            }
            narrow.begin();
            for (int i = 0; i < 6; i++) {
                narrow.fireAll();
            }
            long due =
                    narrow.ran.stream().filter(line -> line.startsWith("due")).count();
            long waiting = narrow.ran.size() - due;
            assertTrue(due >= 5 && waiting >= 5, due + " due, " + waiting + " waiting");
        }
    }

    private void passes(long... millis) {
        for (long some : millis) {
            bench.passes(some);
        }
    }

    private void firesALot() {
        bench.fireAll(5);
    }

    private String until(int lastSlot) {
        return ",\"end\":\"" + Instant.ofEpochMilli(first + lastSlot * 1000L) + "\"";
    }

    private String states() {
        return bench.tasks
                .query("select string_agg(state, ' ' order by fire_time) from twinbell.execution")
                .get(0);
    }

    /** The slots of the runs, in the order in which they began. */
    private String slotsRun() {
        return bench.slotsRun.stream()
                .map(fire -> String.valueOf((fire - first) / 1000))
                .collect(Collectors.joining(" "));
    }
}
