package io.twinbell.client;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;

/** When a task fires, as in the {@code schedule} of the HTTP API. Instances are immutable. */
public final class TaskSchedule {
    private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss", Locale.ROOT);

    private final ObjectNode json;

    private TaskSchedule(ObjectNode json) {
        this.json = json;
    }

    /** The dialect of a cron expression. */
    public enum CronSyntax {
        QUARTZ,
        UNIX,
        SPRING
    }

    /** What happens to a local time that a clock change skips. */
    public enum ClockGap {
        SHIFT,
        SKIP
    }

    /** How often a task fires at a local time that a clock change repeats. */
    public enum ClockOverlap {
        ONCE,
        TWICE
    }

    /** What an interval is counted from. */
    public enum IntervalMode {
        FIXED_RATE,
        FIXED_DELAY
    }

    /** When an interval fires for the first time. */
    public enum FirstTime {
        AT_START,
        AFTER_INTERVAL
    }

    /** What happens to a new task whose instant has passed. */
    public enum OverdueInstant {
        FIRE,
        REFUSE
    }

    /** Fires once, this long after the task is stored or after its start. Milliseconds are the smallest unit. */
    public static TaskSchedule in(Duration delay) {
        return new TaskSchedule(ClientJson.object()).with("in", delay);
    }

    /** Fires once, at this instant. */
    public static TaskSchedule at(Instant instant) {
        return new TaskSchedule(ClientJson.object()).with("at", instant);
    }

    /** Fires at this interval, 10 ms to ten years. */
    public static TaskSchedule every(Duration interval) {
        return new TaskSchedule(ClientJson.object()).with("every", interval);
    }

    /** Fires by a cron expression, in UTC unless {@link #zone} says otherwise. */
    public static TaskSchedule cron(String expression) {
        return new TaskSchedule(ClientJson.object()).with("cron", expression);
    }

    /** Fires by a recurrence rule of RFC 5545, which counts from a local time. */
    public static TaskSchedule rrule(String rule, LocalDateTime from) {
        return new TaskSchedule(ClientJson.object()).with("rrule", rule).with("dtstart", LOCAL.format(from));
    }

    /** For cron: its dialect. Default: determined by the number of fields. */
    public TaskSchedule dialect(CronSyntax dialect) {
        return with("dialect", dialect);
    }

    /** For cron and rrule. Default: UTC. */
    public TaskSchedule zone(ZoneId zone) {
        return with("zone", zone.getId());
    }

    /** For cron and rrule. Default: SHIFT. */
    public TaskSchedule dstGap(ClockGap gap) {
        return with("dstGap", gap);
    }

    /** For cron and rrule. Default: ONCE. */
    public TaskSchedule dstOverlap(ClockOverlap overlap) {
        return with("dstOverlap", overlap);
    }

    /** For rrule: further local times. */
    public TaskSchedule alsoAt(List<LocalDateTime> times) {
        return with("rdate", times.stream().map(LOCAL::format).toList());
    }

    /** For rrule: local times that do not fire. */
    public TaskSchedule exceptAt(List<LocalDateTime> times) {
        return with("exdate", times.stream().map(LOCAL::format).toList());
    }

    /** For every. Default: FIXED_RATE. */
    public TaskSchedule mode(IntervalMode mode) {
        return with("mode", mode);
    }

    /** For every: the first fire time is a multiple of this, counted in UTC. */
    public TaskSchedule align(Duration multiple) {
        return with("align", multiple);
    }

    /** For every. Default: AT_START. */
    public TaskSchedule first(FirstTime first) {
        return with("first", first);
    }

    /** For at. Default: FIRE. */
    public TaskSchedule past(OverdueInstant past) {
        return with("past", past);
    }

    /** Returns the schedule as JSON text. */
    @Override
    public String toString() {
        return json.toString();
    }

    ObjectNode json() {
        return json;
    }

    /** A delay as the instant that it leads to, so that a repeated request asks for the same slot. */
    TaskSchedule from(Instant now) {
        return json.has("in") ? at(now.plus(Duration.parse(json.get("in").textValue()))) : this;
    }

    private TaskSchedule with(String member, Object value) {
        return new TaskSchedule(ClientJson.with(json, member, value));
    }
}
