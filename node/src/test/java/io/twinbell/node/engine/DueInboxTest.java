package io.twinbell.node.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class DueInboxTest {
    private final DueInbox inbox = new DueInbox(10);

    @Test
    void nothing_is_due_before_the_soonest_however_little_urgent_that_is() {
        assertEquals(Long.MAX_VALUE, inbox.noneBeforeMillis());
        inbox.offer(1, 2000, Urgency.HIGHEST);
        assertEquals(2000, inbox.noneBeforeMillis());
        inbox.offer(2, 1000, 0);
        assertEquals(1000, inbox.noneBeforeMillis());
    }

    @Test
    void the_bound_is_forgotten_with_the_last() {
        inbox.offer(1, 1000, Urgency.USUAL);
        inbox.offer(2, 2000, Urgency.USUAL);
        inbox.drain(new long[1], new long[1], 1);
        assertTrue(inbox.noneBeforeMillis() <= 2000);
        inbox.drain(new long[1], new long[1], 1);
        assertEquals(Long.MAX_VALUE, inbox.noneBeforeMillis());
        inbox.offer(3, 3000, Urgency.USUAL);
        assertEquals(3000, inbox.noneBeforeMillis());
        inbox.clear();
        assertEquals(Long.MAX_VALUE, inbox.noneBeforeMillis());
    }
}
