package io.twinbell.tools.devpair;

import java.util.ArrayDeque;
import java.util.Deque;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stops what has been started, in exactly the reverse order. */
final class StopInReverse implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(StopInReverse.class);

    private final Deque<AutoCloseable> started = new ArrayDeque<>();

    synchronized <T extends AutoCloseable> T add(T part) {
        started.push(part);
        return part;
    }

    /** Stops everything, even if some part fails to stop, because the others must not outlive it. */
    @Override
    public synchronized void close() {
        while (!started.isEmpty()) {
            AutoCloseable part = started.pop();
            try {
                part.close();
            } catch (Exception e) {
                LOG.error("Cannot stop {}", part, e);
            }
        }
    }
}
