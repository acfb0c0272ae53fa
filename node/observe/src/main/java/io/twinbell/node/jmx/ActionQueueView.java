package io.twinbell.node.jmx;

/** MBean interface of this node's action queue. Getters answer from memory. */
@Described("The queue of actions (add, update, remove, clear, start) that wait for the trigger thread.")
public interface ActionQueueView {
    @Described(value = "Actions that wait in the queue", units = "actions")
    long getDepth();

    @Described(value = "Actions that the queue can hold", units = "actions")
    long getCapacity();
}
