package io.twinbell.tools.drill;

import io.twinbell.tools.client.CommandClock;
import io.twinbell.tools.client.NodeException;
import java.io.IOException;
import java.time.Duration;

/** Polls until a condition holds, with a time limit. */
public final class ConditionPoll {
    /** Far above the time of any step on a usable machine. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    private final CommandClock clock = new CommandClock();

    /** Returns whether the condition holds. */
    @FunctionalInterface
    public interface Event {
        boolean hasHappened() throws NodeException, IOException;
    }

    public long wallMicros() {
        return clock.wallMicros();
    }

    /** Polls until the event has happened. A node that does not answer counts as "not yet". */
    public void until(String what, Duration between, Event event) throws DrillException {
        long start = clock.nanos();
        while (!happened(event)) {
            if (clock.since(start).compareTo(LIMIT) > 0) {
                throw new DrillException.Failed("not reached within " + LIMIT.toSeconds() + " s: " + what);
            }
            sleep(between);
        }
    }

    public void sleep(Duration time) throws DrillException.Interrupted {
        clock.sleep(time);
        if (Thread.currentThread().isInterrupted()) {
            throw new DrillException.Interrupted();
        }
    }

    public void sleepUntil(long wallMicros) throws DrillException.Interrupted {
        for (long left = wallMicros - wallMicros(); left > 0; left = wallMicros - wallMicros()) {
            sleep(Duration.ofNanos(Math.max(1_000_000, left * 1000)));
        }
    }

    private static boolean happened(Event event) {
        try {
            return event.hasHappened();
        } catch (NodeException | IOException notAnswering) {
            return false;
        }
    }
}
