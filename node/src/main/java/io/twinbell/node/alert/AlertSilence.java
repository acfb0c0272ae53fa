package io.twinbell.node.alert;

import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.ScheduleException;
import java.util.List;

/**
 * When an alert is not to call.
 *
 * @param times its own: it is silent when they let nothing through; null for none
 * @param calendars names of others that say the same
 * @param keeps whether what happens meanwhile is told when it ends
 */
public record AlertSilence(BusinessCalendar times, List<String> calendars, boolean keeps) {
    static final AlertSilence NEVER = new AlertSilence(null, List.of(), true);

    /** What can't be known is not taken for a silence. */
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
