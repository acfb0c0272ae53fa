package io.twinbell.node.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.TestRuns;
import io.twinbell.node.engine.task.Overlap;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.persistence.epoch.Epoch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class CallbackLoadTest {
    private static final Epoch EPOCH = TestRuns.epoch(1);
    private static final TaskDefinition DEFINITION = TestRuns.definition(Overlap.SKIP);

    private static Run run(long task, int length) {
        return new Run(EPOCH, TestRuns.attempt(task, 0, 1), DEFINITION, length, 0);
    }

    @Test
    void a_hundred_thousand_parked_runs_take_no_room_and_the_next_one_does() {
        CallbackLoad load = new CallbackLoad(Long.MAX_VALUE);
        Run first = run(0, 1);
        assertTrue(load.add(first));
        assertTrue(IntStream.range(1, 100_000).allMatch(task -> load.add(run(task, 1))));
        Run next = run(100_000, 1);
        assertFalse(load.add(next));
        assertEquals(100_000, load.count());
        assertTrue(load.remove(first));
        assertFalse(load.remove(first), "it counted once");
        assertTrue(load.add(next));
    }

    @Test
    void the_texts_of_parked_runs_have_a_bound_too() {
        CallbackLoad load = new CallbackLoad(100);
        Run large = run(1, 60);
        assertTrue(load.add(large));
        assertFalse(load.add(run(2, 41)));
        assertTrue(load.add(run(3, 40)));
        assertTrue(load.remove(large));
        assertEquals(40, load.text());
    }
}
