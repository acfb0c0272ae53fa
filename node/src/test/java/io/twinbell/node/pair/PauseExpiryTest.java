package io.twinbell.node.pair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.loop.Loop;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.task.JdbcTaskStore;
import io.twinbell.persistence.task.TaskStore;
import io.twinbell.persistence.testing.TestDouble;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

class PauseExpiryTest {
    private static final long NOW = 1_000_000;

    private boolean asked;
    private Supplier<OptionalLong> nextEnd = OptionalLong::empty;
    private boolean isMaster = true;
    private final PauseExpiry ends =
            new PauseExpiry(store(), () -> isMaster, () -> NOW, () -> Calendars.NONE, new Loop("test", Ticker.SYSTEM));

    private TaskStore store() {
        return TestDouble.of(TaskStore.class, (method, arguments) -> {
            assertEquals("endPauses", method.getName());
            asked = true;
            return nextEnd.get();
        });
    }

    private Duration stepped() {
        return Duration.ofNanos(ends.step());
    }

    @Test
    void only_the_master_looks() {
        isMaster = false;
        stepped();
        assertFalse(asked);
        isMaster = true;
        stepped();
        assertTrue(asked);
    }

    @Test
    void it_looks_every_second_and_when_a_pause_ends() {
        assertEquals(Duration.ofSeconds(1), stepped());
        nextEnd = () -> OptionalLong.of(NOW + 60_000);
        assertEquals(Duration.ofSeconds(1), stepped());
        nextEnd = () -> OptionalLong.of(NOW + 250);
        assertEquals(Duration.ofMillis(251), stepped());
    }

    @Test
    void a_task_that_somebody_holds_is_not_asked_for_without_pause() {
        nextEnd = () -> OptionalLong.of(NOW - 5000);
        assertEquals(Duration.ofMillis(100), stepped());
    }

    @Test
    void without_the_database_it_looks_again_later() {
        PGSimpleDataSource nowhere = new PGSimpleDataSource();
        nowhere.setPortNumbers(new int[] {1});
        PauseExpiry cutOff = new PauseExpiry(
                new JdbcTaskStore(nowhere),
                () -> true,
                () -> NOW,
                () -> Calendars.NONE,
                new Loop("test", Ticker.SYSTEM));
        assertEquals(Duration.ofSeconds(1), Duration.ofNanos(cutOff.step()));
    }
}
