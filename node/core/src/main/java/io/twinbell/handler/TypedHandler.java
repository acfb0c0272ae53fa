package io.twinbell.handler;

/**
 * Runs tasks with the handler type {@code java} and receives their data as an object of one type, the payload. See
 * {@link TaskHandler} for threads, interrupts and results.
 *
 * @param <T> the type of the payload
 */
@FunctionalInterface
public interface TypedHandler<T> {
    /**
     * Runs one attempt of one slot.
     *
     * @param payload null if the task has no data
     * @return the execution's output, stored as its {@code toString()}; may be null
     * @throws Exception if the attempt fails
     */
    Object run(T payload, TaskContext context) throws Exception;
}
