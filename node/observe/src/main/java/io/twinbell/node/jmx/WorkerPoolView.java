package io.twinbell.node.jmx;

/** MBean interface of this node's worker pool. Getters answer from memory. */
@Described("The threads that run handlers; one thread is reserved for system tasks.")
public interface WorkerPoolView {
    @Described(value = "Threads in the pool", units = "threads")
    long getSize();

    @Described(value = "Threads that are running a handler", units = "threads")
    long getActive();

    @Described(value = "Claimed executions that wait for a thread", units = "executions")
    long getQueued();
}
