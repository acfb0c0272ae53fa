package io.twinbell.node.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.engine.TestRuns;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FirstFireTest {
    private static final long PAGE = TestRuns.START + 10_000;

    private final List<String> told = new ArrayList<>();
    private final FirstFire firstFire = new FirstFire((epoch, micros) -> told.add(epoch.number() + " after " + micros));

    @BeforeEach
    void begin() {
        firstFire.begin(TestRuns.epoch(1), PAGE);
    }

    private static Run started(Run run, long atMillis) {
        run.begin(atMillis * 1000);
        return run;
    }

    @Test
    void an_overdue_slot_is_counted_from_the_first_page_on_and_only_once() {
        firstFire.started(started(TestRuns.run(7, PAGE - 500), PAGE + 30));
        firstFire.started(started(TestRuns.run(8, PAGE - 400), PAGE + 31));
        assertEquals(List.of("1 after 30000"), told);
    }

    @Test
    void a_slot_that_is_due_later_is_counted_from_its_fire_time_on() {
        firstFire.started(started(TestRuns.run(7, PAGE + 60_000), PAGE + 60_002));
        assertEquals(List.of("1 after 2000"), told);
    }

    @Test
    void an_attempt_that_had_to_wait_for_something_else_does_not_count() {
        firstFire.started(started(TestRuns.again(7, PAGE - 500, 2), PAGE + 9000));
        assertEquals(List.of(), told);
        firstFire.started(started(TestRuns.run(8, PAGE + 9500), PAGE + 9501));
        assertEquals(List.of("1 after 1000"), told);
    }

    @Test
    void starts_under_an_older_epoch_do_not_count() {
        firstFire.begin(TestRuns.epoch(2), PAGE);
        firstFire.started(started(TestRuns.run(7, PAGE - 500), PAGE + 30));
        assertEquals(List.of(), told);
    }
}
