package io.twinbell.node.engine.trigger;

import java.util.function.IntSupplier;

/**
 * Whether many runs share an instant that has just come, or is about to. The trigger says what it does, any thread may ask.
 */
public final class Burst {
    /** So many runs of one instant are a crowd. */
    public static final int MANY = 100;

    private final IntSupplier queued;
    private volatile Stage stage = Stage.BACKLOG;

    /** What the trigger is at. */
    public enum Stage {
        /** A crowd is being handed over, or has been; its instant is to come within milliseconds. */
        READY,
        /** More has just come due than is started in a pass. */
        STARTING,
        /** What was started last had just come due. */
        STARTED,
        /** It was late. */
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

    /** Any thread. */
    public boolean isHere() {
        return switch (stage) {
            case READY, STARTING -> true;
            case STARTED -> queued.getAsInt() >= MANY;
            case BACKLOG -> false;
        };
    }
}
