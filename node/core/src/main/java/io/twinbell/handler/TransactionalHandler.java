package io.twinbell.handler;

/**
 * Writes to the scheduler's own database in the transaction that completes its execution. The handler's changes and
 * the state SUCCEEDED are committed together, so each slot takes effect once, even if a node or the database fails.
 */
@FunctionalInterface
public interface TransactionalHandler extends TaskHandler {
    /**
     * Runs one attempt of one slot. An interrupt means "stop now"; everything is rolled back then.
     *
     * @return the execution's output, stored as its {@code toString()}; may be null
     * @throws Exception if the attempt fails; everything is rolled back, and it is recorded as FAILED with the stack
     *     trace
     */
    Object run(TransactionContext context) throws Exception;

    @Override
    default Object run(TaskContext context) throws Exception {
        return run((TransactionContext) context);
    }
}
