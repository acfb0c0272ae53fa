package io.twinbell.node.handler.jvm;

import io.twinbell.handler.TransactionContext;
import io.twinbell.handler.TransactionalHandler;
import io.twinbell.node.engine.handler.HandlerCall;
import io.twinbell.node.handler.call.CallContext;
import io.twinbell.node.handler.store.TransactionWork;
import io.twinbell.node.handler.store.WorkTransaction;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.CompletionStage;

/** A call as a transactional handler sees it, with its database connection. */
final class TransactionCall extends CallContext implements TransactionContext {
    private final WorkTransaction transaction;

    private TransactionCall(HandlerCall call, WorkTransaction transaction) {
        super(call);
        this.transaction = transaction;
    }

    /** Returns the handler's call as work for a transaction. */
    static TransactionWork work(HandlerCall call, TransactionalHandler handler) {
        return transaction -> output(JavaRunner.run(handler, new TransactionCall(call, transaction)));
    }

    /** Work that ends after the commit would not be part of the transaction. */
    private static String output(Object result) {
        if (result instanceof CompletionStage) {
            throw new IllegalStateException("a transactional handler must end its work before it returns:"
                    + " it must not return a CompletionStage");
        }
        return JavaRunner.output(result);
    }

    @Override
    public Connection connection() {
        return transaction.connection();
    }

    @Override
    public boolean commit(Object result) throws SQLException {
        return transaction.commit(output(result));
    }
}
