package io.twinbell.node.calendar.ical;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.calendar.HolidayFile;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What counts as a step, and that files of the real world are far from the limit. */
class ExpansionBudgetTest {
    private static final long LAST = LocalDate.of(2200, 1, 1).toEpochDay() * 24 * 3600 - 1;

    private static int steps(String start, String rule) {
        ExpansionBudget budget = new ExpansionBudget();
        ContentLine line = ContentLine.of(1, "RRULE:" + rule);
        Set<Long> found = new HashSet<>();
        Recurrence.expand(line, DateTimeValue.read(start, line), ZoneOffset.UTC.getRules(), LAST, budget, found::add);
        return budget.taken();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // The masks of months, one occurrence, and the search from its day to the next.
                "20260101 | FREQ=YEARLY;BYMONTH=1;BYMONTHDAY=1;COUNT=2 | 106",
                "20260101 | FREQ=DAILY;COUNT=2 | 105",
                "20260101T000000 | FREQ=SECONDLY;COUNT=2 | 104",
                // What is computed before the first search.
                "20260101 | FREQ=YEARLY;BYWEEKNO=1;COUNT=1 | 1000",
                "20260101T000000 | FREQ=HOURLY;INTERVAL=2;BYMINUTE=0,30;BYSECOND=0,30;COUNT=1 | 104",
                // Years, months and days that have nothing.
                "20260101 | FREQ=YEARLY;BYYEARDAY=366;UNTIL=20271231 | 1006",
                "20260101 | FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2;UNTIL=20360630 | 118",
                "20260105 | FREQ=DAILY;INTERVAL=7;BYDAY=TU;UNTIL=20260630 | 129",
                "20260101T000000 | FREQ=MINUTELY;INTERVAL=2;BYMINUTE=1;UNTIL=20260101T100000 | 114",
                // Places that a period does not have.
                "20260101 | FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6,7,8;UNTIL=20260630 | 133",
            })
    void a_step_is_what_takes_time_and_not_what_is_found(String start, String rule, int steps) {
        assertEquals(steps, steps(start, rule));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            19700101 | FREQ=DAILY | 510000
            19700101 | FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR | 310000
            19700101 | FREQ=MONTHLY;BYDAY=1MO | 15000
            19700101 | FREQ=YEARLY;BYMONTH=11;BYDAY=4TH | 1500
            19700101T090000 | FREQ=HOURLY;BYHOUR=9,12,15;UNTIL=19900101T000000 | 100000
            """)
    void a_rule_of_the_real_world_takes_a_tenth_of_what_a_file_may(String start, String rule, int most) {
        int steps = steps(start, rule);
        assertTrue(steps < most, rule + ": " + steps);
        assertTrue(steps > most / 2, rule + ": " + steps);
    }

    @Test
    void ten_years_of_daily_events_with_exceptions_and_overrides_are_accepted() {
        String exceptions = IntStream.range(0, 500)
                .mapToObj(i ->
                        LocalDate.of(2026, 1, 1).plusDays(7L * i).toString().replace("-", "") + "T090000")
                .collect(Collectors.joining(","));
        String daily = IntStream.range(0, 15)
                .mapToObj(i ->
                        "BEGIN:VEVENT\nUID:d" + i + "\nDTSTART;TZID=Europe/Berlin:20260101T090000\nDURATION:PT30M\n"
                                + "RRULE:FREQ=DAILY;UNTIL=20351231T235959Z\nEXDATE;TZID=Europe/Berlin:" + exceptions
                                + "\nEND:VEVENT\n")
                .collect(Collectors.joining());
        String overrides = IntStream.range(0, 400)
                .mapToObj(i -> "BEGIN:VEVENT\nUID:d0\nDTSTART;TZID=Europe/Berlin:20260102T100000\nDURATION:PT30M\n"
                        + "RECURRENCE-ID;TZID=Europe/Berlin:"
                        + LocalDate.of(2026, 1, 2).plusDays(i).toString().replace("-", "") + "T090000\nEND:VEVENT\n")
                .collect(Collectors.joining());
        String maintenance = IntStream.range(0, 15)
                .mapToObj(i -> "BEGIN:VEVENT\nUID:m" + i + "\nDTSTART:20260104T0" + i % 10 + "0000Z\nDURATION:PT4H\n"
                        + "RRULE:FREQ=MONTHLY;BYDAY=" + (i % 4 + 1) + "SU\nEND:VEVENT\n")
                .collect(Collectors.joining());
        String file = "BEGIN:VCALENDAR\nVERSION:2.0\n" + daily + overrides + maintenance + "END:VCALENDAR\n";
        assertTrue(HolidayFile.read(file.getBytes(StandardCharsets.UTF_8), null)
                        .get("spans")
                        .size()
                > 3_000);
    }
}
