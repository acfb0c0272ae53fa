package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.twinbell.node.engine.claim.LimitSync;
import io.twinbell.node.engine.run.Limits;
import io.twinbell.node.engine.run.ReadRequests;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.RunRegistry;
import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.Signals;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.limit.LimitSource;
import io.twinbell.persistence.limit.RunLimit;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** What counts under a limit, while runs end and limits are set at once. */
class LimitCountTest {
    private static final String DB1 = ",\"concurrencyKey\":\"db1\"";
    private static final int TIMES = 20_000;

    private final RunRegistry runRegistry = new RunRegistry(
            RunRegistry.Bounds.of(1000, 0), TestRuns.NO_PRESSURE, new ReadRequests(new Signals<>(EngineEvent.class)));
    private final Limits limits = runRegistry.limits();
    private Runnable whileRead = () -> {};

    private final LimitSource source = new LimitSource() {
        @Override
        public List<RunLimit> limits() {
            whileRead.run();
            return List.of(new RunLimit("db1", 3, null));
        }

        @Override
        public Map<String, Integer> runningElsewhere(Epoch epoch, Collection<String> keys) {
            return Map.of();
        }

        @Override
        public Map<String, List<Long>> startedWithin(Duration time, Collection<String> keys) {
            return Map.of();
        }
    };

    private final LimitSync reads = new LimitSync(
            source, runRegistry, () -> 0, new Loop("test", Ticker.SYSTEM), new Signals<>(EngineEvent.class));

    private static Run run(long task) {
        return StoredTasks.run(TestRuns.epoch(1), task, 1000, DB1);
    }

    private int room() {
        return limits.room("db1", 0);
    }

    @Test
    void a_run_that_ends_while_the_limits_are_read_leaves_no_room_taken() {
        Run ending = run(1);
        runRegistry.add(ending);
        runRegistry.add(run(2));
        whileRead = () -> runRegistry.remove(ending);
        reads.begin(TestRuns.epoch(1));
        assertEquals(2, room());
        runRegistry.remove(runRegistry.find(run(2).slot()));
        assertEquals(3, room());
    }

    @Test
    void a_next_attempt_goes_on_counting_when_the_record_of_the_one_before_ends() {
        reads.begin(TestRuns.epoch(1));
        Run first = run(1);
        limits.enter(first.slot(), first.limitKeys(), 0);
        runRegistry.add(first);
        Run second = run(1);
        runRegistry.add(second);
        assertNull(limits.enter(second.slot(), second.limitKeys(), 0));
        runRegistry.remove(first);
        assertEquals(2, room());
        runRegistry.remove(second);
        assertEquals(3, room());
    }

    @Test
    void no_room_stays_taken_however_ends_and_changes_of_limits_meet() {
        reads.begin(TestRuns.epoch(1));
        CompletableFuture<Void> runs = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < TIMES; i++) {
                Run run = run(i);
                if (limits.enter(run.slot(), run.limitKeys(), 0) == null) {
                    runRegistry.add(run);
                    runRegistry.remove(run);
                }
            }
        });
        while (!runs.isDone()) {
            reads.changed();
            reads.step(TestRuns.epoch(1));
        }
        runs.join();
        assertEquals(3, room());
    }
}
