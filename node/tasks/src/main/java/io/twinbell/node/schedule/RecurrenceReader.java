package io.twinbell.node.schedule;

import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.recurrence.LocalTimeText;
import io.twinbell.node.schedule.recurrence.RecurrenceDefinition;
import io.twinbell.node.schedule.recurrence.RecurrenceRule;
import io.twinbell.node.schedule.zone.DstGap;
import io.twinbell.node.schedule.zone.DstOverlap;
import io.twinbell.node.schedule.zone.ZoneNames;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;

/** Reads a schedule by a recurrence rule. */
final class RecurrenceReader {
    /** Enough for a rule that names every day of the year. */
    private static final int MAX_RULE = 4_000;

    private static final int MAX_DATES = 1_000;

    private RecurrenceReader() {}

    /** @throws ScheduleException naming the member that is invalid */
    static Schedule read(ScheduleMembers members, Window window) {
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
        return Schedules.firing("/rrule", PatternSchedule.of(recurrence, zone, gap, overlap, window), window);
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
