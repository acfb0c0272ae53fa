package io.twinbell.node.engine.worker;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.EngineBench;
import io.twinbell.node.engine.StoredTasks;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.testing.TestPostgres;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

/** One outcome among good ones that the database does not take: the good ones are recorded, and a sign appears. */
class OutcomeIsolationTest {
    private static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    private static final int TASKS = 40;

    @AutoClose
    private final EngineBench bench = EngineBench.cleared(DATABASE, 1000);

    private Epoch epoch;

    @BeforeEach
    void prepare() {
        for (int i = 1; i <= TASKS; i++) {
            bench.task(
                    "t" + i, StoredTasks.ONCE, bench.nowMillis, i == 17 ? ",\"orphan\":\"RERUN\"" : ",\"priority\":5");
        }
        epoch = bench.begin();
        bench.handler = context -> context.name().equals("t17") ? "poison" : "fine";
    }

    @AfterEach
    void close() {
        bench.tasks.execute("alter table twinbell.execution drop constraint if exists refuses");
    }

    private long succeeded() {
        return bench.tasks.number("select count(*) from twinbell.execution where state = 'SUCCEEDED'");
    }

    private String rowOf17(String columns) {
        return bench.tasks
                .query("select " + columns + " from twinbell.execution where name = 't17'")
                .get(0);
    }

    private long setAside() {
        return (Long) bench.registry.getGauges().get("loop_set_aside.recorder").getValue();
    }

    @Test
    void texts_that_the_database_refuses_are_left_out_and_the_outcome_stays() {
        bench.tasks.execute("alter table twinbell.execution add constraint refuses check (output <> 'poison')");
        bench.fireAll();
        assertEquals(TASKS, succeeded());
        assertEquals("none", rowOf17("coalesce(output, 'none')"));
        assertTrue(rowOf17("reason").startsWith("its texts could not be recorded: "), rowOf17("reason"));
        assertEquals(1, setAside());
        assertFalse(bench.runRegistry.hasAny(epoch));
    }

    @Test
    void an_outcome_that_is_refused_in_every_form_is_settled_with_the_reason_and_does_not_run_again() {
        bench.tasks.execute("alter table twinbell.execution add constraint refuses"
                + " check (name <> 't17' or state in ('CLAIMED', 'DROPPED'))");
        bench.fireAll();
        assertEquals(TASKS - 1, succeeded());
        assertEquals("CLAIMED", rowOf17("state"));
        bench.tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '1 minute'");
        bench.settler.step(epoch);
        assertEquals("DROPPED", rowOf17("state"));
        assertTrue(rowOf17("reason").startsWith("its outcome SUCCEEDED could not be recorded: "), rowOf17("reason"));
        bench.fireAll();
        assertEquals(1, bench.ran.stream().filter(run -> run.startsWith("t17 ")).count());
        assertEquals(1, setAside());
    }

    @Test
    void an_outcome_whose_row_somebody_locks_waits_alone_and_is_recorded_when_the_lock_is_gone() throws SQLException {
        try (Connection other = DATABASE.getConnection();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            bench.handler = context -> {
                if (context.name().equals("t17")) {
                    statement.execute("select 1 from twinbell.execution where name = 't17' for update");
                }
                return "fine";
            };
            bench.fireAll();
            assertEquals(TASKS - 1, succeeded());
            assertEquals("CLAIMED", rowOf17("state"));
            assertEquals(1, setAside());
            assertFalse(bench.runRegistry.hasAny(epoch), "a hand-over does not wait for it");
            bench.ticker.pass(Duration.ofSeconds(2));
            bench.record();
            assertTrue(bench.loops.loop("recorder").state().failures() > 0, "the sign");
            bench.tasks.execute("update twinbell.execution set claimed_at = claimed_at - interval '1 minute'"
                    + " where name = 't18'");
            bench.settler.step(epoch);
            assertEquals("CLAIMED", rowOf17("state"), "what is still tried is not settled");
            other.commit();
        }
        bench.ticker.pass(Duration.ofMinutes(1));
        bench.record();
        assertEquals(TASKS, succeeded());
        bench.tasks.assertRows("select attempt from twinbell.execution where name = 't17'", "1");
    }
}
