package io.twinbell.node.schedule.custom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Overdue;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.engine.task.ScheduleTypeException;
import io.twinbell.node.schedule.Schedules;
import io.twinbell.node.schedule.Window;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.schedule.ScheduleType;
import java.time.Instant;
import java.time.LocalDateTime;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class ScheduleTypesTest {
    private final EveryFewSeconds type = new EveryFewSeconds("few");
    private final AtomicLong nanos = new AtomicLong();
    private final Ticker ticker = nanos::get;

    @AutoClose
    private final ScheduleTypes types = ScheduleTypes.of(List.of(type), List.of(), ticker);

    private Schedule parse(String seconds, String zone) {
        ObjectNode schedule = json().put("zone", zone);
        schedule.putObject("params").put("seconds", Integer.parseInt(seconds));
        return Schedules.parse(schedule, Window.from(0), "app/name", types);
    }

    private static ObjectNode json() {
        return JsonNodeFactory.instance.objectNode().put("type", "few");
    }

    private static long at(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }

    @Test
    void times_are_local_times_of_the_zone_with_clock_changes_as_for_cron() {
        Schedule daily = parse("86400", "Europe/Berlin");
        assertEquals(at("2026-06-30T22:00:00Z"), daily.next(at("2026-06-30T12:00:00Z")));
        assertEquals(at("2026-06-29T22:00:00Z"), daily.previous(at("2026-06-30T12:00:00Z")));
        assertEquals("every 86400 seconds of the wall clock, Europe/Berlin", daily.description());
        assertTrue(daily.followsAZone());
        Schedule brazil = parse("86400", "America/Sao_Paulo");
        long shifted = brazil.next(at("2017-10-14T12:00:00Z"));
        assertEquals(at("2017-10-15T03:00:00Z"), shifted, "midnight does not exist on that day");
        assertEquals(DstMark.SHIFTED, brazil.mark(shifted));
    }

    @Test
    void a_walk_gives_the_same_times_as_single_searches() {
        Schedule walked = parse("7", "UTC");
        long fire = 0;
        for (int i = 0; i < 500; i++) {
            long next = walked.next(fire);
            assertEquals(fire + 7000, next);
            assertEquals(fire, walked.previous(next));
            fire = next;
        }
        assertEquals(7000, walked.next(0), "the cache does not answer for earlier times");
    }

    @Test
    void many_overdue_times_are_counted_in_parts() {
        Overdue overdue = parse("1", "UTC").overdue(1000, 5_000_000, 100_000);
        assertEquals(new Overdue(1000, 5_000_000, 1000, false), overdue);
    }

    @Test
    void invalid_parameters_are_refused_with_the_words_of_the_type() {
        ScheduleException refused =
                assertThrows(ScheduleException.class, () -> Schedules.parse(json(), Window.from(0), "app/name", types));
        assertEquals("/params", refused.pointer());
        assertEquals("are invalid: seconds is required", refused.getMessage());
    }

    @Test
    void an_unknown_type_names_those_that_the_node_has() {
        ScheduleTypeException refused = assertThrows(ScheduleTypeException.class, () -> types.parse("tide", "{}"));
        assertEquals("this node has no schedule type \"tide\"; it has few", refused.getMessage());
    }

    @Test
    void code_that_throws_goes_back_or_answers_fractions_fails_its_own_schedule_only() {
        Schedule schedule = parse("60", "UTC");
        type.spoil = time -> {
            throw new IllegalStateException("no moon");
        };
        assertFails("next threw java.lang.IllegalStateException: no moon", schedule);
        type.spoil = time -> {
            throw new NumberFormatException("no number");
        };
        assertFails("next threw java.lang.NumberFormatException: no number", schedule);
        type.spoil = time -> time.minusYears(1);
        assertFails("is not a later time", schedule);
        type.spoil = time -> time.plusNanos(1);
        assertFails("is not a later time in whole seconds", schedule);
        type.spoil = time -> time;
        assertEquals(at("2026-01-01T00:01:00Z"), schedule.next(at("2026-01-01T00:00:00Z")));
    }

    private static void assertFails(String reason, Schedule schedule) {
        ScheduleTypeException failure =
                assertThrows(ScheduleTypeException.class, () -> schedule.next(at("2026-01-01T00:00:00Z")));
        assertTrue(failure.getMessage().contains(reason), failure.getMessage());
    }

    @Test
    void code_that_never_returns_is_left_alone_for_a_while() {
        Schedule schedule = parse("60", "UTC");
        CountDownLatch never = new CountDownLatch(1);
        AtomicInteger calls = new AtomicInteger();
        type.spoil = time -> {
            calls.incrementAndGet();
            return awaited(never, time);
        };
        assertFails("next took more than 200 ms", schedule);
        assertFails("it is called again after 10 s", schedule);
        assertEquals(1, calls.get());
        never.countDown();
        type.spoil = time -> time;
        nanos.addAndGet(BoundedCalls.BLOCKED.toNanos());
        assertEquals(at("2026-01-01T00:01:00Z"), schedule.next(at("2026-01-01T00:00:00Z")));
    }

    private static LocalDateTime awaited(CountDownLatch latch, LocalDateTime time) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return time;
    }

    @Test
    void slow_calls_in_a_row_block_the_type_for_a_while() {
        Schedule schedule = parse("60", "UTC");
        type.spoil = time -> {
            nanos.addAndGet(BoundedCalls.LONGEST_CALL.toNanos());
            return time;
        };
        long fire = at("2026-01-01T00:00:00Z");
        for (int i = 0; i < 3; i++) {
            fire = schedule.next(fire + 60_000);
        }
        assertFails("more than 20 ms each", schedule);
    }

    @Test
    void a_type_that_contradicts_itself_is_not_registered() {
        EveryFewSeconds wrong = new EveryFewSeconds("wrong");
        wrong.spoilPrevious = time -> time.minusSeconds(60);
        assertRefused("next and previous of its example contradict each other", wrong);
        AtomicInteger calls = new AtomicInteger();
        EveryFewSeconds moody = new EveryFewSeconds("moody");
        moody.spoil = time -> time.plusMinutes(calls.incrementAndGet());
        assertRefused("its next() gives different times for the same example and time", moody);
        assertRefused("needs a name", new EveryFewSeconds("Upper Case"));
        assertThrows(IllegalArgumentException.class, () -> ScheduleTypes.of(List.of(type, type), List.of(), ticker));
    }

    private void assertRefused(String reason, ScheduleType wrong) {
        IllegalArgumentException refused =
                assertThrows(IllegalArgumentException.class, () -> ScheduleTypes.of(List.of(wrong), List.of(), ticker));
        assertTrue(refused.getMessage().contains(reason), refused.getMessage());
        assertEquals(
                List.of("few"),
                List.copyOf(ScheduleTypes.of(List.of(), List.of(type, wrong), ticker)
                        .names()),
                "a plugin's type is left out");
    }
}
