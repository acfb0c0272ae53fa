package io.twinbell.node.schedule;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.persistence.testing.RandomCases;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.time.temporal.TemporalAdjusters;
import java.time.temporal.WeekFields;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Test;

/** Compares random rules with an enumeration of all seconds, minutes, hours or days, one by one. */
class RecurrenceOracleTest {
    private static final int RULES = RandomCases.count(100, 1000);
    private static final int PROBES = 40;
    private static final List<String> DAYS = List.of("MO", "TU", "WE", "TH", "FR", "SA", "SU");

    private final long seed = RandomCases.seed(RecurrenceOracleTest.class);
    private final Random random = new Random(seed);

    @Test
    void random_rules_fire_as_an_enumeration_says() {
        int compared = 0;
        for (int i = 0; i < RULES; i++) {
            compared += compare(new RandomRule(random)) ? 1 : 0;
        }
        assertTrue(compared > RULES / 2, "compared only " + compared);
    }

    private boolean compare(RandomRule rule) {
        String text = rule.text();
        LocalDateTime start = rule.start();
        LocalDateTime end = rule.end();
        TreeSet<Long> expected = new TreeSet<>();
        rule.enumerate(start, end).forEach(time -> expected.add(time.toEpochSecond(ZoneOffset.UTC) * 1000));
        Window window = new Window(0, end.toEpochSecond(ZoneOffset.UTC) * 1000 - 1);
        String context = "seed " + seed + ", " + text + " from " + start;
        Schedule schedule;
        try {
            schedule = ScheduleFixtures.schedule(window, "rrule", text, "dtstart", start.toString());
        } catch (ScheduleException e) {
            assertTrue(e.getMessage().contains("never fires"), () -> context + ": " + e.getMessage());
            assertEquals(new TreeSet<Long>(), expected, context);
            return false;
        }
        long from = start.minusDays(3).toEpochSecond(ZoneOffset.UTC) * 1000;
        for (int i = 0; i < PROBES; i++) {
            long at = from + (long) (random.nextDouble() * (window.endMillis() - from));
            Long after = expected.higher(at);
            Long before = expected.lower(at);
            assertEquals(after == null ? Schedule.NEVER : after, schedule.next(at), () -> context + " after " + at);
            assertEquals(
                    before == null ? Schedule.NONE_BEFORE : before,
                    schedule.previous(at),
                    () -> context + " before " + at);
        }
        long at = Long.MIN_VALUE;
        for (long time : expected.stream().limit(200).toList()) {
            assertEquals(time, schedule.next(at), () -> context);
            assertEquals(at == Long.MIN_VALUE ? Schedule.NONE_BEFORE : at, schedule.previous(time), () -> context);
            at = time;
        }
        return true;
    }

    /** A rule as a map of its parts, and its meaning as RFC 5545, 3.3.10 describes it. */
    private static final class RandomRule {
        private final Random random;
        private final Map<String, String> parts = new TreeMap<>();
        private final String frequency;
        private final LocalDateTime start;

        RandomRule(Random random) {
            this.random = random;
            frequency = List.of("SECONDLY", "MINUTELY", "HOURLY", "DAILY", "WEEKLY", "MONTHLY", "YEARLY")
                    .get(random.nextInt(7));
            start = LocalDateTime.of(1970, 1, 1, 0, 0)
                    .plusSeconds(random.nextInt(Integer.MAX_VALUE))
                    .truncatedTo(random.nextBoolean() ? ChronoUnit.MINUTES : ChronoUnit.SECONDS);
            boolean isYearly = frequency.equals("YEARLY");
            boolean isShort = isShort();
            put(2, "INTERVAL", String.valueOf(1 + random.nextInt(isShort ? 50 : 7)));
            put(3, "BYMONTH", some(1, 12, 5));
            put(isYearly ? 5 : 0, "BYWEEKNO", signed(53, 4));
            put(isYearly || isShort ? 6 : 0, "BYYEARDAY", signed(366, 30));
            put(frequency.equals("WEEKLY") ? 0 : 3, "BYMONTHDAY", signed(31, 6));
            boolean isNumbered = (isYearly || frequency.equals("MONTHLY")) && !parts.containsKey("BYWEEKNO");
            put(2, "BYDAY", weekdays(isNumbered && random.nextBoolean()));
            put(3, "BYHOUR", some(0, 23, 6));
            put(3, "BYMINUTE", some(0, 59, 6));
            put(4, "BYSECOND", some(0, 59, 4));
            boolean hasParts = parts.keySet().stream().anyMatch(name -> name.startsWith("BY"));
            put(hasParts ? 3 : 0, "BYSETPOS", signed(8, 3));
            put(3, "WKST", DAYS.get(random.nextInt(7)));
            put(4, "COUNT", String.valueOf(1 + random.nextInt(40)));
        }

        String text() {
            StringBuilder text = new StringBuilder("FREQ=" + frequency);
            parts.forEach(
                    (name, value) -> text.append(';').append(name).append('=').append(value));
            return text.toString();
        }

        LocalDateTime start() {
            return start;
        }

        LocalDateTime end() {
            return switch (frequency) {
                case "SECONDLY" -> start.plusDays(2);
                case "MINUTELY" -> start.plusDays(40);
                case "HOURLY" -> start.plusDays(700);
                case "YEARLY" -> start.plusYears(40);
                default -> start.plusYears(12);
            };
        }

        private boolean isShort() {
            return List.of("SECONDLY", "MINUTELY", "HOURLY").contains(frequency);
        }

        private void put(int oneIn, String name, String value) {
            if (oneIn > 0 && random.nextInt(oneIn) == 0) {
                parts.put(name, value);
            }
        }

        private String some(int least, int most, int number) {
            return values(number, () -> String.valueOf(least + random.nextInt(most - least + 1)));
        }

        private String signed(int most, int number) {
            return values(number, () -> (random.nextBoolean() ? "" : "-") + (1 + random.nextInt(most)));
        }

        private String weekdays(boolean isNumbered) {
            return values(
                    5,
                    () -> (isNumbered ? (random.nextBoolean() ? "" : "-") + (1 + random.nextInt(6)) : "")
                            + DAYS.get(random.nextInt(7)));
        }

        private String values(int most, java.util.function.Supplier<String> value) {
            List<String> values = new ArrayList<>();
            for (int i = 0; i <= random.nextInt(most); i++) {
                values.add(value.get());
            }
            return String.join(",", values);
        }

        List<LocalDateTime> enumerate(LocalDateTime start, LocalDateTime end) {
            Map<Long, List<LocalDateTime>> periods = new TreeMap<>();
            long first = period(start);
            int interval = Integer.parseInt(parts.getOrDefault("INTERVAL", "1"));
            for (LocalDate day = start.toLocalDate().minusDays(400);
                    !day.isAfter(end.toLocalDate().plusDays(400));
                    day = day.plusDays(1)) {
                boolean isFar = isShort() && (day.isBefore(start.toLocalDate()) || day.isAfter(end.toLocalDate()));
                if (!isFar && allowsDay(day)) {
                    for (LocalDateTime time : times(day)) {
                        long period = period(time);
                        if (period >= first && (period - first) % interval == 0) {
                            periods.computeIfAbsent(period, key -> new ArrayList<>())
                                    .add(time);
                        }
                    }
                }
            }
            List<LocalDateTime> found = new ArrayList<>();
            periods.values().forEach(set -> found.addAll(places(set)));
            found.removeIf(time -> time.isBefore(start));
            int count = Integer.parseInt(parts.getOrDefault("COUNT", "1000000"));
            List<LocalDateTime> counted = new ArrayList<>(found.subList(0, Math.min(count, found.size())));
            counted.removeIf(time -> !time.isBefore(end));
            return counted;
        }

        private List<LocalDateTime> places(List<LocalDateTime> set) {
            if (!parts.containsKey("BYSETPOS")) {
                return set;
            }
            TreeSet<LocalDateTime> found = new TreeSet<>();
            for (String place : parts.get("BYSETPOS").split(",")) {
                int number = Integer.parseInt(place);
                int index = number > 0 ? number - 1 : set.size() + number;
                if (index >= 0 && index < set.size()) {
                    found.add(set.get(index));
                }
            }
            return List.copyOf(found);
        }

        private DayOfWeek weekStart() {
            return DayOfWeek.of(1 + DAYS.indexOf(parts.getOrDefault("WKST", "MO")));
        }

        private long period(LocalDateTime time) {
            long second = time.toEpochSecond(ZoneOffset.UTC);
            LocalDate day = time.toLocalDate();
            return switch (frequency) {
                case "SECONDLY" -> second;
                case "MINUTELY" -> second / 60;
                case "HOURLY" -> second / 3600;
                case "DAILY" -> day.toEpochDay();
                case "WEEKLY" ->
                    day.with(TemporalAdjusters.previousOrSame(weekStart())).toEpochDay() / 7 + (isEarly(day) ? -1 : 0);
                case "MONTHLY" -> day.getYear() * 12L + day.getMonthValue();
                default ->
                    parts.containsKey("BYWEEKNO")
                            ? day.get(WeekFields.of(weekStart(), 4).weekBasedYear())
                            : day.getYear();
            };
        }

        /** Division rounds towards zero, and 1970-01-01 lies within a week. */
        private boolean isEarly(LocalDate day) {
            return day.with(TemporalAdjusters.previousOrSame(weekStart())).toEpochDay() < 0;
        }

        private List<LocalDateTime> times(LocalDate day) {
            List<LocalDateTime> times = new ArrayList<>();
            List<Integer> minutes =
                    numbers("BYMINUTE", 60, isShort() && !frequency.equals("HOURLY") ? -1 : start.getMinute());
            List<Integer> seconds = numbers("BYSECOND", 60, frequency.equals("SECONDLY") ? -1 : start.getSecond());
            for (int hour : numbers("BYHOUR", 24, isShort() ? -1 : start.getHour())) {
                for (int minute : minutes) {
                    for (int second : seconds) {
                        times.add(day.atTime(hour, minute, second));
                    }
                }
            }
            return times;
        }

        private List<Integer> numbers(String name, int size, int otherwise) {
            List<Integer> numbers = new ArrayList<>();
            for (int i = 0; i < size; i++) {
                boolean isNamed = parts.containsKey(name)
                        ? List.of(parts.get(name).split(",")).contains(String.valueOf(i))
                        : otherwise < 0 || otherwise == i;
                if (isNamed) {
                    numbers.add(i);
                }
            }
            return numbers;
        }

        private final Map<LocalDate, Boolean> known = new HashMap<>();

        private boolean allowsDay(LocalDate day) {
            return known.computeIfAbsent(day, this::isAllowed);
        }

        private boolean isAllowed(LocalDate day) {
            boolean isOpen = List.of("BYMONTHDAY", "BYYEARDAY", "BYWEEKNO", "BYDAY").stream()
                    .noneMatch(parts::containsKey);
            boolean isYearly = frequency.equals("YEARLY");
            if (isOpen && (isYearly || frequency.equals("MONTHLY")) && day.getDayOfMonth() != start.getDayOfMonth()) {
                return false;
            }
            if (isOpen && isYearly && !parts.containsKey("BYMONTH") && day.getMonth() != start.getMonth()) {
                return false;
            }
            if (isOpen && frequency.equals("WEEKLY") && day.getDayOfWeek() != start.getDayOfWeek()) {
                return false;
            }
            WeekFields weeks = WeekFields.of(weekStart(), 4);
            int lastWeek = (int) weeks.weekOfWeekBasedYear().rangeRefinedBy(day).getMaximum();
            return any("BYMONTH", value -> value == day.getMonthValue())
                    && any(
                            "BYMONTHDAY",
                            value -> (value > 0 ? value : day.lengthOfMonth() + 1 + value) == day.getDayOfMonth())
                    && any(
                            "BYYEARDAY",
                            value -> (value > 0 ? value : day.lengthOfYear() + 1 + value) == day.getDayOfYear())
                    && any(
                            "BYWEEKNO",
                            value -> (value > 0 ? value : lastWeek + 1 + value) == day.get(weeks.weekOfWeekBasedYear()))
                    && isWeekday(day);
        }

        private boolean any(String name, IntPredicate matches) {
            if (!parts.containsKey(name)) {
                return true;
            }
            for (String value : parts.get(name).split(",")) {
                if (matches.test(Integer.parseInt(value))) {
                    return true;
                }
            }
            return false;
        }

        private boolean isWeekday(LocalDate day) {
            if (!parts.containsKey("BYDAY")) {
                return true;
            }
            for (String item : parts.get("BYDAY").split(",")) {
                String name = item.substring(item.length() - 2);
                String number = item.substring(0, item.length() - 2);
                if (day.getDayOfWeek().getValue() == 1 + DAYS.indexOf(name)
                        && (number.isEmpty() || isNth(day, Integer.parseInt(number)))) {
                    return true;
                }
            }
            return false;
        }

        /** The n-th such weekday has n - 1 of them before it in its month or year, and none n weeks before it. */
        private boolean isNth(LocalDate day, int number) {
            int weeks = number > 0 ? -1 : 1;
            int many = Math.abs(number);
            return isSame(day, day.plusWeeks((long) weeks * (many - 1)))
                    && !isSame(day, day.plusWeeks((long) weeks * many));
        }

        private boolean isSame(LocalDate day, LocalDate other) {
            boolean byMonth = frequency.equals("MONTHLY") || parts.containsKey("BYMONTH");
            return day.getYear() == other.getYear() && (!byMonth || day.getMonth() == other.getMonth());
        }
    }
}
