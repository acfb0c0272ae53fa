package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.time.zone.ZoneOffsetTransition;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Times of other schedulers: instants as a task may have them, from 1970 to 2199 in whole milliseconds, and the times of
 * the day that clock changes touch.
 */
public final class ImportedTimes {
    private static final Instant END = Instant.parse("2200-01-01T00:00:00Z");
    /** Clock changes before this instant are over. */
    private static final Instant FIRST_CHANGE = Instant.parse("2026-01-01T00:00:00Z");
    /** Ten years of two clock changes. */
    private static final int MOST_CHANGES = 20;

    private static final int HOURS = 24;
    private static final int MINUTES = 60;
    private static final Pattern PART = Pattern.compile("([*?]|\\d{0,2})(?:-(\\d{1,2}))?(?:/(\\d{1,2}))?");

    private ImportedTimes() {}

    /**
     * The instant in the form of the API. A fraction of a millisecond is rounded up, so that nothing fires early.
     *
     * @param what the field, for the message and the note
     * @param notes receives a note if the instant is rounded
     * @throws IllegalArgumentException if no task may have this instant
     */
    public static String text(String what, Instant instant, List<String> notes) {
        if (instant.isBefore(Instant.EPOCH) || !instant.isBefore(END)) {
            throw new IllegalArgumentException(what + " " + instant + " is not between 1970 and 2199");
        }
        Instant whole = instant.truncatedTo(ChronoUnit.MILLIS);
        if (!whole.equals(instant)) {
            whole = whole.plusMillis(1);
            notes.add(what + " " + instant + " is rounded up to the millisecond");
        }
        return whole.toString();
    }

    /** The hour field of a cron schedule; empty for another schedule. */
    public static String hours(JsonNode schedule) {
        return field(schedule, 1);
    }

    /** The minute field of a cron schedule; empty for another schedule. */
    static String minutes(JsonNode schedule) {
        return field(schedule, 0);
    }

    private static String field(JsonNode schedule, int index) {
        String cron = schedule.path("cron").asText().strip();
        if (cron.startsWith("@")) {
            return index == 1 && cron.equals("@hourly") ? "*" : "0";
        }
        String[] fields = cron.split("\\s+");
        return fields.length < 5 ? "" : fields[fields.length == 5 ? index : index + 1];
    }

    /**
     * The times of the day of a cron schedule that a clock change of its zone touches, as distances from the beginning of
     * the gap or of the repeated span. Of several such changes, the one that touches the most times counts.
     */
    public static List<Duration> touched(JsonNode schedule, boolean isGap) {
        BitSet hours = numbers(hours(schedule), HOURS);
        BitSet minutes = numbers(minutes(schedule), MINUTES);
        List<LocalTime> times = new ArrayList<>();
        hours.stream().forEach(hour -> minutes.stream().forEach(minute -> times.add(LocalTime.of(hour, minute))));
        return touched(times, schedule.path("zone").asText("UTC"), isGap);
    }

    /** As {@link #touched(JsonNode, boolean)}, for the given times of a zone. */
    public static List<Duration> touched(List<LocalTime> times, String zone, boolean isGap) {
        List<Duration> most = List.of();
        try {
            ZoneOffsetTransition change = ZoneId.of(zone).getRules().nextTransition(FIRST_CHANGE);
            for (int i = 0; i < MOST_CHANGES && change != null; i++) {
                LocalTime start =
                        (change.isGap() ? change.getDateTimeBefore() : change.getDateTimeAfter()).toLocalTime();
                Duration length = change.getDuration().abs();
                List<Duration> found = change.isGap() != isGap
                        ? List.of()
                        : times.stream()
                                .map(time -> Duration.ofNanos(Math.floorMod(
                                        time.toNanoOfDay() - start.toNanoOfDay(),
                                        Duration.ofDays(1).toNanos())))
                                .filter(since -> since.compareTo(length) < 0)
                                .sorted()
                                .toList();
                most = found.size() > most.size() ? found : most;
                change = ZoneId.of(zone).getRules().nextTransition(change.getInstant());
            }
        } catch (DateTimeException e) {
            // The pair refuses the zone by name.
            return List.of();
        }
        return most;
    }

    /** Empty if the field has something else than numbers, ranges, steps and stars. */
    private static BitSet numbers(String field, int limit) {
        BitSet numbers = new BitSet();
        for (String part : field.split(",", -1)) {
            Matcher matcher = PART.matcher(part);
            if (part.isEmpty() || !matcher.matches()) {
                return new BitSet();
            }
            boolean isOpen = !matcher.group(1).matches("\\d+");
            int from = isOpen ? 0 : Integer.parseInt(matcher.group(1));
            int to = matcher.group(2) != null
                    ? Integer.parseInt(matcher.group(2))
                    : isOpen || matcher.group(3) != null ? limit - 1 : from;
            int step = matcher.group(3) == null ? 1 : Math.max(1, Integer.parseInt(matcher.group(3)));
            for (int number = from; number <= to && number < limit; number += step) {
                numbers.set(number);
            }
        }
        return numbers;
    }

    /** @param millis since 1970 UTC */
    public static String text(String what, long millis) {
        return text(what, Instant.ofEpochMilli(millis), List.of());
    }
}
