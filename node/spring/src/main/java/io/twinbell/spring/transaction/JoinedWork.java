package io.twinbell.spring.transaction;

import io.twinbell.handler.TransactionContext;

/** The code of a handler that runs in a joined transaction. */
@FunctionalInterface
public interface JoinedWork {
    /**
     * Does the work.
     *
     * @param context the context of the execution. Its {@code commit} throws: a commit there would leave out what an
     *     entity manager has not written yet
     * @return its text becomes the output; may be null
     * @throws Exception any failure; everything is rolled back then
     */
    Object with(TransactionContext context) throws Exception;
}
