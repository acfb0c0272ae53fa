package io.twinbell.node.loop;

import java.util.Arrays;

/**
 * Passes on events from the parts that raise them to the threads that wait for them. It is made before all parts, which
 * get it in their constructors, and connected before any thread starts. An event without connections has no effect.
 *
 * @param <E> the events
 */
public final class Signals<E extends Enum<E>> {
    private static final Runnable NOTHING = () -> {};

    /** By ordinal. Written before threads start, so each of them sees what is connected. */
    private final Runnable[] wakes;

    public Signals(Class<E> events) {
        wakes = new Runnable[events.getEnumConstants().length];
        Arrays.fill(wakes, NOTHING);
    }

    /**
     * Connects the event to what it wakes, in this order.
     *
     * @param woken called on the thread that raises the event, so each must return at once
     */
    public Signals<E> on(E event, Runnable... woken) {
        for (Runnable wake : woken) {
            Runnable earlier = wakes[event.ordinal()];
            wakes[event.ordinal()] = earlier == NOTHING ? wake : both(earlier, wake);
        }
        return this;
    }

    private static Runnable both(Runnable first, Runnable second) {
        return () -> {
            first.run();
            second.run();
        };
    }

    /** Wakes what is connected to the event. Any thread. */
    public void raise(E event) {
        wakes[event.ordinal()].run();
    }
}
