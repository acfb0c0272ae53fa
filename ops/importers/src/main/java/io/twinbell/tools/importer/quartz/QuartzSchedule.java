package io.twinbell.tools.importer.quartz;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.importer.ImportedTimes;
import io.twinbell.tools.importer.SourceRow;
import io.twinbell.tools.importer.quartz.QuartzContent.QuartzTrigger;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;

/** Translates a trigger's timing into the members of a task: schedule, start, maxRuns. */
final class QuartzSchedule {
    private static final int MOST_REGULAR_DAY = 28;
    /** Of recurrence rules, by Quartz's unit. */
    private static final Map<String, String> FREQUENCIES =
            Map.of("DAY", "DAILY", "WEEK", "WEEKLY", "MONTH", "MONTHLY", "YEAR", "YEARLY");

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
        JsonNode schedule = task.path("schedule");
        if (!ImportedTimes.touched(schedule, false).isEmpty()) {
            notes.add("a time that the clock repeats fires "
                    + (ImportedTimes.hours(schedule).matches("[*/].*") ? "twice" : "at its first occurrence")
                    + " here, and in Quartz at its second occurrence");
        }
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
        boolean keepsHour = trigger.kind().is("BOOL_PROP_1");
        LocalDateTime base = LocalDateTime.ofInstant(Instant.ofEpochMilli(next), zone);
        if (keepsHour) {
            // The clock may have moved just this fire time.
            LocalTime time = Instant.ofEpochMilli(trigger.triggerState().startMillis())
                    .atZone(zone)
                    .toLocalTime();
            base = base.toLocalDate().atTime(time);
        }
        if (base.getDayOfMonth() > MOST_REGULAR_DAY && (unit.equals("MONTH") || unit.equals("YEAR"))) {
            return "fires every " + count + " " + unit + " on day " + base.getDayOfMonth()
                    + ", and Quartz moves it to an earlier day for ever after a month without that day";
        }
        ObjectNode schedule = task.putObject("schedule")
                .put("rrule", rule(unit, count))
                .put("dtstart", base.truncatedTo(ChronoUnit.SECONDS).toString());
        schedule.put("zone", zone.getId());
        if (keepsHour && trigger.kind().is("BOOL_PROP_2")) {
            schedule.put("dstGap", "SKIP");
        } else if (!ImportedTimes.touched(List.of(base.toLocalTime()), zone.getId(), true)
                .isEmpty()) {
            notes.add("at a time that the clock jumps over it fires at the end of the gap; Quartz fires "
                    + (keepsHour ? "later by the length of the gap" : "before it, and keeps that time on later days"));
        }
        if (base.getNano() != 0) {
            notes.add("its fire times have no milliseconds here");
        }
        return null;
    }

    private static String rule(String unit, long count) {
        if (count < 1) {
            throw new IllegalArgumentException("has the interval " + count);
        }
        String frequency = FREQUENCIES.get(unit);
        if (frequency == null) {
            throw new IllegalArgumentException("has the unknown unit " + unit);
        }
        return "FREQ=" + frequency + (count == 1 ? "" : ";INTERVAL=" + count);
    }

    static String instant(long millis) {
        return ImportedTimes.text("its time", millis);
    }
}
