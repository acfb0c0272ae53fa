package io.twinbell.node.schedule;

/** The calendars that there are, at one moment. */
@FunctionalInterface
public interface Calendars {
    /** There is none. */
    Calendars NONE = name -> null;

    /**
     * The calendar of that name, or null.
     *
     * @throws ScheduleException if there is one and it can't be read
     */
    BusinessCalendar find(String name);
}
