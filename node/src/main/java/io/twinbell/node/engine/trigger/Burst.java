package io.twinbell.node.engine.trigger;

import java.util.function.IntSupplier;

/**
 * Tells whether a burst, many runs that share one instant, is about to start or is starting. The trigger sets the
 * stage; any thread may read it.
 */
public final class Burst {
    /** This many runs of one instant are a burst. */
    public static final int MANY = 100;

    private final IntSupplier queued;
    private volatile Stage stage = Stage.BACKLOG;

    /** The stages of a burst, as the trigger sees it. */
    public enum Stage {
        /** A burst is being handed to the workers, or has been; its instant comes within milliseconds. */
        READY,
        /** More runs have just become due than one pass starts. */
        STARTING,
        /** The last started runs had just become due. */
        STARTED,
        /** The last started runs were late. */
        BACKLOG
    }

    /** @param queued how many runs wait for a worker */
    public Burst(IntSupplier queued) {
        this.queued = queued;
    }

    public void is(Stage next) {
        if (stage != next) {
            stage = next;
        }
    }

    /** Whether a burst is about to start or is starting. Any thread. */
    public boolean isActive() {
        return switch (stage) {
            case READY, STARTING -> true;
            case STARTED -> queued.getAsInt() >= MANY;
            case BACKLOG -> false;
        };
    }
}
