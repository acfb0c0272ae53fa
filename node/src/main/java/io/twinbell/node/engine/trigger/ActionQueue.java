package io.twinbell.node.engine.trigger;

import java.util.concurrent.ArrayBlockingQueue;

/**
 * Passes actions from any thread to the trigger. When it is full, the adding thread waits: no action may be lost, and
 * the trigger never waits for other threads.
 */
public final class ActionQueue {
    private final ArrayBlockingQueue<HeapAction> actions;
    private final int capacity;
    private volatile Runnable onAdd = () -> {};

    public ActionQueue(int capacity) {
        this.capacity = capacity;
        actions = new ArrayBlockingQueue<>(capacity);
    }

    /** Sets the callback that wakes the trigger when an action was added. */
    public void wakes(Runnable reader) {
        onAdd = reader;
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
        onAdd.run();
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
