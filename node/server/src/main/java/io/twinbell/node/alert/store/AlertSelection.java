package io.twinbell.node.alert.store;

import java.util.List;

/**
 * The events that an alert selects.
 *
 * @param events none for an alert that is off
 * @param errorCodes of the event FAILED, only these codes count; empty for all. One that ends with {@code *} stands for
 *     all codes with this beginning
 * @param tasks the condition on the tasks of the events
 * @param calendars the calendars that determine when the alert is silent; they must exist
 */
public record AlertSelection(
        List<String> events, List<String> errorCodes, TaskCondition tasks, List<String> calendars) {
    /** The condition on tasks; null means any. */
    public record TaskCondition(String app, String name, String tag, String owner) {}
}
