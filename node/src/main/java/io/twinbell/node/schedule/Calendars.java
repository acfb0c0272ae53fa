package io.twinbell.node.schedule;

import io.twinbell.node.schedule.custom.ScheduleTypes;
import io.twinbell.node.schedule.text.ScheduleException;

/** What schedules refer to by name: the existing calendars at one moment, and the node's schedule types. */
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

    /** Returns the schedule types of one's own that this node has. */
    default ScheduleTypes scheduleTypes() {
        return ScheduleTypes.NONE;
    }

    /** Returns the calendars together with these schedule types. */
    default Calendars with(ScheduleTypes types) {
        Calendars calendars = this;
        return new Calendars() {
            @Override
            public BusinessCalendar find(String name) {
                return calendars.find(name);
            }

            @Override
            public ScheduleTypes scheduleTypes() {
                return types;
            }
        };
    }
}
