package io.twinbell.node.schedule;

import static io.twinbell.node.schedule.ScheduleFixtures.assertFires;
import static io.twinbell.node.schedule.ScheduleFixtures.at;
import static io.twinbell.node.schedule.ScheduleFixtures.fires;
import static io.twinbell.node.schedule.ScheduleFixtures.schedule;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Schedule;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CronDstTest {
    private static final String BERLIN = "Europe/Berlin";

    @Test
    void a_time_in_a_gap_fires_once_right_after_it() {
        Schedule schedule = schedule("cron", "0 30 2 * * ?", "zone", BERLIN);
        assertFires(
                schedule,
                "2026-03-28T00:00:00Z",
                "2026-03-28T01:30:00Z",
                "2026-03-29T01:00:00Z",
                "2026-03-30T00:30:00Z");
        assertEquals(DstMark.SHIFTED, schedule.mark(at("2026-03-29T01:00:00Z")));
        assertEquals(DstMark.NONE, schedule.mark(at("2026-03-30T00:30:00Z")));
    }

    @Test
    void a_shifted_fire_is_found_from_the_millisecond_before_it_and_from_the_one_after() {
        Schedule schedule = schedule("cron", "0 30 2 * * ?", "zone", BERLIN);
        long shifted = at("2026-03-29T01:00:00Z");
        assertEquals(shifted, schedule.next(shifted - 1));
        assertEquals(at("2026-03-30T00:30:00Z"), schedule.next(shifted));
        assertEquals(shifted, schedule.previous(shifted + 1));
        assertEquals(at("2026-03-28T01:30:00Z"), schedule.previous(shifted));
    }

    @ParameterizedTest
    @ValueSource(strings = {"0 0 2 * * ?", "59 59 2 * * ?"})
    void the_first_and_the_last_time_of_a_gap_are_shifted_in_both_directions(String expression) {
        Schedule schedule = schedule("cron", expression, "zone", BERLIN);
        long shifted = at("2026-03-29T01:00:00Z");
        assertEquals(shifted, schedule.next(shifted - 1));
        assertEquals(shifted, schedule.previous(shifted + 1));
    }

    @Test
    void all_times_that_one_gap_swallows_become_one_fire() {
        Schedule schedule = schedule("cron", "*/5 2-3 * * *", "zone", BERLIN);
        assertFires(schedule, "2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:05:00Z");
        assertEquals(DstMark.NONE, schedule.mark(at("2026-03-29T01:00:00Z")), "03:00 is a time of its own");
    }

    @Test
    void a_time_in_a_gap_is_left_out_if_so_chosen() {
        Schedule schedule = schedule("cron", "30 2 * * *", "zone", BERLIN, "dstGap", "SKIP");
        assertFires(schedule, "2026-03-29T00:00:00Z", "2026-03-30T00:30:00Z");
    }

    @Test
    void a_time_that_occurs_twice_fires_at_the_first() {
        Schedule schedule = schedule("cron", "30 2 * * *", "zone", BERLIN);
        assertFires(schedule, "2026-10-25T00:00:00Z", "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z");
        assertEquals(DstMark.NONE, schedule.mark(at("2026-10-25T00:30:00Z")));
        assertEquals(DstMark.NONE, schedule.mark(at("2026-10-25T01:30:00Z")), "no fire time at all");
    }

    @Test
    void a_time_that_occurs_twice_fires_twice_if_so_chosen() {
        Schedule schedule = schedule("cron", "30 2 * * *", "zone", BERLIN, "dstOverlap", "TWICE");
        assertFires(
                schedule,
                "2026-10-25T00:00:00Z",
                "2026-10-25T00:30:00Z",
                "2026-10-25T01:30:00Z",
                "2026-10-26T01:30:00Z");
        assertEquals(DstMark.NONE, schedule.mark(at("2026-10-25T00:30:00Z")));
        assertEquals(DstMark.REPEATED, schedule.mark(at("2026-10-25T01:30:00Z")));
    }

    @Test
    void the_second_pass_is_found_though_the_calendar_holds_no_later_match() {
        String lastEver = "0 30 2 25 10 ? 2026";
        Schedule twice = schedule("cron", lastEver, "zone", BERLIN, "dstOverlap", "TWICE");
        assertEquals(List.of("2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z"), fires(twice, "2026-01-01T00:00:00Z", 9));
        Schedule once = schedule("cron", lastEver, "zone", BERLIN);
        assertEquals(at("2026-10-25T00:30:00Z"), once.previous(at("2026-10-25T01:10:00Z")));
    }

    @Test
    void every_ten_minutes_has_no_hole_and_no_double_over_a_clock_change() {
        Schedule schedule = schedule("cron", "*/10 * * * *", "zone", BERLIN);
        for (String change : List.of("2026-03-29T00:00:00Z", "2026-10-25T00:00:00Z")) {
            long fire = at(change);
            for (int i = 0; i < 18; i++) {
                assertEquals(fire + 600_000, schedule.next(fire));
                assertEquals(fire, schedule.previous(fire + 600_000));
                fire += 600_000;
            }
        }
    }

    @Test
    void every_other_hour_fires_when_the_wall_clock_says_so_and_never_shifts() {
        Schedule schedule = schedule("cron", "0 */2 * * *", "zone", BERLIN);
        assertFires(schedule, "2026-03-28T22:00:00Z", "2026-03-28T23:00:00Z", "2026-03-29T02:00:00Z");
        assertFires(
                schedule,
                "2026-10-24T23:00:00Z",
                "2026-10-25T00:00:00Z",
                "2026-10-25T01:00:00Z",
                "2026-10-25T03:00:00Z");
        assertEquals(DstMark.REPEATED, schedule.mark(at("2026-10-25T01:00:00Z")));
    }

    @Test
    void a_gap_of_half_an_hour_shifts_by_what_is_left_of_it() {
        Schedule schedule = schedule("cron", "15 2 * * *", "zone", "Australia/Lord_Howe");
        assertFires(schedule, "2026-10-03T00:00:00Z", "2026-10-03T15:30:00Z");
        assertEquals(DstMark.SHIFTED, schedule.mark(at("2026-10-03T15:30:00Z")));
    }

    @Test
    void an_overlap_of_half_an_hour_repeats_only_that() {
        Schedule schedule = schedule("cron", "0,45 1 * * *", "zone", "Australia/Lord_Howe", "dstOverlap", "TWICE");
        assertFires(
                schedule,
                "2026-04-04T00:00:00Z",
                "2026-04-04T14:00:00Z",
                "2026-04-04T14:45:00Z",
                "2026-04-04T15:15:00Z");
    }

    @Test
    void a_day_that_begins_at_one_fires_its_midnight_at_one() {
        assertFires(
                schedule("cron", "@daily", "zone", "Africa/Cairo"),
                "2026-04-23T12:00:00Z",
                "2026-04-23T22:00:00Z",
                "2026-04-24T21:00:00Z");
        assertFires(
                schedule("cron", "@daily", "zone", "America/Sao_Paulo"),
                "2018-11-03T12:00:00Z",
                "2018-11-04T03:00:00Z",
                "2018-11-05T02:00:00Z");
    }

    @Test
    void a_midnight_that_comes_twice_fires_once() {
        assertFires(
                schedule("cron", "0 0 * * *", "zone", "America/Sao_Paulo"),
                "2018-02-17T00:00:00Z",
                "2018-02-17T02:00:00Z",
                "2018-02-18T03:00:00Z");
        assertFires(
                schedule("cron", "30 23 * * *", "zone", "America/Sao_Paulo"),
                "2018-02-18T00:00:00Z",
                "2018-02-18T01:30:00Z",
                "2018-02-19T02:30:00Z");
    }

    @Test
    void a_day_that_never_was_fires_once_when_the_next_begins() {
        Schedule schedule = schedule("cron", "0 2,14 * * *", "zone", "Pacific/Apia");
        assertFires(
                schedule,
                "2011-12-29T13:00:00Z",
                "2011-12-30T00:00:00Z",
                "2011-12-30T10:00:00Z",
                "2011-12-30T12:00:00Z");
        assertEquals(DstMark.SHIFTED, schedule.mark(at("2011-12-30T10:00:00Z")));
    }

    @Test
    void offsets_of_quarter_hours_and_two_hour_changes_hold_too() {
        assertFires(
                schedule("cron", "30 2 5 4 *", "zone", "Pacific/Chatham"),
                "2026-04-04T00:00:00Z",
                "2026-04-04T12:45:00Z");
        assertFires(
                schedule("cron", "30 2 29 3 *", "zone", "Antarctica/Troll"),
                "2026-03-29T00:00:00Z",
                "2026-03-29T01:00:00Z");
        assertFires(
                schedule("cron", "30 0 22 3 *", "zone", "Asia/Tehran"), "2022-03-21T00:00:00Z", "2022-03-21T20:30:00Z");
    }

    @Test
    void the_clocks_of_a_fixed_offset_never_change() {
        assertFires(schedule("cron", "30 2 * * *", "zone", "+02:00"), "2026-03-28T12:00:00Z", "2026-03-29T00:30:00Z");
    }
}
