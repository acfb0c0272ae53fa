package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.handler.AttemptOutcome;
import io.twinbell.handler.InterceptedRun;
import io.twinbell.handler.InterceptorScope;
import io.twinbell.handler.ScopedInterceptor;
import io.twinbell.handler.TaskFailedException;
import io.twinbell.handler.TaskInterceptor;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.persistence.testing.TestPostgres;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.slf4j.MDC;

/** Interceptors around the attempts of a real engine. */
class InterceptorTest {
    private static final PGSimpleDataSource DATABASE = EngineBench.DATABASE;
    private static final String ROW = "select state, attempt, started_at is null, coalesce(error_code, '-'),"
            + " coalesce(reason, '-') from twinbell.execution order by fire_time";

    private final List<String> seen = new ArrayList<>();
    private EngineBench bench;
    private long began;

    private class Recording implements TaskInterceptor {
        private final String name;

        Recording(String name) {
            this.name = name;
        }

        @Override
        public String name() {
            return name;
        }

        @Override
        public Decision before(InterceptedRun run) throws Exception {
            seen.add(name + " before " + run.attempt());
            return Decision.PROCEED;
        }

        @Override
        public void after(InterceptedRun run, AttemptOutcome outcome) {
            seen.add(name + " after " + outcome.state() + " " + outcome.errorCode());
        }
    }

    private final class Skipping extends Recording {
        Skipping(String name) {
            super(name);
        }

        @Override
        public Decision before(InterceptedRun run) throws Exception {
            super.before(run);
            return Decision.skip("a public\nholiday");
        }
    }

    @BeforeEach
    void clear() {
        TestPostgres.clear(DATABASE);
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private void open(TaskInterceptor... interceptors) {
        open(Arrays.stream(interceptors)
                .map(interceptor -> new ScopedInterceptor(InterceptorScope.ALL, interceptor))
                .toArray(ScopedInterceptor[]::new));
    }

    private void open(ScopedInterceptor... interceptors) {
        bench = new EngineBench(DATABASE, 1000, List.of(interceptors));
        began = bench.nowMillis;
        bench.onRun(context -> seen.add("run " + context.attempt()));
    }

    private void pass(int millis) {
        for (int i = 0; i < millis; i += 500) {
            bench.nowMillis += 500;
            bench.fireAll();
        }
    }

    @Test
    void interceptors_surround_each_attempt_in_their_order_and_back() {
        open(new Recording("a"), new Recording("b"));
        bench.task("t", StoredTasks.ONCE, began, ",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT1S\",\"jitter\":0}");
        bench.onRun(context -> {
            seen.add("run " + context.attempt());
            if (context.attempt() == 1) {
                throw new TaskFailedException("FIRST", "no luck");
            }
        });
        bench.beginAndFire();
        pass(2000);
        assertEquals(
                List.of(
                        "a before 1",
                        "b before 1",
                        "run 1",
                        "b after FAILED FIRST",
                        "a after FAILED FIRST",
                        "a before 2",
                        "b before 2",
                        "run 2",
                        "b after SUCCEEDED null",
                        "a after SUCCEEDED null"),
                seen);
        assertEquals(List.of("t SUCCEEDED 2"), bench.ledger());
    }

    @Test
    void an_outcome_says_when_the_next_attempt_is_due_and_the_last_one_has_none() {
        List<String> due = new ArrayList<>();
        open(new Recording("a") {
            @Override
            public void after(InterceptedRun run, AttemptOutcome outcome) {
                due.add(String.valueOf(outcome.nextAttempt()));
            }
        });
        bench.task("t", StoredTasks.ONCE, began, ",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT1S\"}");
        bench.handler = context -> {
            throw new TaskFailedException("NEVER", "no luck");
        };
        bench.beginAndFire();
        assertEquals(
                bench.tasks.query("select (extract(epoch from due_at) * 1000)::int8 from twinbell.execution"),
                List.of(String.valueOf(Instant.parse(due.get(0)).toEpochMilli())));
        pass(5000);
        assertEquals(List.of("t FAILED 2"), bench.ledger());
        assertEquals("null", due.get(1));
    }

    @Test
    void a_skipped_attempt_ends_its_slot_with_the_reason_and_without_a_retry() {
        open(new Recording("a"), new Skipping("acme.Holiday"), new Recording("c"));
        bench.task("t", StoredTasks.ONCE, began, ",\"retry\":{\"maxAttempts\":3}");
        bench.beginAndFire();
        pass(2000);
        assertEquals(List.of("a before 1", "acme.Holiday before 1", "a after SKIPPED null"), seen);
        bench.tasks.assertRows(ROW, "SKIPPED|1|t|-|skipped by acme.Holiday: a public holiday");
    }

    @Test
    void a_fixed_delay_task_continues_after_a_skipped_run() {
        open(new Skipping("s"));
        bench.task("t", StoredTasks.DELAY_OF_A_MINUTE, began);
        bench.beginAndFire();
        pass(61_000);
        assertEquals(List.of("s before 1", "s before 1"), seen);
    }

    @Test
    void an_exception_before_the_run_fails_the_attempt_with_its_code_and_is_retried() {
        open(new Recording("a"), new Recording("b") {
            @Override
            public Decision before(InterceptedRun run) throws Exception {
                super.before(run);
                if (run.attempt() == 1) {
                    throw new TaskFailedException("NO_TENANT", "unknown tenant");
                }
                return Decision.PROCEED;
            }
        });
        bench.task("t", StoredTasks.ONCE, began, ",\"retry\":{\"maxAttempts\":2,\"backoff\":\"PT1S\",\"jitter\":0}");
        bench.beginAndFire();
        bench.tasks.assertRows(ROW, "RETRYING|1|f|NO_TENANT|-");
        pass(2000);
        assertEquals(
                List.of(
                        "a before 1",
                        "b before 1",
                        "a after FAILED NO_TENANT",
                        "a before 2",
                        "b before 2",
                        "run 2",
                        "b after SUCCEEDED null",
                        "a after SUCCEEDED null"),
                seen);
    }

    @Test
    void an_exception_after_the_run_changes_nothing_and_an_interceptor_must_decide() {
        open(new Recording("a") {
            @Override
            public void after(InterceptedRun run, AttemptOutcome outcome) {
                throw new IllegalStateException("after");
            }
        });
        bench.task("t", StoredTasks.ONCE, began);
        bench.beginAndFire();
        assertEquals(List.of("t SUCCEEDED 1"), bench.ledger());
        bench.close();
        TestPostgres.clear(DATABASE);

        open(new Recording("undecided") {
            @Override
            public Decision before(InterceptedRun run) {
                return null;
            }
        });
        bench.task("t", StoredTasks.ONCE, began);
        bench.beginAndFire();
        assertTrue(bench.tasks
                .query("select error from twinbell.execution")
                .get(0)
                .contains("the interceptor undecided decided nothing"));
    }

    @Test
    void an_interceptor_applies_to_the_runs_of_its_scope() {
        List<ScopedInterceptor> scoped = new ArrayList<>();
        InterceptorScope[] scopes = {
            InterceptorScope.app("test"),
            InterceptorScope.app("other"),
            InterceptorScope.handler("java"),
            InterceptorScope.handler("k"),
            InterceptorScope.handler("http"),
            InterceptorScope.tag("night"),
            InterceptorScope.app("test").and(InterceptorScope.handler("http"))
        };
        for (int i = 0; i < scopes.length; i++) {
            scoped.add(new ScopedInterceptor(scopes[i], new Recording(String.valueOf(i))));
        }
        open(scoped.toArray(ScopedInterceptor[]::new));
        bench.task("t", StoredTasks.ONCE, began);
        bench.beginAndFire();
        assertEquals(
                List.of(
                        "0 before 1",
                        "2 before 1",
                        "3 before 1",
                        "run 1",
                        "3 after SUCCEEDED null",
                        "2 after SUCCEEDED null",
                        "0 after SUCCEEDED null"),
                seen);
        seen.clear();
        long tagged = bench.task("tagged", StoredTasks.ONCE, began + 1000);
        bench.tasks.execute("update twinbell.full_task set tags = '{night}' where id = " + tagged);
        bench.requests.changed(tagged);
        pass(3000);
        assertTrue(seen.contains("5 before 1"), seen.toString());
    }

    @Test
    void attributes_reach_later_interceptors_the_handler_and_its_log_context() {
        open(new Recording("a") {
            @Override
            public Decision before(InterceptedRun run) {
                run.attribute("tenant", "acme");
                assertThrows(IllegalArgumentException.class, () -> run.attribute("slot", "x"));
                assertThrows(IllegalArgumentException.class, () -> run.attribute("a b", "x"));
                assertThrows(IllegalArgumentException.class, () -> run.attribute("n", "x".repeat(1001)));
                return Decision.PROCEED;
            }

            @Override
            public void after(InterceptedRun run, AttemptOutcome outcome) {
                seen.add("after " + run.attribute("tenant"));
            }
        });
        bench.task("t", StoredTasks.ONCE, began);
        bench.onRun(context ->
                seen.add(context.attribute("tenant") + " " + MDC.get("tenant") + " " + context.attribute("other")));
        bench.beginAndFire();
        assertEquals(List.of("acme acme null", "after acme"), seen);
    }

    @Test
    void a_timed_out_or_cancelled_run_shows_its_recorded_outcome() {
        open(new Recording("a"));
        bench.task("t", StoredTasks.ONCE, began);
        bench.handler = context -> {
            // The run is cancelled while its handler runs.
            bench.runRegistry.all().forEach(run -> run.stop(HandlerOutcome.cancelled("cancelled: by hand")));
            return "late";
        };
        bench.beginAndFire();
        assertEquals(List.of("a before 1", "a after CANCELLED null"), seen);
    }
}
