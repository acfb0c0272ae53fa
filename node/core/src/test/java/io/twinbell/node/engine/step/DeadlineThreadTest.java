package io.twinbell.node.engine.step;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;

class DeadlineThreadTest {
    @Test
    void a_deadline_in_eight_thousand_years_is_set_and_delays_no_other() throws Exception {
        try (DeadlineThread deadlines = new DeadlineThread()) {
            Future<?> far = deadlines.after(Duration.ofDays(8000L * 365), () -> {});
            deadlines.after(Duration.ZERO, () -> {}).get();
            assertFalse(far.isDone());
            assertTrue(far.cancel(false));
        }
    }
}
