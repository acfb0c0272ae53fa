package io.twinbell.handler;

/** Runs tasks with the handler type {@code java}. A worker thread calls it; an interrupt means "stop now". */
@FunctionalInterface
public interface TaskHandler {
    /**
     * Runs one attempt of one slot.
     *
     * @return the execution's output, stored as its {@code toString()}; may be null
     * @throws Exception if the attempt fails; it is recorded as FAILED with the stack trace
     */
    Object run(TaskContext context) throws Exception;
}
