package io.twinbell.node.schedule;

import io.twinbell.node.schedule.text.ScheduleException;

/** The existing calendars at one moment, by name. */
@FunctionalInterface
public interface Calendars {
    /** No calendars. */
    Calendars NONE = name -> null;

    /**
     * Returns the calendar of that name, or null.
     *
     * @throws ScheduleException if the calendar exists and cannot be read
     */
    BusinessCalendar find(String name);
}
