package io.twinbell.ha.role;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.twinbell.persistence.epoch.EpochRow;
import io.twinbell.persistence.epoch.TakeoverHold;
import io.twinbell.persistence.testing.HandTicker;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class TakeoverHoldStatusTest {
    private static final TakeoverHold HOLD = new TakeoverHold(0, Long.MAX_VALUE, Long.MAX_VALUE, "maintenance", "ann");

    private final TakeoverHoldStatus status = new TakeoverHoldStatus("b", new HandTicker());

    private static EpochRow row(TakeoverHold hold) {
        return new EpochRow(5, "a", new UUID(0, 1), false, 100, 0, 0, Long.MAX_VALUE, hold, null);
    }

    @Test
    void a_hold_that_is_released_while_the_owner_is_gone_is_the_reason_of_the_delay() {
        status.check(row(HOLD), true);
        assertNotNull(status.reason());
        status.check(row(null), true);
        assertNull(status.reason());
        assertEquals(HOLD, status.past(row(null)));
    }

    @Test
    void a_hold_has_no_part_in_a_later_failover_of_an_owner_that_has_worked_since() {
        status.check(row(HOLD), true);
        status.check(row(HOLD), false);
        status.check(row(null), true);
        assertNull(status.past(row(null)));
    }
}
