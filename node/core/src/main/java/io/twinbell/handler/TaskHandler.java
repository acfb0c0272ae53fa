package io.twinbell.handler;

/** Runs tasks with the handler type {@code java}. A worker thread calls it; an interrupt means "stop now". */
@FunctionalInterface
public interface TaskHandler {
    /**
     * Runs one attempt of one slot.
     *
     * <p>A handler that waits for something may return a {@link java.util.concurrent.CompletionStage}. It then occupies
     * no thread, and the attempt ends with the stage, whose result or exception counts like the handler's own. At the
     * timeout, at a cancel request and at the end of a drain, the attempt ends and the stage is cancelled as a future.
     *
     * @return the execution's output, stored as its {@code toString()}; may be null
     * @throws Exception if the attempt fails; it is recorded as FAILED with the stack trace
     */
    Object run(TaskContext context) throws Exception;
}
