package io.twinbell.handler;

/** Code that a task of handler type {@code java} runs. Called on a worker thread; an interrupt means "stop now". */
@FunctionalInterface
public interface TaskHandler {
    /**
     * Runs one attempt of one slot.
     *
     * @return what is kept as the execution's output, by its {@code toString()}; may be null
     * @throws Exception whatever went wrong: the attempt is FAILED with its stack
     */
    Object run(TaskContext context) throws Exception;
}
