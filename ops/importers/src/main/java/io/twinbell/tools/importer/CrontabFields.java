package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Month;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/** Translates the time fields of a crontab entry into a schedule. */
final class CrontabFields {
    private static final Map<String, String> NICKNAMES = Map.of(
            "@yearly", "@yearly",
            "@annually", "@yearly",
            "@monthly", "@monthly",
            "@weekly", "@weekly",
            "@daily", "@daily",
            "@midnight", "@daily",
            "@hourly", "@hourly",
            "@every_minute", "* * * * *",
            "@every_second", "* * * * * *");
    private static final Pattern SECONDS = Pattern.compile("@(\\d{1,8})");
    private static final Pattern RANDOM = Pattern.compile("(\\d{0,2})~(\\d{0,2})");
    private static final Pattern RANGE =
            Pattern.compile("(?:\\*|(\\d{1,5}|[A-Za-z]{3})(?:-(\\d{1,5}|[A-Za-z]{3}))?)(?:/(\\d{1,5}))?");
    private static final Pattern STEP = Pattern.compile("\\*/(\\d{1,5})");
    private static final List<String> MONTHS =
            List.of("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC");
    private static final List<String> DAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");
    private static final List<String> NAMES = List.of("minute", "hour", "day of month", "month", "day of week");
    private static final int[] FIRST = {0, 0, 1, 1, 0};
    private static final int[] LAST = {59, 23, 31, 12, 6};
    /** Sunday is also 7. */
    private static final int[] GREATEST = {59, 23, 31, 12, 7};

    private static final int DAY_OF_MONTH = 2;
    private static final int MONTH = 3;
    private static final int DAY_OF_WEEK = 4;
    /** The pair chooses H from the days that each month has. */
    private static final int SHORTEST_MONTH = 28;

    private static final int MAX_RANGES = 100;

    private CrontabFields() {}

    /** Null if the nickname is unknown. */
    static ObjectNode ofNickname(String nickname, String zone) {
        Matcher seconds = SECONDS.matcher(nickname);
        if (seconds.matches()) {
            return JsonNodeFactory.instance
                    .objectNode()
                    .put("every", "PT" + Long.parseLong(seconds.group(1)) + "S")
                    .put("mode", "FIXED_DELAY");
        }
        String cron = NICKNAMES.get(nickname.toLowerCase(Locale.ROOT));
        return cron == null ? null : schedule(cron, null, zone);
    }

    /** A field that cron refuses too, or that no schedule can say; the message names it. */
    static final class FieldException extends IllegalArgumentException {
        private static final long serialVersionUID = 1L;

        FieldException(String message) {
            super(message);
        }
    }

    /**
     * @param fields the five time fields
     * @param notes receives a note for each difference from cron
     * @throws FieldException if a field is no time, as in a line of prose with five words, or if the fields together are
     *     no time, as on 30 February
     */
    static ObjectNode of(String[] fields, String zone, List<String> notes) {
        List<List<Range>> ranges = new ArrayList<>();
        String[] taken = new String[fields.length];
        for (int i = 0; i < fields.length; i++) {
            List<Range> field = Range.list(fields[i], i);
            ranges.add(field);
            taken[i] = String.join(",", field.stream().map(Range::text).toList());
            if (fields[i].contains("~")) {
                notes.add("\"" + fields[i]
                        + "\" is a random time that cron chooses at each start; here H chooses a fixed one");
            }
        }
        boolean isWeekEnough = !fields[DAY_OF_WEEK].equals("*") && !mustMatchBoth(fields);
        if (!isWeekEnough && firstDay(ranges.get(DAY_OF_MONTH)) > longestMonth(ranges.get(MONTH))) {
            throw new FieldException("never fires: none of its months has such a day");
        }
        return withSeconds(taken, zone, notes);
    }

    /** Of a random day, the last one counts, and of a random month the shortest one. */
    private static int firstDay(List<Range> days) {
        return days.stream()
                .mapToInt(range -> range.isRandom()
                        ? range.values().length() - 1
                        : range.values().nextSetBit(0))
                .min()
                .orElseThrow();
    }

    private static int longestMonth(List<Range> months) {
        return months.stream()
                .mapToInt(range -> {
                    IntStream lengths =
                            range.values().stream().map(month -> Month.of(month).maxLength());
                    return (range.isRandom() ? lengths.min() : lengths.max()).orElseThrow();
                })
                .max()
                .orElseThrow();
    }

    /**
     * Cron's rule for the two day fields, also for an expression of other schedulers.
     *
     * @param fields five fields, or six that begin with seconds
     */
    static ObjectNode withSeconds(String[] fields, String zone, List<String> notes) {
        String[] days = Arrays.copyOfRange(fields, fields.length - 5, fields.length);
        if (!mustMatchBoth(days)) {
            return schedule(String.join(" ", fields), "UNIX", zone);
        }
        days[DAY_OF_WEEK] = spelled(days[DAY_OF_WEEK]);
        notes.add("a day field begins with *, so cron requires both day fields to match: dialect SPRING");
        String seconds = fields.length == 5 ? "0" : fields[0];
        return schedule(seconds + " " + String.join(" ", days), "SPRING", zone);
    }

    /**
     * One element of the list in a field.
     *
     * @param text in the notation of the pair
     * @param values all values; if the range is random, those from which one is chosen
     */
    private record Range(String text, BitSet values, boolean isRandom) {
        static List<Range> list(String field, int index) {
            String[] parts = field.split(",", -1);
            if (parts.length > MAX_RANGES) {
                throw new FieldException("has a list of more than " + MAX_RANGES + " ranges");
            }
            return Arrays.stream(parts)
                    .map(part -> part.contains("~") ? random(part, index) : of(part, index))
                    .toList();
        }

        private static Range of(String text, int index) {
            Matcher parts = RANGE.matcher(text);
            if (!parts.matches()) {
                throw notATime(text);
            }
            boolean isAll = parts.group(1) == null;
            boolean isOpen = isAll || parts.group(3) != null;
            int step = parts.group(3) == null ? 1 : Integer.parseInt(parts.group(3));
            if (step == 0 || step > GREATEST[index]) {
                throw new FieldException("has a step of " + step + ", which is not from 1 to " + GREATEST[index]);
            }
            int from = isAll ? FIRST[index] : value(parts.group(1), index);
            int to =
                    parts.group(2) != null ? value(parts.group(2), index) : isOpen ? Math.max(from, LAST[index]) : from;
            int size = LAST[index] - FIRST[index] + 1;
            BitSet values = new BitSet();
            for (int value = from; value <= (from <= to ? to : to + size); value += step) {
                values.set(value <= GREATEST[index] ? value : value - size);
            }
            return new Range(text, values, false);
        }

        /** A limit that is left out is that of the field. */
        private static Range random(String text, int index) {
            Matcher limits = RANDOM.matcher(text);
            if (!limits.matches()) {
                throw new FieldException("has a random time that is not understood: " + text);
            }
            boolean isAnyDay = text.equals("~") && index == DAY_OF_MONTH;
            int last = isAnyDay ? SHORTEST_MONTH : LAST[index];
            int from = limits.group(1).isEmpty() ? FIRST[index] : value(limits.group(1), index);
            int to = limits.group(2).isEmpty() ? last : value(limits.group(2), index);
            if (from > to) {
                throw new FieldException("has a random range that ends before it begins: " + text);
            }
            BitSet values = new BitSet();
            values.set(from, to + 1);
            return new Range(text.equals("~") ? "H" : "H(" + from + "-" + to + ")", values, true);
        }

        private static int value(String text, int index) {
            String name = text.toUpperCase(Locale.ROOT);
            if (index == MONTH && MONTHS.contains(name)) {
                return 1 + MONTHS.indexOf(name);
            }
            if (index == DAY_OF_WEEK && DAYS.contains(name)) {
                return DAYS.indexOf(name);
            }
            if (!text.matches("\\d+")) {
                throw notATime(text);
            }
            int number = Integer.parseInt(text);
            if (number < FIRST[index] || number > GREATEST[index]) {
                throw new FieldException("has the " + NAMES.get(index) + " " + number + ", which is not from "
                        + FIRST[index] + " to " + GREATEST[index]);
            }
            return number;
        }

        private static FieldException notATime(String text) {
            return new FieldException("has \"" + text + "\", which is not a time field");
        }
    }

    /** Cron's rule: day of month and day of week are alternatives unless one of the fields begins with a star. */
    private static boolean mustMatchBoth(String[] fields) {
        String month = fields[DAY_OF_MONTH];
        String week = fields[DAY_OF_WEEK];
        boolean bothSay = !month.equals("*") && !week.equals("*");
        return bothSay && (month.startsWith("*") || week.startsWith("*"));
    }

    /** Names mean the same in every dialect; a step over the days of the week does not. */
    private static String spelled(String field) {
        List<String> parts = new ArrayList<>();
        for (String part : field.split(",", -1)) {
            Matcher step = STEP.matcher(part);
            if (!step.matches()) {
                parts.add(part);
                continue;
            }
            int days = Integer.parseInt(step.group(1));
            if (days == 0) {
                throw new FieldException("has a step of 0: " + field);
            }
            for (int day = 0; day < DAYS.size(); day += days) {
                parts.add(DAYS.get(day));
            }
        }
        return String.join(",", parts);
    }

    private static ObjectNode schedule(String cron, String dialect, String zone) {
        ObjectNode schedule = JsonNodeFactory.instance.objectNode().put("cron", cron);
        if (dialect != null) {
            schedule.put("dialect", dialect);
        }
        return zone == null ? schedule : schedule.put("zone", zone);
    }
}
