package io.twinbell.node.engine.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.limit.RunLimit;
import io.twinbell.persistence.testing.RandomCases;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class RateWindowTest {
    private static final long SEED = RandomCases.seed(RateWindowTest.class);

    private final RateWindow window = window(3, 1000);

    private static RateWindow window(int max, long perMillis) {
        return new RateWindow(new RunLimit.Rate(max, Duration.ofMillis(perMillis)));
    }

    @Test
    void a_start_counts_for_exactly_the_period() {
        window.add(new Object(), 5000);
        window.add(new Object(), 5100);
        window.add(new Object(), 5200);
        assertEquals(0, window.room(5999));
        assertEquals(1, window.room(6000));
        assertEquals(2, window.room(6100));
        assertEquals(3, window.room(7000));
    }

    @Test
    void it_tells_when_there_will_be_room() {
        assertEquals(Long.MIN_VALUE, window.nextMillis(5000));
        window.add(new Object(), 5000);
        window.add(new Object(), 5100);
        window.add(new Object(), 5200);
        assertEquals(6000, window.nextMillis(5200));
        window.addStarts(List.of(5150L, 5160L));
        assertEquals(6150, window.nextMillis(5200), "five of three allowed: the third of them must leave");
    }

    @Test
    void a_start_that_did_not_happen_does_not_count() {
        window.add(new Object(), 5000);
        Object cancelled = new Object();
        window.add(cancelled, 5100);
        window.add(new Object(), 5900);
        window.takeBack(cancelled);
        assertEquals(1, window.room(5900));
        assertEquals(2, window.room(6100), "that of 5900 did start, and counts for the whole period");
    }

    @Test
    void a_late_start_counts_from_its_start() {
        Object late = new Object();
        window.add(late, 5000);
        window.started(late, 5800);
        assertEquals(2, window.room(6700));
        assertEquals(3, window.room(6800));
    }

    @Test
    void a_late_start_whose_place_was_given_away_takes_another() {
        Object late = new Object();
        window.add(late, 5000);
        assertEquals(3, window.room(6000));
        window.started(late, 6500);
        assertEquals(2, window.room(7000));
    }

    @Test
    void another_limit_knows_what_has_started() {
        window.add(new Object(), 5000);
        window.add(new Object(), 5100);
        assertEquals(0, window.with(new RunLimit.Rate(2, Duration.ofSeconds(5))).room(9000));
    }

    @Test
    void no_stretch_has_more_starts_than_allowed_whenever_they_are_asked_for() {
        SplittableRandom random = new SplittableRandom(SEED);
        List<Long> started = new ArrayList<>();
        long now = 0;
        for (int i = 0; i < RandomCases.count(20_000, 400_000); i++) {
            now += random.nextInt(-20, 120);
            if (window.room(now) > 0) {
                window.add(new Object(), now);
                // A little ahead of one that is in already, it starts with that one.
                started.add(started.isEmpty() ? now : Math.max(now, started.get(started.size() - 1)));
            }
        }
        for (int i = 3; i < started.size(); i++) {
            assertTrue(started.get(i) - started.get(i - 3) >= 1000, "seed " + SEED + ", start " + i);
        }
        assertTrue(started.size() > now / 1000 * 2, "and they are used: " + started.size() + " in " + now + " ms");
    }
}
