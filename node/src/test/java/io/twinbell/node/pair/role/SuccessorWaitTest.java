package io.twinbell.node.pair.role;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.latch.Election;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

class SuccessorWaitTest {
    private static final Epoch HANDED_OVER = new Epoch(7, UUID.randomUUID(), "a", 0);

    private List<String> line = List.of("b");
    private Duration opensAfter = Duration.ofDays(1);
    private boolean isDatabaseAway;
    private Duration now = Duration.ZERO;

    private final SuccessorWait successorWait = new SuccessorWait(
            () -> new Election(true, false, false, 1, 0, line),
            this::latestEpoch,
            bound -> now = now.plus(bound),
            () -> now.toNanos());

    private long latestEpoch() {
        if (isDatabaseAway) {
            throw new DatabaseUnavailableException("read the epoch", new SQLException("away", "08006"));
        }
        return now.compareTo(opensAfter) < 0 ? HANDED_OVER.number() : HANDED_OVER.number() + 1;
    }

    @Test
    void it_keeps_still_until_the_successor_has_made_its_first_calls() {
        opensAfter = Duration.ofMillis(120);
        successorWait.awaitSuccessor(HANDED_OVER);
        assertTrue(now.compareTo(opensAfter.plus(SuccessorWait.FIRST_CALLS)) >= 0, now.toString());
        assertTrue(now.compareTo(SuccessorWait.BOUND) < 0, now.toString());
    }

    @Test
    void a_successor_that_does_not_come_is_not_waited_for_long() {
        successorWait.awaitSuccessor(HANDED_OVER);
        assertEquals(SuccessorWait.BOUND, now);
    }

    @Test
    void without_a_successor_it_ends_at_once() {
        line = List.of();
        successorWait.awaitSuccessor(HANDED_OVER);
        assertEquals(Duration.ZERO, now);
    }

    @Test
    void its_own_place_in_the_line_is_no_successor() {
        line = List.of("a");
        successorWait.awaitSuccessor(HANDED_OVER);
        assertEquals(Duration.ZERO, now);
    }

    @Test
    void a_standby_ends_at_once() {
        successorWait.awaitSuccessor(null);
        assertEquals(Duration.ZERO, now);
    }

    @Test
    void without_a_database_it_ends_at_once() {
        isDatabaseAway = true;
        successorWait.awaitSuccessor(HANDED_OVER);
        assertEquals(Duration.ZERO, now);
    }
}
