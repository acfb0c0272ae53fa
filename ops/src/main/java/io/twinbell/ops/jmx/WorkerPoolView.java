package io.twinbell.ops.jmx;

/** The worker pool of this node, read from memory. */
@Described("The threads that run handlers; one is reserved for system tasks.")
public interface WorkerPoolView {
    @Described("Threads in the pool")
    long getSize();

    @Described("Threads that run a handler now")
    long getActive();

    @Described("Claimed executions that wait for a thread")
    long getQueued();
}
