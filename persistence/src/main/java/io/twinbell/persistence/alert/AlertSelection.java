package io.twinbell.persistence.alert;

import java.util.List;

/**
 * Which events are for an alert.
 *
 * @param events none for an alert that is off
 * @param tasks what the tasks must be that it is told of
 * @param calendars those that say when it is silent; they must exist
 */
public record AlertSelection(List<String> events, Tasks tasks, List<String> calendars) {
    /** Each may be null, for any. */
    public record Tasks(String app, String name, String tag, String owner) {}
}
