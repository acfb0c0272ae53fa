package io.twinbell.node.alert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.alert.store.AlertStore.AlertSelection;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.Fields;
import io.twinbell.node.schedule.zone.ZoneNames;
import java.time.DateTimeException;
import java.time.DayOfWeek;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What an alert expects of its tasks. Each member belongs to one event type, and is null if the alert is not set for it.
 *
 * @param tasks the tasks that are watched
 * @param noSuccessFor the longest time without a success
 * @param noSuccessBy the time of the day by which a task must have succeeded
 * @param runningFor the longest time that an execution runs
 * @param startedLaterThan the longest time from the fire time to the start
 * @param noPingFor the longest time without a ping
 */
record TaskExpectations(
        AlertSelection.TaskCondition tasks,
        Duration noSuccessFor,
        Deadline noSuccessBy,
        Duration runningFor,
        Duration startedLaterThan,
        Duration noPingFor) {
    private static final int DAYS_OF_A_WEEK = 7;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration WEEK = Duration.ofDays(7);
    private static final Duration YEAR = Duration.ofDays(366);
    private static final Duration HALF_A_DAY = Duration.ofHours(12);
    private static final int MAX_ZONE = 64;
    private static final int DAY_LETTERS = 3;
    private static final List<String> DAYS = Arrays.stream(DayOfWeek.values())
            .map(day -> day.name().substring(0, DAY_LETTERS))
            .toList();
    /** The member of {@code watch} that belongs to each event type. */
    private static final Map<AlertEventType, String> MEMBERS = new EnumMap<>(Map.of(
            AlertEventType.NO_SUCCESS, "noSuccessFor",
            AlertEventType.NO_SUCCESS_BY, "noSuccessBy",
            AlertEventType.RUNNING_LONG, "runningFor",
            AlertEventType.STARTED_LATE, "startedLaterThan",
            AlertEventType.NO_PING, "noPingFor"));

    /**
     * A time of the day on certain days.
     *
     * @param within a success counts if it is at most this long before the deadline
     */
    record Deadline(LocalTime time, ZoneId zone, Set<DayOfWeek> days, Duration within) {
        /** The latest deadline up to {@code nowMillis}, in milliseconds since 1970 UTC. */
        long latest(long nowMillis) {
            LocalDate today = Instant.ofEpochMilli(nowMillis).atZone(zone).toLocalDate();
            for (int back = 0; back <= DAYS_OF_A_WEEK; back++) {
                LocalDate day = today.minusDays(back);
                // A deadline inside a clock gap moves later by the length of the gap.
                long deadline = day.atTime(time).atZone(zone).toInstant().toEpochMilli();
                if (days.contains(day.getDayOfWeek()) && deadline <= nowMillis) {
                    return deadline;
                }
            }
            throw new IllegalStateException("a deadline needs a day of the week");
        }
    }

    /**
     * Parses the member {@code watch}.
     *
     * @param on the event types of the alert
     * @return null if the alert watches nothing
     */
    static TaskExpectations read(
            Fields alert, ObjectNode normalized, Set<AlertEventType> on, AlertSelection.TaskCondition tasks) {
        boolean isNeeded = MEMBERS.keySet().stream().anyMatch(on::contains);
        Fields given = alert.object("watch");
        if (given == null) {
            if (isNeeded && alert.json("watch") == null) {
                alert.error("watch", "is required: it says what " + needed(on) + " expects");
            }
            return null;
        }
        MEMBERS.forEach((event, member) -> check(given, on, event, member));
        ObjectNode written = normalized.putObject("watch");
        TaskExpectations watch = new TaskExpectations(
                tasks,
                duration(given, written, "noSuccessFor", YEAR),
                deadline(given.object("noSuccessBy"), written),
                duration(given, written, "runningFor", YEAR),
                duration(given, written, "startedLaterThan", WEEK),
                duration(given, written, "noPingFor", YEAR));
        given.refuseUnknown();
        return watch;
    }

    private static String needed(Set<AlertEventType> on) {
        return on.stream()
                .filter(MEMBERS::containsKey)
                .findFirst()
                .orElseThrow()
                .name();
    }

    private static void check(Fields watch, Set<AlertEventType> on, AlertEventType event, String member) {
        boolean isGiven = watch.json(member) != null;
        if (on.contains(event) && !isGiven) {
            watch.error(member, "is required, because \"on\" names " + event);
        } else if (isGiven && !on.contains(event)) {
            watch.error(member, "has no effect without " + event + " in \"on\"");
        }
    }

    private static Duration duration(Fields watch, ObjectNode written, String member, Duration max) {
        Duration given = watch.duration(member, SECOND, max);
        if (given != null) {
            written.put(member, given.toString());
        }
        return given;
    }

    private static TaskExpectations.Deadline deadline(Fields given, ObjectNode watch) {
        if (given == null) {
            return null;
        }
        ObjectNode written = watch.putObject("noSuccessBy");
        LocalTime time = time(given, written);
        ZoneId zone = zone(given, written);
        Set<DayOfWeek> days = days(given, written);
        Duration within = given.duration("within", SECOND, WEEK);
        Duration window = within == null ? HALF_A_DAY : within;
        written.put("within", window.toString());
        given.refuseUnknown();
        return new TaskExpectations.Deadline(time, zone, days, window);
    }

    private static LocalTime time(Fields given, ObjectNode written) {
        String text = given.requiredLine("time", "23:59:59".length());
        try {
            LocalTime time = text == null ? LocalTime.MIDNIGHT : LocalTime.parse(text);
            written.put("time", time.toString());
            return time;
        } catch (DateTimeException e) {
            given.error("time", "must be a time of the day such as 06:30");
            return LocalTime.MIDNIGHT;
        }
    }

    private static ZoneId zone(Fields given, ObjectNode written) {
        String text = given.line("zone", MAX_ZONE);
        try {
            ZoneId zone = text == null ? ZoneOffset.UTC : ZoneNames.find("/zone", text);
            written.put("zone", text == null ? "UTC" : text);
            return zone;
        } catch (ScheduleException e) {
            given.error("zone", e.getMessage());
            return ZoneOffset.UTC;
        }
    }

    private static Set<DayOfWeek> days(Fields given, ObjectNode written) {
        JsonNode list = given.json("days");
        if (list == null) {
            return EnumSet.allOf(DayOfWeek.class);
        }
        Set<DayOfWeek> days = EnumSet.noneOf(DayOfWeek.class);
        if (!list.isArray() || list.isEmpty()) {
            given.error("days", "must be a list of " + DAYS);
            return days;
        }
        for (int i = 0; i < list.size(); i++) {
            int day = DAYS.indexOf(list.get(i).asText());
            if (day < 0) {
                given.errorBelow("/days/" + i, "must be one of " + DAYS);
            } else {
                days.add(DayOfWeek.of(day + 1));
            }
        }
        ArrayNode names = written.putArray("days");
        days.forEach(day -> names.add(DAYS.get(day.getValue() - 1)));
        return days;
    }
}
