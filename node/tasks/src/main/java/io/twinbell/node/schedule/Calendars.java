package io.twinbell.node.schedule;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.MemberDefaults;
import java.util.function.Function;

/**
 * Everything outside a definition that its meaning depends on: the calendars as of one moment, and the defaults of
 * apps.
 */
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

    /** Returns the defaults for tasks of this app. */
    default MemberDefaults taskDefaults(String app) {
        return MemberDefaults.NONE;
    }

    /** Returns the calendars together with these defaults by app. */
    default Calendars with(Function<String, MemberDefaults> defaults) {
        Calendars calendars = this;
        return new Calendars() {
            @Override
            public BusinessCalendar find(String name) {
                return calendars.find(name);
            }

            @Override
            public MemberDefaults taskDefaults(String app) {
                return defaults.apply(app);
            }
        };
    }
}
