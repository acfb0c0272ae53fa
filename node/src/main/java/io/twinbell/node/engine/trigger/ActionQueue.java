package io.twinbell.node.engine.trigger;

import java.util.concurrent.ArrayBlockingQueue;

/**
 * What others want of the trigger. When it is full, whoever adds waits: nothing may be lost here, and the trigger never
 * waits for those who add.
 */
public final class ActionQueue {
    private final ArrayBlockingQueue<HeapAction> actions;
    private final int capacity;
    private volatile Runnable onAdd = () -> {};

    public ActionQueue(int capacity) {
        this.capacity = capacity;
        actions = new ArrayBlockingQueue<>(capacity);
    }

    /** Who is woken when there is something to do. */
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

    /** The next action, or null. */
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
