package io.twinbell.ops.jmx;

/** The worker pool of this node, read from memory. */
@Described("The threads that run handlers; one is reserved for system tasks.")
public interface WorkerPoolView {
    @Described(value = "Threads in the pool", units = "threads")
    long getSize();

    @Described(value = "Threads that run a handler now", units = "threads")
    long getActive();

    @Described(value = "Claimed executions that wait for a thread", units = "executions")
    long getQueued();
}
