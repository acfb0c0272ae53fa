package io.twinbell.node.schedule.cron;

import com.cronutils.descriptor.CronDescriptor;
import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.parser.CronParser;
import io.twinbell.node.schedule.local.BitMasks;
import io.twinbell.node.schedule.local.LocalPattern;
import io.twinbell.node.schedule.local.TimeOfDay;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Describes a cron expression in words. It passes the normalized meaning to cron-utils and not the typed text (see
 * {@link CronNotation}), because cron-utils describes wrapping ranges, hashes and open steps wrongly or not at all.
 * Expressions that cron-utils cannot describe are given in the notation itself: two restricted day fields, a day field
 * with several kinds of entries, and years after 2099.
 */
public final class CronWords {
    private static final CronParser PARSER =
            new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.QUARTZ));

    private CronWords() {}

    public static String of(CronExpression expression) {
        String years = CronNotation.of(expression.years());
        return ofEveryYear(expression) + (years.equals("*") ? "" : ", in " + years);
    }

    private static String ofEveryYear(CronExpression expression) {
        boolean byMonth = expression.dayOfMonth().restricted();
        boolean byWeek = expression.dayOfWeek().restricted();
        String month = CronNotation.of(expression.dayOfMonth());
        String week = CronNotation.of(expression.dayOfWeek());
        if (byMonth && byWeek) {
            String both = expression.dialect() == Dialect.UNIX ? " or also " : " if that is also ";
            return describe(expression, "*", "?") + ", on day-of-month " + month + both + "day-of-week " + week;
        }
        if (byMonth && expression.dayOfMonth().isMixed()) {
            return describe(expression, "*", "?") + ", on day-of-month " + month;
        }
        if (byWeek && expression.dayOfWeek().isMixed()) {
            return describe(expression, "*", "?") + ", on day-of-week " + week;
        }
        return describe(expression, byWeek ? "?" : month, byWeek ? week : "?");
    }

    private static String describe(CronExpression expression, String dayOfMonth, String dayOfWeek) {
        String meaning = CronNotation.of(expression, dayOfMonth, dayOfWeek);
        try {
            return inAscii(CronDescriptor.instance(Locale.UK).describe(PARSER.parse(meaning)))
                    + forgottenSecond(meaning);
        } catch (RuntimeException e) {
            // cron-utils throws many types of exceptions, and a missing description must not fail the schedule.
            return "when " + meaning + " (second minute hour day-of-month month day-of-week) matches";
        }
    }

    /** cron-utils writes times with the digits of the machine's locale. */
    private static String inAscii(String words) {
        StringBuilder ascii = new StringBuilder();
        words.chars()
                .forEach(c -> ascii.append(Character.isDigit(c) ? (char) ('0' + Character.digit(c, 10)) : (char) c));
        return ascii.toString();
    }

    /** cron-utils describes {@code 7 *\/5 * * * ?} in the same words as {@code 0 *\/5 * * * ?}. */
    private static String forgottenSecond(String meaning) {
        String[] fields = meaning.split(" ", 3);
        boolean isForgotten = fields[1].startsWith("*/") && fields[0].matches("[1-9]\\d?");
        return isForgotten ? " at second " + fields[0] : "";
    }

    /**
     * Formats a parsed cron expression in plain Quartz notation: no names for numbers, wrapping ranges, hashes or open
     * steps.
     */
    private static final class CronNotation {
        private static final List<String> WEEKDAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");

        private CronNotation() {}

        static String of(CronExpression expression, String dayOfMonth, String dayOfWeek) {
            TimeOfDay time = expression.time();
            return String.join(
                    " ",
                    numbers(time.seconds(), FieldRange.SECOND),
                    numbers(time.minutes(), FieldRange.MINUTE),
                    numbers(time.hours(), FieldRange.HOUR),
                    dayOfMonth,
                    numbers(expression.months(), FieldRange.MONTH),
                    dayOfWeek);
        }

        static String of(DayOfMonth field) {
            if (!field.restricted()) {
                return "*";
            }
            List<String> items = new ArrayList<>();
            if (field.days() != 0) {
                items.add(numbers(field.days(), FieldRange.DAY_OF_MONTH));
            }
            bits(field.beforeLast()).forEach(back -> items.add(back == 0 ? "L" : "L-" + back));
            bits(field.nearest()).forEach(day -> items.add(day + "W"));
            bits(field.nearestBeforeLast()).forEach(back -> items.add(back == 0 ? "LW" : "L-" + back + "W"));
            return String.join(",", items);
        }

        static String of(DayOfWeek field) {
            List<String> items = new ArrayList<>();
            if (field.days() != 0) {
                items.add(weekdays(field.days()));
            }
            bits(field.nth()).forEach(turn -> items.add(WEEKDAYS.get(turn % 7) + "#" + turn / 7));
            bits(field.last()).forEach(day -> items.add(WEEKDAYS.get(day) + "L"));
            return String.join(",", items);
        }

        /** Writes weekdays as names, because readers of a description may use another dialect's numbers. */
        private static String weekdays(long days) {
            List<String> runs = new ArrayList<>();
            for (String run : runs(days).split(",")) {
                int dash = run.indexOf('-');
                int from = Integer.parseInt(dash < 0 ? run : run.substring(0, dash));
                int to = Integer.parseInt(run.substring(dash + 1));
                runs.add(from == to ? WEEKDAYS.get(from) : WEEKDAYS.get(from) + "-" + WEEKDAYS.get(to));
            }
            return String.join(",", runs);
        }

        /** Formats the years alone; {@code *} for all years. */
        static String of(BitSet years) {
            int from = years.nextSetBit(0);
            int to = years.length() - 1;
            int count = years.cardinality();
            if (count == FieldRange.YEAR.size()) {
                return "*";
            }
            int step = count < 3 ? 0 : (to - from) / (count - 1);
            boolean isProgression = step > 1
                    && (to - from) % step == 0
                    && IntStream.range(0, count).allMatch(i -> years.get(from + i * step));
            return isProgression ? range(year(from), year(to)) + "/" + step : yearRuns(years);
        }

        private static String yearRuns(BitSet years) {
            List<String> runs = new ArrayList<>();
            for (int from = years.nextSetBit(0); from >= 0; ) {
                int to = years.nextClearBit(from) - 1;
                runs.add(range(year(from), year(to)));
                from = years.nextSetBit(to + 1);
            }
            return String.join(",", runs);
        }

        private static int year(int bit) {
            return LocalPattern.FIRST_YEAR + bit;
        }

        private static String numbers(long mask, FieldRange range) {
            int from = BitMasks.lowest(mask);
            int to = BitMasks.highest(mask);
            int count = Long.bitCount(mask);
            if (count == range.size()) {
                return "*";
            }
            int step = count < 3 ? 0 : (to - from) / (count - 1);
            boolean throughout = from == range.first() && to + step > range.last();
            // A step over part of the field is written as a list, because cron-utils would drop its first and
            // last value.
            if (step > 1 && throughout && mask == progression(from, to, step)) {
                return "*/" + step;
            }
            return runs(mask);
        }

        private static long progression(int from, int to, int step) {
            long mask = 0;
            for (int value = from; value <= to; value += step) {
                mask |= 1L << value;
            }
            return mask;
        }

        private static String runs(long mask) {
            List<String> runs = new ArrayList<>();
            for (long rest = mask; rest != 0; ) {
                int from = BitMasks.lowest(rest);
                int to = from + Long.numberOfTrailingZeros(~(rest >>> from)) - 1;
                runs.add(range(from, to));
                rest &= -2L << to;
            }
            return String.join(",", runs);
        }

        private static String range(int from, int to) {
            return from == to ? String.valueOf(from) : to == from + 1 ? from + "," + to : from + "-" + to;
        }

        private static List<Integer> bits(long mask) {
            return BitSet.valueOf(new long[] {mask}).stream().boxed().toList();
        }
    }
}
