package io.twinbell.node.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.Instants;
import io.twinbell.node.schedule.cron.CronExpression;
import io.twinbell.node.schedule.cron.CronReader;
import io.twinbell.node.schedule.cron.CronText;
import io.twinbell.node.schedule.cron.Dialect;
import io.twinbell.node.schedule.cron.IdentityHash;
import io.twinbell.node.schedule.recurrence.LocalTimeText;
import io.twinbell.node.schedule.recurrence.RecurrenceDefinition;
import io.twinbell.node.schedule.recurrence.RecurrenceRule;
import io.twinbell.node.schedule.text.Interval;
import io.twinbell.node.schedule.text.SafeQuote;
import io.twinbell.node.schedule.zone.DstGap;
import io.twinbell.node.schedule.zone.DstOverlap;
import io.twinbell.node.schedule.zone.ZoneNames;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** Parses the JSON form of schedules. */
public final class Schedules {
    /** Jitter is meant to spread load, not to move fires to another day. */
    public static final Duration MAX_JITTER = Duration.ofDays(1);

    /** Enough for a rule that names every day of the year. */
    private static final int MAX_RULE = 4_000;

    private static final int MAX_DATES = 1_000;

    private Schedules() {}

    /**
     * Parses one of {@code {"cron":…, "dialect", "zone", "dstGap", "dstOverlap"}}, {@code {"rrule":…, "dtstart",
     * "rdate", "exdate", "zone", "dstGap", "dstOverlap"}}, {@code {"every":…, "mode", "align", "first"}}, {@code
     * {"at":…, "past"}} and {@code {"in":…}}. Once the zone is loaded, this takes well under a millisecond.
     *
     * @param identity the task's {@code app/name}, which determines the value of {@code H} in a cron expression
     * @throws ScheduleException if the JSON is none of these, or if the schedule can never fire in the window
     */
    public static Schedule parse(JsonNode schedule, Window window, String identity) {
        ScheduleMembers members = ScheduleMembers.of(schedule);
        if (window.startMillis() < Window.EARLIEST || window.startMillis() > Window.LATEST) {
            throw new ScheduleException("", "a schedule must start between 1970 and 2199");
        }
        return switch (members.kind()) {
            case "cron" -> cron(members, window, identity);
            case "rrule" -> recurring(members, window);
            case "every" -> every(members, window);
            case "at" -> {
                members.choice("past", PastInstant.class, PastInstant.FIRE);
                yield once("/at", instant(members.text("at")), window);
            }
            default -> once("/in", window.startMillis() + Interval.delay("/in", members.text("in")), window);
        };
    }

    /**
     * Returns the schedule of {@code {"at":…}} in a window without an end: fires once, at an instant from 1970 to
     * 2199.
     */
    public static Schedule at(long millis) {
        return once("", millis, Window.from(Window.EARLIEST));
    }

    /**
     * Returns the schedule with each fire time delayed by up to {@code jitter}. The delay depends only on the identity
     * and the instant, so both nodes always compute the same one.
     *
     * @param schedule with its calendars, if there are any
     * @param window the window that it was parsed with
     */
    public static Schedule jittered(Schedule schedule, Duration jitter, Window window, String identity) {
        return new JitteredSchedule(schedule, jitter.toMillis(), window, new IdentityHash(identity).seed("jitter"));
    }

    /**
     * Parses the schedule as if it had no beginning: a cron expression from 1970 on, a rule from its first date, a grid
     * on both sides of the window's start. Schedules that count from the start or depend on runs have no fire times
     * before it.
     *
     * @throws ScheduleException if the JSON is not a schedule, or if it can never fire before the window's end
     */
    public static Schedule parseEverlasting(JsonNode schedule, Window window, String identity) {
        Window life = switch (ScheduleMembers.of(schedule).kind()) {
            case "cron", "rrule" -> new Window(Window.EARLIEST, window.endMillis());
            case "every" -> Window.from(window.startMillis());
            default -> window;
        };
        Schedule read = parse(schedule, life, identity);
        return read instanceof FixedRate rate ? rate.through(rate.window().startMillis(), window.endMillis()) : read;
    }

    /** Whether the JSON is a schedule in local time that names no zone. */
    public static boolean lacksZone(JsonNode schedule) {
        if (!schedule.isObject() || schedule.has("zone")) {
            return false;
        }
        if (schedule.path("cron").isTextual()) {
            try {
                CronText text = CronText.of(schedule.get("cron").textValue());
                return text.zone() == null && text.every() == null;
            } catch (ScheduleException e) {
                // Parsing the schedule reports the error.
                return false;
            }
        }
        return schedule.has("rrule");
    }

    private static Schedule cron(ScheduleMembers members, Window window, String identity) {
        CronText text = CronText.of(members.text("cron"));
        ZoneId zone = zone(members, text);
        Dialect dialect = members.choice("dialect", Dialect.class, null);
        DstGap gap = members.choice("dstGap", DstGap.class, DstGap.SHIFT);
        DstOverlap overlap = members.choice("dstOverlap", DstOverlap.class, DstOverlap.ONCE);
        if (text.every() != null) {
            return firing("/cron", new FixedRate(Interval.period("/cron", text.every()), window), window);
        }
        CronExpression expression = CronReader.read(text, dialect, new IdentityHash(identity));
        return firing("/cron", PatternSchedule.of(expression, zone, gap, overlap, window), window);
    }

    private static ZoneId zone(ScheduleMembers members, CronText text) {
        ZoneId prefixed = text.zone() == null ? null : ZoneNames.find("/cron", text.zone());
        if (!members.has("zone")) {
            return prefixed == null ? ZoneOffset.UTC : prefixed;
        }
        ZoneId named = ZoneNames.find("/zone", members.text("zone"));
        if (prefixed != null && !prefixed.getRules().equals(named.getRules())) {
            throw new ScheduleException(
                    "/zone",
                    "the zone is given twice, as " + named + " here and as " + prefixed + " in the expression");
        }
        return named;
    }

    private static Schedule every(ScheduleMembers members, Window window) {
        long every = Interval.period("/every", members.text("every"));
        Window grid = new Window(firstMillis(members, every, window.startMillis()), window.endMillis());
        return switch (members.choice("mode", Mode.class, Mode.FIXED_RATE)) {
            case FIXED_RATE -> firing("/every", new FixedRate(every, grid), window);
            case FIXED_DELAY -> firing("/every", new FixedDelay(every, grid), window);
        };
    }

    /**
     * Returns the first fire time. It depends only on the definition and its stored start, so a restart or a failover
     * does not move it. Multiples are counted from 1970-01-01T00:00Z in UTC, because an interval has the same length
     * across clock changes.
     */
    private static long firstMillis(ScheduleMembers members, long everyMillis, long startMillis) {
        First first = members.choice("first", First.class, First.AT_START);
        long earliest = first == First.AFTER_INTERVAL ? startMillis + everyMillis : startMillis;
        if (!members.has("align")) {
            return earliest;
        }
        long align = Interval.period("/align", members.text("align"));
        return -Math.floorDiv(-earliest, align) * align;
    }

    private static long instant(String text) {
        try {
            return Instants.millis(text);
        } catch (IllegalArgumentException e) {
            throw new ScheduleException("/at", SafeQuote.of(text) + " " + e.getMessage());
        }
    }

    private static Schedule once(String pointer, long atMillis, Window window) {
        if (atMillis < Window.EARLIEST || atMillis > Window.LATEST) {
            throw new ScheduleException(pointer, "the schedule never fires: only 1970 to 2199 are allowed");
        }
        if (atMillis > window.endMillis()) {
            throw new ScheduleException(
                    pointer,
                    "the schedule never fires: " + Instant.ofEpochMilli(atMillis) + " is after its end, "
                            + Instant.ofEpochMilli(window.endMillis()));
        }
        return new OneShot(atMillis);
    }

    /** @throws ScheduleException if the schedule never fires in the window */
    static Schedule firing(String pointer, Schedule schedule, Window window) {
        if (schedule.next(window.startMillis() - 1) == Schedule.NEVER) {
            String end = window.isOpen()
                    ? "the year 2199"
                    : Instant.ofEpochMilli(window.endMillis()).toString();
            throw new ScheduleException(
                    pointer,
                    "the schedule never fires between its start, " + Instant.ofEpochMilli(window.startMillis())
                            + ", and " + end);
        }
        return schedule;
    }

    private enum Mode {
        FIXED_RATE,
        FIXED_DELAY
    }

    private enum First {
        AT_START,
        AFTER_INTERVAL
    }

    /** @throws ScheduleException naming the member that is invalid */
    private static Schedule recurring(ScheduleMembers members, Window window) {
        RecurrenceRule rule = rule(members.text("rrule"));
        if (!members.has("dtstart")) {
            throw new ScheduleException(
                    "/dtstart",
                    "dtstart is required: a rule counts from a first date and time, such as 2026-01-05T09:00");
        }
        LocalTimeText start = LocalTimeText.read("/dtstart", members.text("dtstart"));
        RecurrenceDefinition recurrence =
                new RecurrenceDefinition(rule, start, times(members, "rdate"), times(members, "exdate"));
        ZoneId zone = members.has("zone") ? ZoneNames.find("/zone", members.text("zone")) : ZoneOffset.UTC;
        DstGap gap = members.choice("dstGap", DstGap.class, DstGap.SHIFT);
        DstOverlap overlap = members.choice("dstOverlap", DstOverlap.class, DstOverlap.ONCE);
        return firing("/rrule", PatternSchedule.of(recurrence, zone, gap, overlap, window), window);
    }

    private static RecurrenceRule rule(String text) {
        if (text.length() > MAX_RULE) {
            throw new ScheduleException("/rrule", "the rule has more than " + MAX_RULE + " characters");
        }
        if (text.regionMatches(true, 0, "RRULE:", 0, "RRULE:".length())) {
            throw new ScheduleException("/rrule", "write the rule without RRULE: in front");
        }
        try {
            return new RecurrenceRule(text);
        } catch (ScheduleException e) {
            throw new ScheduleException("/rrule", e.getMessage());
        }
    }

    private static List<LocalTimeText> times(ScheduleMembers members, String name) {
        List<LocalTimeText> times = new ArrayList<>();
        for (String text : members.texts(name, MAX_DATES)) {
            times.add(LocalTimeText.read("/" + name + "/" + times.size(), text));
        }
        return times;
    }
}
