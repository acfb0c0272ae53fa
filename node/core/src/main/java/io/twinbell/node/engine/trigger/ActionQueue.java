package io.twinbell.node.engine.trigger;

import io.twinbell.node.engine.step.EngineEvent;
import io.twinbell.node.loop.Signals;
import java.util.concurrent.ArrayBlockingQueue;

/**
 * Passes actions from any thread to the trigger. When it is full, the adding thread waits: no action may be lost, and
 * the trigger never waits for other threads.
 */
public final class ActionQueue {
    private final ArrayBlockingQueue<HeapAction> actions;
    private final int capacity;
    private final Signals<EngineEvent> signals;

    public ActionQueue(int capacity, Signals<EngineEvent> signals) {
        this.capacity = capacity;
        actions = new ArrayBlockingQueue<>(capacity);
        this.signals = signals;
    }

    public void add(HeapAction action) {
        boolean isInterrupted = false;
        while (true) {
            try {
                actions.put(action);
                break;
            } catch (InterruptedException e) {
                isInterrupted = true;
            }
        }
        signals.raise(EngineEvent.ACTION_ADDED);
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The next action, or null if there is none. */
    public HeapAction poll() {
        return actions.poll();
    }

    public int depth() {
        return actions.size();
    }

    public int capacity() {
        return capacity;
    }
}
