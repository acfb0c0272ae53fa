package io.twinbell.node.engine.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.EngineBench;
import io.twinbell.node.engine.StoredTasks;
import io.twinbell.persistence.testing.TestPostgres;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** What handlers report while they run, on a real database; recorded by hand, in virtual time. */
class ReportRecorderTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final String REPORTED =
            "select state || ' ' || coalesce(progress::text, '-') || ' ' || coalesce(progress_message, '-') || ' '"
                    + " || coalesce(log, '-') from twinbell.execution";

    @AutoClose
    private final EngineBench bench = new EngineBench(DATABASE, 1000);

    private final List<String> seen = new ArrayList<>();

    @BeforeEach
    void open() {
        TestPostgres.clear(DATABASE);
    }

    @Test
    void a_running_execution_shows_what_its_handler_reports_and_keeps_it_when_it_has_ended() {
        bench.handler = context -> {
            context.progress(0.4, "pages");
            context.log("one");
            look(1000);
            context.log("two");
            look(1000);
            context.progress(1, null);
            return "done";
        };
        fire();
        assertEquals(List.of("CLAIMED 0.4 pages one", "CLAIMED 0.4 pages one\ntwo"), seen);
        bench.tasks.assertRows(REPORTED, "SUCCEEDED 1 - one\ntwo");
    }

    @Test
    void reports_are_written_once_a_second_at_most() {
        bench.onRun(context -> {
            context.log("one");
            look(1000);
            context.log("two");
            look(999);
            look(1);
        });
        fire();
        assertEquals(List.of("CLAIMED - - one", "CLAIMED - - one", "CLAIMED - - one\ntwo"), seen);
    }

    @Test
    void reports_of_a_failing_handler_are_kept_too() {
        bench.handler = context -> {
            context.log("before it broke");
            throw new IllegalStateException("broken");
        };
        fire();
        bench.tasks.assertRows(REPORTED, "FAILED - - before it broke");
    }

    @Test
    void lines_without_end_are_kept_within_a_bound_the_latest_ones() {
        bench.onRun(context -> {
            for (int i = 0; i < 100_000; i++) {
                context.log("line " + i);
            }
            context.log("x".repeat(100_000));
            context.progress(0.5, "y".repeat(100_000));
        });
        fire();
        String log = bench.tasks.query("select log from twinbell.execution").get(0);
        assertTrue(log.startsWith("… earlier lines are omitted\nline "), log.substring(0, 60));
        assertTrue(log.contains("line 99999\nxxx"));
        assertTrue(log.length() < 8192 + 100, "length " + log.length());
        assertEquals(200, bench.tasks.number("select length(progress_message) from twinbell.execution"));
    }

    @Test
    void a_fraction_that_is_none_is_the_handlers_failure() {
        bench.onRun(context -> context.progress(Double.NaN, "?"));
        fire();
        assertTrue(bench.tasks
                .query("select error from twinbell.execution")
                .get(0)
                .contains("progress must be between 0 and 1"));
    }

    @Test
    void a_master_that_was_superseded_reports_no_more() {
        bench.onRun(context -> {
            context.log("as master");
            look(1000);
            bench.openEpoch();
            context.log("as nobody");
            look(1000);
        });
        fire();
        assertEquals(List.of("CLAIMED - - as master", "CLAIMED - - as master"), seen);
        bench.tasks.assertRows(REPORTED, "CLAIMED - - as master");
    }

    /** A while later, the recorder has had its turn. */
    private void look(long laterMillis) {
        bench.nowMillis += laterMillis;
        bench.record();
        seen.addAll(bench.tasks.query(REPORTED));
    }

    private void fire() {
        long fire = bench.nowMillis / 60_000 * 60_000;
        bench.task("t", StoredTasks.EVERY_MINUTE, fire);
        bench.nowMillis = fire;
        bench.beginAndFire();
    }
}
