package io.twinbell.ops.jmx;

/** The action queue of this node, read from memory. */
@Described("The queue of actions (add, update, remove, clear, start) that wait for the trigger thread.")
public interface ActionQueueView {
    @Described("Actions that wait now")
    long getDepth();

    @Described("Actions that the queue can hold")
    long getCapacity();
}
