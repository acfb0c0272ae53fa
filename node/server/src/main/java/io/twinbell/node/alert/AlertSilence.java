package io.twinbell.node.alert;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import java.util.List;

/**
 * The times at which an alert does not call.
 *
 * @param times its own calendar: the alert is silent at times that it excludes; null for none
 * @param calendars names of shared calendars with the same effect
 * @param keeps whether events during a silence are reported when it ends
 */
public record AlertSilence(BusinessCalendar times, List<String> calendars, boolean keeps) {
    static final AlertSilence NEVER = new AlertSilence(null, List.of(), true);

    /** A calendar that cannot be read does not silence the alert. */
    boolean isAt(long millis, Calendars known) {
        return times != null && !times.allows(millis)
                || calendars.stream().anyMatch(name -> isSilencedBy(name, millis, known));
    }

    private static boolean isSilencedBy(String name, long millis, Calendars known) {
        try {
            BusinessCalendar calendar = known.find(name);
            return calendar != null && !calendar.allows(millis);
        } catch (ScheduleException e) {
            return false;
        }
    }
}
