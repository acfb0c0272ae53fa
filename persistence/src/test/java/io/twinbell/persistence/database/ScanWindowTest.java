package io.twinbell.persistence.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.HandTicker;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ScanWindowTest {
    private static final long KEYS = 100_000;

    private final HandTicker ticker = new HandTicker();
    private final ScanWindow window = new ScanWindow(ticker, Duration.ofMillis(100));
    private final List<long[]> scanned = new ArrayList<>();
    /** How long the scan of a single key takes. */
    private Duration ofKey = Duration.ofNanos(10_000);

    private Duration ofCall = Duration.ZERO;

    private long firstSlow = 1;
    private long wanted = -1;
    private Duration longest = Duration.ZERO;

    /** Returns the key that is wanted if the scan passes over it; otherwise -1. */
    private long scan() {
        long began = ticker.nanos();
        try {
            long found = window.run(
                    () -> new ScanWindow.Range(1, KEYS),
                    (from, until) -> {
                        ticker.pass(ofCall);
                        if (from > until) {
                            return -1L;
                        }
                        scanned.add(new long[] {from, until});
                        long keys = Math.max(0, Math.min(until, KEYS) - Math.max(from, firstSlow) + 1);
                        ticker.pass(ofKey.multipliedBy(keys));
                        return from <= wanted && wanted <= until ? wanted : -1;
                    },
                    key -> key >= 0);
            longest = Duration.ofNanos(ticker.nanos() - began);
            return found;
        } catch (SQLException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void a_quick_scan_is_always_whole() {
        ofKey = Duration.ofNanos(500);
        scan();
        scan();
        assertEquals(2, scanned.size());
        scanned.forEach(range -> {
            assertEquals(Long.MIN_VALUE, range[0]);
            assertEquals(Long.MAX_VALUE, range[1]);
        });
    }

    @Test
    void after_a_slow_scan_the_parts_cover_the_whole_range_without_a_gap() {
        scan();
        assertTrue(window.isDivided());
        scanned.clear();
        int calls = 0;
        do {
            ticker.pass(Duration.ofSeconds(1));
            scan();
            calls++;
            assertTrue(longest.compareTo(Duration.ofMillis(121)) < 0, longest.toString());
        } while (scanned.get(scanned.size() - 1)[0] != Long.MIN_VALUE);
        assertTrue(calls > 5, calls + " calls");
        long next = Long.MAX_VALUE;
        for (long[] range : scanned) {
            assertEquals(next, range[1]);
            next = range[0] - 1;
        }
    }

    /** As fire times: a day without dead rows, and the last minutes with many. */
    @Test
    void keys_that_are_slow_to_scan_are_few_in_a_part() {
        firstSlow = KEYS - 100;
        ofKey = Duration.ofMillis(3);
        for (int i = 0; i < 60; i++) {
            ticker.pass(Duration.ofSeconds(1));
            scan();
            // It learns the width within some sweeps.
            assertTrue(i < 10 || longest.compareTo(Duration.ofMillis(121)) < 0, i + ": " + longest);
        }
    }

    @Test
    void a_key_anywhere_is_found_within_one_pass() {
        scan();
        for (long key : List.of(0L, 1L, 50_000L, KEYS, KEYS + 1, Long.MAX_VALUE)) {
            wanted = key;
            int calls = 0;
            while (scan() < 0) {
                ticker.pass(Duration.ofSeconds(1));
                assertTrue(++calls < 50, "key " + key);
            }
        }
    }

    @Test
    void a_part_that_was_not_read_to_its_end_is_continued() {
        scan();
        ticker.pass(Duration.ofSeconds(1));
        scan();
        long[] part = scanned.get(scanned.size() - 1);
        window.continueAfter(part[0] + 7);
        scanned.clear();
        ticker.pass(Duration.ofSeconds(1));
        scan();
        assertEquals(part[0] + 8, scanned.get(0)[0]);
        assertEquals(part[1], scanned.get(0)[1]);
        assertEquals(part[0] - 1, scanned.get(1)[1]);
    }

    @Test
    void after_a_whole_scan_there_is_nothing_to_continue() {
        scan();
        window.continueAfter(KEYS - 1);
        ticker.pass(Duration.ofSeconds(1));
        scanned.clear();
        scan();
        assertEquals(Long.MAX_VALUE, scanned.get(0)[1]);
        assertTrue(scanned.get(0)[0] < KEYS - 1);
        assertTrue(window.isDivided());
    }

    @Test
    void a_busy_caller_spends_a_small_part_of_its_time() {
        scan();
        scanned.clear();
        for (int i = 0; i < 10; i++) {
            ticker.pass(Duration.ofMillis(39));
            scan();
        }
        assertEquals(0, scanned.size());
        ticker.pass(Duration.ofMillis(10));
        scan();
        assertTrue(scanned.size() > 0);
        assertTrue(longest.compareTo(Duration.ofMillis(21)) < 0, longest.toString());
    }

    @Test
    void a_machine_that_is_slow_without_dead_rows_does_not_make_the_parts_smaller() {
        scan();
        ofKey = Duration.ofNanos(1);
        ofCall = Duration.ofMillis(30);
        int calls = 0;
        while (window.isDivided()) {
            ticker.pass(Duration.ofSeconds(1));
            scan();
            assertTrue(++calls < 10, "still divided");
        }
    }

    @Test
    void once_all_parts_are_quick_the_scan_is_whole_again() {
        scan();
        ofKey = Duration.ofNanos(100);
        for (int i = 0; i < 3; i++) {
            ticker.pass(Duration.ofSeconds(3));
            scan();
        }
        assertFalse(window.isDivided());
    }

    @Test
    void a_scan_that_must_miss_nothing_is_whole() {
        scan();
        window.reset();
        scanned.clear();
        wanted = KEYS;
        assertEquals(KEYS, scan());
        assertEquals(1, scanned.size());
    }
}
