package io.twinbell.node.pair;

import io.twinbell.handler.ScopedInterceptor;
import io.twinbell.handler.TaskHandler;
import io.twinbell.schedule.ScheduleType;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The code that the embedding program has registered with a node.
 *
 * @param handlers of type {@code java}, by key
 * @param interceptors in their order
 * @param scheduleTypes schedules of its own
 */
public record RegisteredCode(
        Map<String, TaskHandler> handlers, List<ScopedInterceptor> interceptors, List<ScheduleType> scheduleTypes) {
    public static final RegisteredCode NONE = new RegisteredCode(Map.of(), List.of(), List.of());

    /** The program's interceptors, then the others. */
    List<ScopedInterceptor> interceptorsBefore(List<ScopedInterceptor> others) {
        List<ScopedInterceptor> all = new ArrayList<>(interceptors);
        all.addAll(others);
        return all;
    }
}
