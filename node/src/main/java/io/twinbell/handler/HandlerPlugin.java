package io.twinbell.handler;

import io.twinbell.schedule.ScheduleType;
import java.util.List;
import java.util.Map;

/**
 * Supplies handlers from a plugin jar. A jar in the node's plugin directory names its implementation in
 * {@code META-INF/services/io.twinbell.handler.HandlerPlugin}. The node creates one instance, by the public
 * constructor without parameters. The jar sees this package,
 * {@code io.twinbell.schedule}, SLF4J and the JDK, but neither the node's libraries nor
 * other jars.
 */
public interface HandlerPlugin {
    /** Returns the handlers by the keys that tasks use to name them. */
    Map<String, TaskHandler> handlers();

    /** Returns the plugin's interceptors, in their order. They apply to all runs of the node, not only to its handlers. */
    default List<ScopedInterceptor> interceptors() {
        return List.of();
    }

    /** Returns the plugin's schedule types, which tasks on both nodes may use. Both nodes must have the plugin. */
    default List<ScheduleType> scheduleTypes() {
        return List.of();
    }
}
