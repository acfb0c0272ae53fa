package io.twinbell.tools.importer.systemd;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.DateTimeException;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Translates a calendar event of systemd.time(7), such as {@code Mon..Fri 08..18:00/15 Europe/Berlin}, into a schedule. As
 * in systemd, a day must match both the weekday and the date.
 */
final class CalendarEvent {
    private static final Map<String, String> SHORTHANDS = Map.of(
            "minutely", "*-*-* *:*:00",
            "hourly", "*-*-* *:00:00",
            "daily", "*-*-* 00:00:00",
            "monthly", "*-*-01 00:00:00",
            "weekly", "Mon *-*-* 00:00:00",
            "yearly", "*-01-01 00:00:00",
            "annually", "*-01-01 00:00:00",
            "quarterly", "*-01,04,07,10-01 00:00:00",
            "semiannually", "*-01,07-01 00:00:00");
    private static final List<String> DAYS = List.of("MON", "TUE", "WED", "THU", "FRI", "SAT", "SUN");
    private static final String DAY = "(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*";
    private static final Pattern WEEKDAYS = Pattern.compile("(?i)" + DAY + "(?:(?:,|\\.\\.|-)" + DAY + ")*,?");
    private static final Pattern DATE = Pattern.compile("(?:([^-\\s]+)-)?([^-\\s~]+)([-~])([^-\\s~]+)");
    private static final Pattern TIME = Pattern.compile("([^:\\s]+):([^:\\s]+)(?::([^:\\s]+))?");
    private static final Pattern PART = Pattern.compile("(\\*|\\d{1,4}(?:\\.\\.\\d{1,4})?)(?:/(\\d{1,4}))?");

    /** Bounds the depth of the regular expressions. */
    private static final int MAX_LENGTH = 500;

    private CalendarEvent() {}

    /**
     * @param zone the zone of events that name none
     * @throws IllegalArgumentException if no schedule says the same; the message says why
     */
    static ObjectNode schedule(String event, String zone) {
        String named = SHORTHANDS.getOrDefault(event.strip().toLowerCase(Locale.ROOT), event.strip());
        if (named.length() > MAX_LENGTH) {
            throw new IllegalArgumentException("has a calendar event of more than " + MAX_LENGTH + " characters");
        }
        List<String> words = new ArrayList<>(List.of(named.split("\\s+")));
        String own = zone;
        String last = words.get(words.size() - 1);
        if (words.size() > 1 && isZone(last)) {
            own = last;
            words.remove(words.size() - 1);
        }
        String weekdays = "*";
        if (WEEKDAYS.matcher(words.get(0)).matches()) {
            weekdays = weekdays(words.remove(0));
        }
        Matcher date = DATE.matcher(words.isEmpty() ? "" : words.get(0));
        boolean hasDate = date.matches();
        if (hasDate) {
            words.remove(0);
        }
        Matcher time = TIME.matcher(words.isEmpty() ? "00:00:00" : words.remove(0));
        if (!time.matches() || !words.isEmpty()) {
            throw new IllegalArgumentException(
                    "is not a calendar event of the form \"Mon..Fri 2026-*-01 08:00:00 Europe/Berlin\"");
        }
        String seconds = time.group(3) == null ? "00" : time.group(3);
        if (seconds.contains(".") && !seconds.contains("..")) {
            throw new IllegalArgumentException("fires at a fraction of a second, which no schedule can say");
        }
        String year = hasDate && date.group(1) != null ? date.group(1) : "*";
        if (!year.equals("*")) {
            return once(year, weekdays, date, time, seconds, own);
        }
        String day = hasDate ? day(date.group(3), date.group(4)) : "*";
        String cron = String.join(
                " ",
                field(seconds, 0),
                field(time.group(2), 0),
                field(time.group(1), 0),
                day,
                hasDate ? field(date.group(2), 1) : "*",
                weekdays);
        return JsonNodeFactory.instance
                .objectNode()
                .put("cron", cron)
                .put("dialect", "SPRING")
                .put("zone", own);
    }

    private static boolean isZone(String word) {
        try {
            return (word.equals("UTC") || word.contains("/") && !word.contains(":") && !word.matches("[\\d*].*"))
                    && ZoneId.of(word) != null;
        } catch (DateTimeException e) {
            return false;
        }
    }

    /** A year alone can be said only with one whole date and time. */
    private static ObjectNode once(
            String year, String weekdays, Matcher date, Matcher time, String seconds, String zone) {
        try {
            boolean isOneDay = weekdays.equals("*") && date.group(3).equals("-");
            LocalDateTime local = LocalDateTime.of(
                    number(year),
                    number(date.group(2)),
                    number(date.group(4)),
                    number(time.group(1)),
                    number(time.group(2)),
                    number(seconds));
            if (isOneDay) {
                return JsonNodeFactory.instance
                        .objectNode()
                        .put("at", local.atZone(ZoneId.of(zone)).toInstant().toString());
            }
        } catch (NumberFormatException | DateTimeException e) {
            // Several times, or no day of the calendar.
        }
        throw new IllegalArgumentException("is limited to the year " + year
                + ": give the task a start and an end, and leave the year out of the schedule");
    }

    private static int number(String text) {
        return Integer.parseInt(text);
    }

    private static String weekdays(String text) {
        List<String> all = new ArrayList<>();
        for (String part : text.split(",")) {
            String[] ends = part.split("\\.\\.|-");
            int from = weekday(ends[0]);
            int to = weekday(ends[ends.length - 1]);
            for (int day = from; ; day = (day + 1) % DAYS.size()) {
                if (!all.contains(DAYS.get(day))) {
                    all.add(DAYS.get(day));
                }
                if (day == to) {
                    break;
                }
            }
        }
        all.sort((one, other) -> DAYS.indexOf(one) - DAYS.indexOf(other));
        return all.size() == DAYS.size() ? "*" : String.join(",", all);
    }

    private static int weekday(String name) {
        String lower = name.toLowerCase(Locale.ROOT);
        List<String> whole = List.of("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday");
        for (int day = 0; day < whole.size(); day++) {
            if (lower.equals(whole.get(day)) || lower.equals(whole.get(day).substring(0, 3))) {
                return day;
            }
        }
        throw new IllegalArgumentException("has an unknown weekday: " + name);
    }

    private static String day(String separator, String text) {
        if (separator.equals("-")) {
            return field(text, 1);
        }
        if (!text.matches("0?[1-9]|[12]\\d|3[01]")) {
            throw new IllegalArgumentException(
                    "counts several days from the end of the month, which no schedule can say");
        }
        int fromEnd = Integer.parseInt(text);
        return fromEnd == 1 ? "L" : "L-" + (fromEnd - 1);
    }

    /** @param first the least value of the field: a step over all values counts from there */
    private static String field(String text, int first) {
        List<String> parts = new ArrayList<>();
        for (String one : text.split(",", -1)) {
            Matcher part = PART.matcher(one);
            if (!part.matches()) {
                throw new IllegalArgumentException("has a part that is not understood: " + text);
            }
            String[] ends = part.group(1).split("\\.\\.");
            List<String> plain = new ArrayList<>();
            for (String end : ends) {
                plain.add(end.equals("*") ? end : Integer.toString(Integer.parseInt(end)));
            }
            String range = String.join("-", plain);
            if (part.group(2) != null) {
                int step = Integer.parseInt(part.group(2));
                if (step < 1) {
                    throw new IllegalArgumentException("has a step of 0");
                }
                range = (range.equals("*") ? Integer.toString(first) : range) + "/" + step;
            }
            parts.add(range);
        }
        return String.join(",", parts);
    }
}
