package io.twinbell.node.schedule;

import io.twinbell.node.schedule.cron.Dialect;
import java.time.DayOfWeek;
import java.time.LocalDate;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.YearMonth;
import java.time.temporal.TemporalAdjusters;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.function.Predicate;

/**
 * A random cron expression that knows what it means: each piece of text is made together with a predicate, so that no parser
 * stands between the two and the meaning is independent of the code under test.
 */
final class RandomCron {
    /** What an expression may contain; other libraries can't read all of it. */
    enum Feature {
        SECONDS,
        /** One time of day instead of many, so that only the day fields speak. */
        ONE_TIME,
        WRAPS,
        NEAREST_WEEKDAY,
        LAST_OFFSET,
        SPECIAL_DAYS,
        SPECIAL_LISTS,
        BOTH_DAY_FIELDS,
        YEARS
    }

    private record Piece<T>(String text, Predicate<T> matches) {}

    private static final List<String> MONTHS =
            List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");

    private final Random random;
    private final Dialect dialect;
    private final Set<Feature> features;
    private final Piece<Integer> second;
    private final Piece<Integer> minute;
    private final Piece<Integer> hour;
    private final Piece<LocalDate> dayOfMonth;
    private final Piece<Integer> month;
    private final Piece<LocalDate> dayOfWeek;
    private final Piece<Integer> year;

    RandomCron(Random random, Dialect dialect, Set<Feature> features) {
        this.random = random;
        this.dialect = dialect;
        this.features = features;
        second = features.contains(Feature.SECONDS) ? numbers(0, 59) : new Piece<>("0", s -> s == 0);
        boolean oneTime = features.contains(Feature.ONE_TIME);
        minute = oneTime ? single(between(0, 59)) : numbers(0, 59);
        hour = oneTime ? single(between(0, 3)) : numbers(0, 23);
        month = random.nextInt(3) > 0 ? any("*") : months();
        year = dialect == Dialect.QUARTZ && features.contains(Feature.YEARS) && random.nextBoolean()
                ? list(2024, 2031)
                : null;
        int restricted =
                random.nextInt(features.contains(Feature.BOTH_DAY_FIELDS) && dialect != Dialect.QUARTZ ? 4 : 3);
        boolean byMonth = restricted == 1 || restricted == 3;
        boolean byWeek = restricted == 2 || restricted == 3;
        dayOfMonth = byMonth ? daysOfMonth() : any(byWeek && dialect == Dialect.QUARTZ ? "?" : "*");
        dayOfWeek = byWeek ? daysOfWeek() : any(dialect == Dialect.QUARTZ ? "?" : "*");
    }

    String text() {
        String rest = String.join(" ", minute.text(), hour.text(), dayOfMonth.text(), month.text(), dayOfWeek.text());
        boolean five = dialect == Dialect.UNIX && second.text().equals("0") && !features.contains(Feature.SECONDS);
        return (five ? "" : second.text() + " ") + rest + (year == null ? "" : " " + year.text());
    }

    boolean followsRealTime() {
        return hour.text().startsWith("*");
    }

    boolean matches(LocalDateTime local) {
        return matchesTime(local.toLocalTime()) && matches(local.toLocalDate());
    }

    /** The only time of day at which it fires, with {@link Feature#ONE_TIME}. */
    LocalTime time() {
        return LocalTime.of(Integer.parseInt(hour.text()), Integer.parseInt(minute.text()));
    }

    boolean matchesTime(LocalTime time) {
        return second.matches().test(time.getSecond())
                && minute.matches().test(time.getMinute())
                && hour.matches().test(time.getHour());
    }

    boolean matches(LocalDate day) {
        return month.matches().test(day.getMonthValue())
                && (year == null || year.matches().test(day.getYear()))
                && matchesDayFields(day);
    }

    private boolean matchesDayFields(LocalDate day) {
        boolean byMonth = dayOfMonth.matches().test(day);
        boolean byWeek = dayOfWeek.matches().test(day);
        boolean bothRestricted = !"*?".contains(dayOfMonth.text()) && !"*?".contains(dayOfWeek.text());
        return dialect == Dialect.UNIX && bothRestricted ? byMonth || byWeek : byMonth && byWeek;
    }

    private static <T> Piece<T> any(String text) {
        return new Piece<>(text, value -> true);
    }

    private Piece<Integer> months() {
        if (random.nextBoolean()) {
            return numbers(1, 12);
        }
        int chosen = random.nextInt(12);
        String name = MONTHS.get(chosen);
        return new Piece<>(random.nextBoolean() ? name : name.toLowerCase(Locale.ROOT), m -> m == chosen + 1);
    }

    private Piece<Integer> numbers(int least, int greatest) {
        return switch (random.nextInt(6)) {
            case 0 -> any("*");
            case 1 -> {
                int step = 1 + random.nextInt(Math.min(greatest - least, 30));
                yield new Piece<>("*/" + step, v -> (v - least) % step == 0);
            }
            case 2 -> {
                int from = between(least, greatest);
                int step = 1 + random.nextInt(Math.min(greatest - least, 30));
                yield new Piece<>(from + "/" + step, v -> v >= from && (v - from) % step == 0);
            }
            default -> list(least, greatest);
        };
    }

    private Piece<Integer> list(int least, int greatest) {
        List<String> texts = new ArrayList<>();
        Predicate<Integer> matches = v -> false;
        int size = 1 + random.nextInt(3);
        for (int i = 0; i < size; i++) {
            Piece<Integer> item = random.nextInt(3) == 0 ? range(least, greatest) : single(between(least, greatest));
            texts.add(item.text());
            matches = matches.or(item.matches());
        }
        return new Piece<>(String.join(",", texts), matches);
    }

    private static Piece<Integer> single(int value) {
        return new Piece<>(String.valueOf(value), v -> v == value);
    }

    private Piece<Integer> range(int least, int greatest) {
        int a = between(least, greatest);
        int b = between(least, greatest);
        boolean wraps = features.contains(Feature.WRAPS) && least < 1970;
        int from = wraps ? a : Math.min(a, b);
        int to = wraps ? b : Math.max(a, b);
        int step = random.nextInt(3) == 0 ? between(1, Math.min(7, greatest - least)) : 1;
        int size = greatest - least + 1;
        int reach = Math.floorMod(to - from, size);
        IntPredicate matches = v -> v >= least
                && v <= greatest
                && Math.floorMod(v - from, size) <= reach
                && Math.floorMod(v - from, size) % step == 0;
        return new Piece<>(from + "-" + to + (step == 1 ? "" : "/" + step), matches::test);
    }

    private Piece<LocalDate> daysOfMonth() {
        List<String> texts = new ArrayList<>();
        Predicate<LocalDate> matches = day -> false;
        int size = features.contains(Feature.SPECIAL_LISTS) ? 1 + random.nextInt(2) : 1;
        for (int i = 0; i < size; i++) {
            Piece<LocalDate> item = dayOfMonthItem();
            texts.add(item.text());
            matches = matches.or(item.matches());
        }
        // A bare star would make the field unrestricted; that is another choice's business.
        return texts.equals(List.of("*"))
                ? new Piece<>("1-31", matches)
                : new Piece<>(String.join(",", texts), matches);
    }

    private Piece<LocalDate> dayOfMonthItem() {
        int day = between(1, 31);
        int kind = features.contains(Feature.SPECIAL_DAYS) ? random.nextInt(7) : 6;
        if (kind == 0 && features.contains(Feature.NEAREST_WEEKDAY)) {
            return new Piece<>(
                    day + "W", d -> day <= d.lengthOfMonth() && d.equals(nearestWeekday(d.withDayOfMonth(day))));
        }
        if (kind == 1 && features.contains(Feature.NEAREST_WEEKDAY)) {
            return new Piece<>(
                    "LW", d -> d.equals(nearestWeekday(YearMonth.from(d).atEndOfMonth())));
        }
        if (kind == 2 && features.contains(Feature.LAST_OFFSET)) {
            int back = between(1, 30);
            return new Piece<>("L-" + back, d -> d.getDayOfMonth() == d.lengthOfMonth() - back);
        }
        if (kind == 3) {
            return new Piece<>("L", d -> d.getDayOfMonth() == d.lengthOfMonth());
        }
        Piece<Integer> plain = numbers(1, 31);
        return new Piece<>(plain.text(), d -> plain.matches().test(d.getDayOfMonth()));
    }

    private static LocalDate nearestWeekday(LocalDate day) {
        boolean isFirst = day.getDayOfMonth() == 1;
        boolean isLast = day.getDayOfMonth() == day.lengthOfMonth();
        return switch (day.getDayOfWeek()) {
            case SATURDAY -> isFirst ? day.plusDays(2) : day.minusDays(1);
            case SUNDAY -> isLast ? day.minusDays(2) : day.plusDays(1);
            default -> day;
        };
    }

    private Piece<LocalDate> daysOfWeek() {
        DayOfWeek weekday = DayOfWeek.of(between(1, 7));
        String name = random.nextBoolean() ? weekday.name().substring(0, 3) : String.valueOf(number(weekday));
        int kind = features.contains(Feature.SPECIAL_DAYS) ? random.nextInt(5) : 2 + random.nextInt(3);
        if (kind == 0) {
            int turn = between(1, 5);
            return new Piece<>(
                    name + "#" + turn, d -> d.getDayOfWeek() == weekday && (d.getDayOfMonth() + 6) / 7 == turn);
        }
        if (kind == 1) {
            return new Piece<>(name + "L", d -> d.equals(d.with(TemporalAdjusters.lastInMonth(weekday))));
        }
        return kind == 2 ? weekdayRange() : new Piece<>(name, d -> d.getDayOfWeek() == weekday);
    }

    /** A range of names, walked day by day; it runs from the earlier number to the later unless it may wrap. */
    private Piece<LocalDate> weekdayRange() {
        DayOfWeek a = DayOfWeek.of(between(1, 7));
        DayOfWeek b = DayOfWeek.of(between(1, 7));
        boolean swap = !features.contains(Feature.WRAPS) && position(a) > position(b);
        DayOfWeek from = swap ? b : a;
        DayOfWeek to = swap ? a : b;
        List<DayOfWeek> days = new ArrayList<>(List.of(from));
        for (DayOfWeek day = from; day != to; ) {
            day = day.plus(1);
            days.add(day);
        }
        return new Piece<>(
                from.name().substring(0, 3) + "-" + to.name().substring(0, 3), d -> days.contains(d.getDayOfWeek()));
    }

    private int number(DayOfWeek weekday) {
        return dialect == Dialect.QUARTZ ? weekday.getValue() % 7 + 1 : weekday.getValue() % 7;
    }

    private int position(DayOfWeek weekday) {
        return dialect == Dialect.SPRING ? weekday.getValue() : weekday.getValue() % 7;
    }

    private int between(int least, int greatest) {
        return least + random.nextInt(greatest - least + 1);
    }
}
