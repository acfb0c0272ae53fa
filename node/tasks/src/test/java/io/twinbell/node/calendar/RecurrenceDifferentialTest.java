package io.twinbell.node.calendar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.calendar.ical.ContentLine;
import io.twinbell.node.calendar.ical.DateTimeValue;
import io.twinbell.node.calendar.ical.ExpansionBudget;
import io.twinbell.node.calendar.ical.Recurrence;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.schedule.Schedules;
import io.twinbell.node.schedule.Window;
import io.twinbell.node.schedule.custom.ScheduleTypes;
import io.twinbell.persistence.testing.RandomCases;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.dmfs.rfc5545.DateTime;
import org.dmfs.rfc5545.recur.InvalidRecurrenceRuleException;
import org.dmfs.rfc5545.recur.RecurrenceRule;
import org.dmfs.rfc5545.recur.RecurrenceRuleIterator;
import org.junit.jupiter.api.Test;

/**
 * Compares random rules of calendars and of schedules with lib-recur. Left out is what that library does otherwise than
 * RFC 5545 or gives up: BYSETPOS in the first year of a yearly rule, BYMONTHDAY of a year without BYMONTH, BYWEEKNO
 * without BYDAY or with INTERVAL, and rules that match too rarely for it.
 */
class RecurrenceDifferentialTest {
    private static final int RULES = RandomCases.count(800, 16_000);
    private static final int MAX_OCCURRENCES = 30;
    private static final long DAYS_OF_400_YEARS = 146_097;
    private static final long LAST = LocalDateTime.of(2150, 1, 1, 0, 0).toEpochSecond(ZoneOffset.UTC) - 1;
    private static final List<String> DAYS = List.of("MO", "TU", "WE", "TH", "FR", "SA", "SU");

    private final Random random;
    private final long seed;

    RecurrenceDifferentialTest() {
        seed = RandomCases.seed(RecurrenceDifferentialTest.class);
        random = new Random(seed);
    }

    @Test
    void random_rules_mean_the_same_as_to_another_library() throws Exception {
        int compared = 0;
        for (int i = 0; i < RULES; i++) {
            compared += compare(rule(), start()) ? 1 : 0;
        }
        assertTrue(compared > RULES / 2, "compared only " + compared);
    }

    @Test
    void of_a_week_without_a_weekday_the_other_library_takes_only_the_weekday_of_the_start() throws Exception {
        String rule = "FREQ=YEARLY;BYWEEKNO=20;COUNT=7";
        String start = "19970513T090000";
        List<String> week = scheduled(rule, start);
        assertEquals(
                List.of("19970513T090000", "19980512T090000"),
                expanded(theirs(rule, start)).subList(0, 2));
        assertEquals(List.of("19970513T090000", "19970514T090000"), week.subList(0, 2));
        assertEquals("19980511T090000", week.get(6));
        assertEquals(week, ours(rule, start));
    }

    @Test
    void the_first_days_of_january_may_belong_to_the_last_week_of_the_old_year() {
        String rule = "FREQ=YEARLY;BYWEEKNO=52;BYDAY=SA,SU;COUNT=5";
        String start = "20280101T020000";
        List<String> expected =
                List.of(start, "20280102T020000", "20281230T020000", "20281231T020000", "20291229T020000");
        assertEquals(expected, ours(rule, start));
        assertEquals(expected, scheduled(rule, start));
    }

    @Test
    void a_common_year_has_no_day_366() {
        String rule = "FREQ=YEARLY;BYYEARDAY=-366;BYDAY=MO,TU,WE,TH,FR,SA,SU;COUNT=3";
        String start = "20240101T090000";
        List<String> expected = List.of(start, "20280101T090000", "20320101T090000");
        assertEquals(expected, ours(rule, start));
        assertEquals(expected, scheduled(rule, start));
    }

    private boolean compare(String rule, String from) throws InvalidRecurrenceRuleException {
        String start;
        List<String> theirs;
        try {
            RecurrenceRuleIterator unlimited = theirs(rule.replaceAll(";COUNT=[0-9]+", ""), from);
            if (!unlimited.hasNext()) {
                return false;
            }
            // Theirs leaves out a start that the rule has not; RFC 5545 counts it.
            DateTime first = unlimited.nextDateTime();
            if (first.getTimestamp() / 1000 > LAST) {
                return false;
            }
            start = text(first);
            theirs = expanded(theirs(rule, start));
        } catch (IllegalArgumentException | IllegalStateException e) {
            assertTrue(e.getMessage().contains("too many"), e::toString);
            return false;
        } catch (ArrayIndexOutOfBoundsException e) {
            // Theirs fails on day -366 of a year that has 365 days.
            assertTrue(rule.contains("-366"), () -> rule + ": " + e);
            return false;
        }
        if (theirs.isEmpty() || !theirs.get(0).equals(start)) {
            // Theirs contradicts itself: it named this start as a day of the rule. It does so in the first days of
            // January that
            // belong to the last week of the old year.
            assertTrue(
                    rule.contains("BYWEEKNO") && start.startsWith("01", 4),
                    () -> "DTSTART:" + start + " RRULE:" + rule);
            return false;
        }
        String context = "seed " + seed + ", DTSTART:" + start + " RRULE:" + rule;
        assertEquals(theirs, ours(rule, start), context);
        assertEquals(theirs, ours(rule, start, 1 + random.nextInt(4)), context);
        assertEquals(theirs, scheduled(rule, start), context);
        return true;
    }

    private static RecurrenceRuleIterator theirs(String rule, String start) throws InvalidRecurrenceRuleException {
        return new RecurrenceRule(rule).iterator(DateTime.parse("UTC", start));
    }

    private static List<String> expanded(RecurrenceRuleIterator occurrences) {
        List<String> found = new ArrayList<>();
        while (found.size() < MAX_OCCURRENCES && occurrences.hasNext()) {
            DateTime next = occurrences.nextDateTime();
            if (next.getTimestamp() / 1000 > LAST) {
                break;
            }
            found.add(text(next));
        }
        return found;
    }

    private static String text(DateTime time) {
        return time.toString().replace("Z", "");
    }

    private static List<String> ours(String rule, String start) {
        return ours(rule, start, 0);
    }

    /** Expands the rule from cycles of 400 years earlier: the Gregorian calendar repeats itself after each. */
    private static List<String> ours(String rule, String from, int cycles) {
        long earlier = cycles * DAYS_OF_400_YEARS * 24 * 3600;
        ContentLine fromLine = new ContentLine(1, "DTSTART", Map.of(), from);
        String start = text(DateTimeValue.of(fromLine, null).wall() - earlier);
        List<String> found = new ArrayList<>();
        ContentLine line = new ContentLine(1, "RRULE", Map.of(), rule);
        ContentLine startLine = new ContentLine(1, "DTSTART", Map.of(), start);
        Recurrence.expand(
                line,
                DateTimeValue.of(startLine, null),
                ZoneOffset.UTC.getRules(),
                new Recurrence.ExpansionBounds(LAST - earlier, new ExpansionBudget()),
                wall -> {
                    found.add(text(wall + earlier));
                    return found.size() < MAX_OCCURRENCES;
                });
        return found;
    }

    private static List<String> scheduled(String rule, String start) {
        ObjectNode json =
                JsonNodeFactory.instance.objectNode().put("rrule", rule).put("dtstart", start);
        Schedule schedule = Schedules.parse(json, new Window(0, LAST * 1000), "app/name", ScheduleTypes.NONE);
        List<String> found = new ArrayList<>();
        for (long fire = schedule.next(-1);
                fire != Schedule.NEVER && found.size() < MAX_OCCURRENCES;
                fire = schedule.next(fire)) {
            found.add(text(fire / 1000));
        }
        return found;
    }

    private static String text(long wall) {
        return LocalDateTime.ofEpochSecond(wall, 0, ZoneOffset.UTC)
                .toString()
                .replaceAll("[-:]", "")
                .replaceAll("T([0-9]{4})$", "T$100");
    }

    private String start() {
        return String.format(
                Locale.ROOT,
                "%04d%02d%02dT%02d%02d00",
                1970 + random.nextInt(80),
                1 + random.nextInt(12),
                1 + random.nextInt(28),
                random.nextInt(24),
                15 * random.nextInt(4));
    }

    private String rule() {
        String frequency = List.of("DAILY", "WEEKLY", "MONTHLY", "YEARLY").get(random.nextInt(4));
        boolean isYearly = frequency.equals("YEARLY");
        StringBuilder rule = new StringBuilder("FREQ=" + frequency);
        int interval = random.nextBoolean() ? 1 : 2 + random.nextInt(6);
        boolean hasMonths = random.nextInt(3) == 0;
        boolean hasWeeks = isYearly && interval == 1 && !hasMonths && random.nextInt(3) == 0;
        part(rule, "INTERVAL", interval > 1, String.valueOf(interval));
        part(rule, "BYMONTH", hasMonths, some(12, 3));
        part(rule, "BYWEEKNO", hasWeeks, some(52, 2));
        part(rule, "BYYEARDAY", isYearly && !hasWeeks && random.nextInt(4) == 0, signed(some(366, 3)));
        boolean mayNameMonthDays = !frequency.equals("WEEKLY") && !hasWeeks && (hasMonths || !isYearly);
        part(rule, "BYMONTHDAY", mayNameMonthDays && random.nextInt(3) == 0, signed(some(31, 4)));
        boolean isNumbered = (isYearly || frequency.equals("MONTHLY")) && !hasWeeks && random.nextBoolean();
        part(rule, "BYDAY", hasWeeks || random.nextBoolean(), weekdays(isNumbered));
        part(rule, "BYHOUR", random.nextInt(4) == 0, some(23, 3));
        part(rule, "BYMINUTE", random.nextInt(5) == 0, some(59, 2));
        part(rule, "BYSETPOS", !isYearly && rule.indexOf("BY") > 0 && random.nextInt(3) == 0, signed(some(4, 2)));
        part(rule, "WKST", !hasWeeks && random.nextInt(3) == 0, DAYS.get(random.nextInt(7)));
        part(rule, "COUNT", random.nextBoolean(), String.valueOf(1 + random.nextInt(20)));
        return rule.toString();
    }

    private static void part(StringBuilder rule, String name, boolean isThere, String value) {
        if (isThere) {
            rule.append(';').append(name).append('=').append(value);
        }
    }

    private String some(int most, int number) {
        TreeSet<Integer> values = new TreeSet<>();
        for (int i = 0; i <= random.nextInt(number); i++) {
            values.add(1 + random.nextInt(most));
        }
        return values.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private String signed(String values) {
        List<String> signed = new ArrayList<>();
        for (String value : values.split(",")) {
            signed.add(random.nextInt(3) == 0 ? "-" + value : value);
        }
        return String.join(",", signed);
    }

    private String weekdays(boolean isNumbered) {
        List<String> days = new ArrayList<>();
        for (String day : DAYS) {
            if (random.nextInt(3) == 0) {
                days.add(
                        isNumbered
                                ? List.of("1", "2", "3", "4", "5", "-1", "-2").get(random.nextInt(7)) + day
                                : day);
            }
        }
        return days.isEmpty() ? "WE" : String.join(",", days);
    }
}
