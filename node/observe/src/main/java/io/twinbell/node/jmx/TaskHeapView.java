package io.twinbell.node.jmx;

/** MBean interface of this node's task heap. Getters answer from memory. */
@Described("The heap of next fire times that the trigger thread owns: a cache of the task table, empty on a standby.")
public interface TaskHeapView {
    @Described(value = "Entries in the heap, including system tasks", units = "entries")
    long getSize();

    @Described(
            value = "Age of the oldest slot that is due but not started, or ended but not recorded, in"
                    + " milliseconds; 0 if none",
            units = "ms")
    long getHeadLagMillis();

    @Described(
            value = "Duration of the last rebuild of the task heap, in milliseconds; -1 before the first",
            units = "ms")
    long getLastRebuildMillis();
}
