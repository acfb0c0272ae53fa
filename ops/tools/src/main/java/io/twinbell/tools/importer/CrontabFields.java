package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
    private static final Pattern NUMBERS = Pattern.compile("[-0-9*/,~]+");
    private static final Pattern NAMES =
            Pattern.compile("(?i)jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec|sun|mon|tue|wed|thu|fri|sat");
    private static final int MONTH = 3;
    private static final int[] FIRST = {0, 0, 1, 1, 0};
    private static final int[] LAST = {59, 23, 31, 12, 6};
    private static final Pattern STEP = Pattern.compile("\\*/(\\d{1,3})");
    private static final List<String> DAYS = List.of("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT");
    private static final int DAY_OF_MONTH = 2;
    private static final int DAY_OF_WEEK = 4;

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

    /** A line of prose has five words too. @throws FieldException if a field is no time to cron */
    static void requireTimes(String[] fields) {
        for (int i = 0; i < fields.length; i++) {
            String numbers = i < MONTH ? fields[i] : NAMES.matcher(fields[i]).replaceAll("0");
            if (!NUMBERS.matcher(numbers).matches()) {
                throw new FieldException("has \"" + fields[i] + "\", which is not a time field");
            }
        }
    }

    /**
     * @param fields the five time fields
     * @param notes receives a note for each difference from cron
     * @throws FieldException if the pair would misunderstand a field
     */
    static ObjectNode of(String[] fields, String zone, List<String> notes) {
        String[] taken = fields.clone();
        for (int i = 0; i < taken.length; i++) {
            if (taken[i].contains("~")) {
                taken[i] = random(taken[i], i);
                notes.add("\"" + fields[i]
                        + "\" is a random time that cron chooses at each start; here H chooses a fixed one");
            }
        }
        String expression = String.join(" ", taken);
        if (!mustMatchBoth(taken)) {
            return schedule(expression, "UNIX", zone);
        }
        taken[DAY_OF_WEEK] = spelled(taken[DAY_OF_WEEK]);
        notes.add("a day field begins with *, so cron requires both day fields to match: dialect SPRING");
        return schedule("0 " + String.join(" ", taken), "SPRING", zone);
    }

    /**
     * The same rule for an expression of other schedulers that may begin with seconds.
     *
     * @param fields five or six fields
     */
    static ObjectNode withSeconds(String[] fields, String zone, List<String> notes) {
        if (fields.length == 5) {
            return of(fields, zone, notes);
        }
        String[] days = Arrays.copyOfRange(fields, 1, fields.length);
        if (!mustMatchBoth(days)) {
            return schedule(String.join(" ", fields), "UNIX", zone);
        }
        days[DAY_OF_WEEK] = spelled(days[DAY_OF_WEEK]);
        return schedule(fields[0] + " " + String.join(" ", days), "SPRING", zone);
    }

    /** A limit that is left out is that of the field. */
    private static String random(String field, int index) {
        List<String> parts = new ArrayList<>();
        for (String part : field.split(",", -1)) {
            Matcher random = RANDOM.matcher(part);
            if (part.equals("~")) {
                parts.add("H");
            } else if (random.matches()) {
                int from = random.group(1).isEmpty() ? FIRST[index] : Integer.parseInt(random.group(1));
                int to = random.group(2).isEmpty() ? LAST[index] : Integer.parseInt(random.group(2));
                if (from > to) {
                    throw new FieldException("has a random range that ends before it begins: " + part);
                }
                parts.add("H(" + from + "-" + to + ")");
            } else if (part.contains("~")) {
                throw new FieldException("has a random time that is not understood: " + part);
            } else {
                parts.add(part);
            }
        }
        return String.join(",", parts);
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
