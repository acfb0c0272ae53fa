package io.twinbell.handler;

/**
 * Code that writes to the scheduler's own database in the transaction that completes its execution: what it writes and
 * that it SUCCEEDED are committed together, so each slot takes effect once, whoever dies when.
 */
@FunctionalInterface
public interface TransactionalHandler extends TaskHandler {
    /**
     * Runs one attempt of one slot. An interrupt means "stop now"; everything is rolled back then.
     *
     * @return what is kept as the execution's output, by its {@code toString()}; may be null
     * @throws Exception whatever went wrong: all is rolled back, and the attempt is FAILED with its stack
     */
    Object run(TransactionContext context) throws Exception;

    @Override
    default Object run(TaskContext context) throws Exception {
        return run((TransactionContext) context);
    }
}
