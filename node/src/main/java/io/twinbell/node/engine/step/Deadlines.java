package io.twinbell.node.engine.step;

import java.time.Duration;
import java.util.concurrent.Future;

/** Does something later: timeouts of handlers, and starts that have to wait. */
public interface Deadlines extends AutoCloseable {
    Future<?> after(Duration delay, Runnable action);

    /** Does nothing of what is still to come. */
    @Override
    void close();
}
