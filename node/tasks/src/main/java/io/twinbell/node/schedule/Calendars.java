package io.twinbell.node.schedule;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.MemberDefaults;
import io.twinbell.node.schedule.custom.ScheduleTypes;
import java.util.function.Function;

/**
 * Everything outside a definition that its meaning depends on: the calendars as of one moment, the node's schedule
 * types, and the defaults of apps.
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

    /** Returns the custom schedule types that this node has. */
    default ScheduleTypes scheduleTypes() {
        return ScheduleTypes.NONE;
    }

    /** Returns the defaults for tasks of this app. */
    default MemberDefaults taskDefaults(String app) {
        return MemberDefaults.NONE;
    }

    /** Returns the calendars together with these schedule types, and defaults by app. */
    default Calendars with(ScheduleTypes types, Function<String, MemberDefaults> defaults) {
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

            @Override
            public MemberDefaults taskDefaults(String app) {
                return defaults.apply(app);
            }
        };
    }
}
