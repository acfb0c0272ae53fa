package io.twinbell.node.handler.store;

/** Work of a handler in the transaction that also completes its execution. */
@FunctionalInterface
public interface TransactionWork {
    /**
     * Does the work.
     *
     * @return the execution's output, or null
     * @throws Exception any failure; everything is rolled back then, unless the work has committed before
     */
    String with(WorkTransaction transaction) throws Exception;
}
