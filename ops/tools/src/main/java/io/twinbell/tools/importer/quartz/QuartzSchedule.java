package io.twinbell.tools.importer.quartz;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.importer.ImportedTimes;
import io.twinbell.tools.importer.SourceRow;
import io.twinbell.tools.importer.quartz.QuartzContent.QuartzTrigger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.List;

/** Translates a trigger's timing into the members of a task: schedule, start, maxRuns. */
final class QuartzSchedule {
    private static final int MOST_REGULAR_DAY = 28;

    private final QuartzTrigger trigger;
    private final ZoneId otherwise;
    private final List<String> notes;

    /**
     * @param otherwise the zone of triggers that name none
     * @param notes receives a note for each difference from Quartz
     */
    QuartzSchedule(QuartzTrigger trigger, ZoneId otherwise, List<String> notes) {
        this.trigger = trigger;
        this.otherwise = otherwise;
        this.notes = notes;
    }

    /** Adds the timing to the task; returns why that is impossible, or null. */
    String into(ObjectNode task) {
        if (trigger.type() == null) {
            return "has no TRIGGER_TYPE";
        }
        try {
            return schedule(task);
        } catch (DateTimeException | ArithmeticException e) {
            return "has an invalid zone or time: " + e.getMessage();
        } catch (IllegalArgumentException e) {
            return e.getMessage();
        }
    }

    private String schedule(ObjectNode task) {
        if (trigger.kind().equals(SourceRow.NONE)) {
            return trigger.type().equals("BLOB")
                    ? "has a custom trigger class, which Quartz stores serialized"
                    : "has no row with its schedule (TRIGGER_TYPE " + trigger.type() + ")";
        }
        return switch (trigger.type()) {
            case "CRON" -> cron(task);
            case "SIMPLE" -> simple(task);
            case "CAL_INT" -> calendarInterval(task);
            default ->
                "fires at intervals within hours of the day (" + trigger.type()
                        + "): write it as one or more cron expressions";
        };
    }

    private String cron(ObjectNode task) {
        String zone = trigger.kind().text("TIME_ZONE_ID");
        task.putObject("schedule")
                .put("cron", trigger.kind().requiredText("CRON_EXPRESSION"))
                .put("dialect", "QUARTZ")
                .put("zone", zone == null ? otherwise.getId() : zone)
                // Quartz does not fire a time that the clock jumps over. The default fires right after the jump.
                .put("dstGap", "SKIP");
        return null;
    }

    private String simple(ObjectNode task) {
        long repeats = trigger.kind().number("REPEAT_COUNT");
        long interval = trigger.kind().number("REPEAT_INTERVAL");
        long triggered = trigger.kind().number("TIMES_TRIGGERED");
        long next = trigger.triggerState().nextMillis();
        if (next <= 0) {
            return "has fired for the last time";
        }
        if (repeats == 0) {
            task.putObject("schedule").put("at", instant(next));
            return null;
        }
        if (interval < 1) {
            return "repeats without an interval";
        }
        task.putObject("schedule").put("every", Duration.ofMillis(interval).toString());
        // Continues the intervals from the trigger's next fire time.
        task.put("start", instant(next));
        if (repeats > 0) {
            task.put("maxRuns", Math.max(1, Math.addExact(Math.subtractExact(repeats, triggered), 1)));
        }
        return null;
    }

    private String calendarInterval(ObjectNode task) {
        String unit = trigger.kind().requiredText("STR_PROP_1");
        long count = trigger.kind().number("INT_PROP_1");
        String named = trigger.kind().text("STR_PROP_2");
        ZoneId zone = named == null || named.isBlank() ? otherwise : ZoneId.of(named);
        Duration fixed = switch (unit) {
            case "MILLISECOND" -> Duration.ofMillis(count);
            case "SECOND" -> Duration.ofSeconds(count);
            case "MINUTE" -> Duration.ofMinutes(count);
            case "HOUR" -> Duration.ofHours(count);
            default -> null;
        };
        long next = trigger.triggerState().nextMillis();
        if (next <= 0) {
            return "has fired for the last time";
        }
        if (fixed != null) {
            task.putObject("schedule").put("every", fixed.toString());
            task.put("start", instant(next));
            return null;
        }
        ZonedDateTime start =
                Instant.ofEpochMilli(trigger.triggerState().startMillis()).atZone(zone);
        String cron = count == 1 ? cron(unit, start) : null;
        if (cron == null) {
            return "fires every " + count + " " + unit + ", which no cron expression can express";
        }
        notes.add("every " + unit + " from its start is written as a cron expression"
                + (start.getNano() == 0 ? "" : ", without the milliseconds of its start"));
        task.putObject("schedule").put("cron", cron).put("dialect", "QUARTZ").put("zone", zone.getId());
        return null;
    }

    /** Null if some month or year does not have this day. */
    private static String cron(String unit, ZonedDateTime start) {
        String time = start.getSecond() + " " + start.getMinute() + " " + start.getHour();
        boolean isRegular = start.getDayOfMonth() <= MOST_REGULAR_DAY;
        return switch (unit) {
            case "DAY" -> time + " * * ?";
            case "WEEK" -> time + " ? * " + start.getDayOfWeek().name().substring(0, 3);
            case "MONTH" -> isRegular ? time + " " + start.getDayOfMonth() + " * ?" : null;
            case "YEAR" -> isRegular ? time + " " + start.getDayOfMonth() + " " + start.getMonthValue() + " ?" : null;
            default -> null;
        };
    }

    static String instant(long millis) {
        return ImportedTimes.text("its time", millis);
    }
}
