package io.twinbell.ops.jmx;

/** MBean interface of this node's task heap. Getters answer from memory. */
@Described("The heap of next fire times that the trigger thread owns: a cache of the task table, empty on a standby.")
public interface TaskHeapView {
    @Described(value = "Entries in the heap, system tasks included", units = "entries")
    long getSize();

    @Described(
            value =
                    "Age of the oldest slot that is due and not started, or ended and not recorded, in milliseconds; 0 for none",
            units = "ms")
    long getHeadLagMillis();

    @Described(
            value = "How long the last rebuild from the table took, in milliseconds; -1 before the first",
            units = "ms")
    long getLastRebuildMillis();
}
