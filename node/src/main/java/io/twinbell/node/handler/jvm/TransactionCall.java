package io.twinbell.node.handler.jvm;

import io.twinbell.handler.TransactionContext;
import io.twinbell.handler.TransactionalHandler;
import io.twinbell.node.handler.call.CallContext;
import io.twinbell.node.handler.call.HandlerCall;
import io.twinbell.persistence.ledger.transaction.TransactionWork;
import java.sql.Connection;
import java.util.concurrent.CompletionStage;

/** A call as a transactional handler sees it, with its database connection. */
final class TransactionCall extends CallContext implements TransactionContext {
    private final Connection connection;

    private TransactionCall(HandlerCall call, Connection connection) {
        super(call);
        this.connection = connection;
    }

    /** Returns the handler's call as work for a transaction. */
    static TransactionWork work(HandlerCall call, TransactionalHandler handler) {
        return connection -> output(JavaRunner.run(handler, new TransactionCall(call, connection)));
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
        return connection;
    }
}
