package io.twinbell.node.engine.step;

import java.time.Duration;
import java.util.concurrent.Future;

/** Schedules delayed actions: timeouts of handlers, and starts that have to wait. */
public interface Deadlines extends AutoCloseable {
    Future<?> after(Duration delay, Runnable action);

    /** Drops all actions that are still scheduled. */
    @Override
    void close();
}
