package io.twinbell.ops.check;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.ops.check.LedgerRow.State;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

/** All is mended at 5000, and the pair has two seconds to catch up. */
class CatchingUpTest {
    @Test
    void what_was_overdue_is_claimed_within_the_time() {
        assertEquals(List.of(), claimed(1000, 7000).broken());
        assertEquals(List.of(Rule.NOT_CAUGHT_UP), claimed(1000, 7001).broken());
    }

    @Test
    void what_comes_due_shortly_before_that_has_the_time_that_any_slot_has() {
        assertEquals(List.of(), claimed(6900, 8900).broken());
        assertEquals(List.of(Rule.NOT_CAUGHT_UP), claimed(6900, 8901).broken());
    }

    @Test
    void what_comes_due_later_is_claimed_when_it_is_due() {
        assertEquals(List.of(), claimed(7500, 9500).broken());
        assertEquals(List.of(Rule.NOT_CAUGHT_UP), claimed(7500, 9501).broken());
    }

    @Test
    void a_slot_may_wait_for_another_run_of_its_task() {
        Story behindAnother = claimed(1000, 8000)
                .row(new LedgerRow(
                        new Slot(1, 900),
                        new LedgerRow.Cover(900, 1),
                        State.FAILED,
                        new LedgerRow.Claim(1, 2, OptionalLong.of(5100)),
                        new LedgerRow.Times(OptionalLong.of(5200), OptionalLong.of(7900)),
                        null));

        assertEquals(List.of(Rule.UNPLANNED), behindAnother.broken());
    }

    private static Story claimed(long fire, long claimedMillis) {
        return new Story()
                .task(1, new Plan.Once(fire), false, false)
                .peace(new History.Peace(5000, 2000))
                .row(new LedgerRow(
                        new Slot(1, fire),
                        new LedgerRow.Cover(fire, 1),
                        State.FAILED,
                        new LedgerRow.Claim(1, 2, OptionalLong.of(claimedMillis)),
                        new LedgerRow.Times(OptionalLong.of(claimedMillis), OptionalLong.of(claimedMillis + 1)),
                        null));
    }
}
