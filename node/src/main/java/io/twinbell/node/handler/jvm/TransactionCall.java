package io.twinbell.node.handler.jvm;

import io.twinbell.handler.TransactionContext;
import io.twinbell.handler.TransactionalHandler;
import io.twinbell.node.handler.call.HandlerCall;
import io.twinbell.persistence.ledger.transaction.TransactionWork;
import java.sql.Connection;
import java.time.Instant;
import java.util.concurrent.CompletionStage;

/** Presents a call to a transactional handler as the public {@link TransactionContext}. */
record TransactionCall(HandlerCallContext context, Connection connection) implements TransactionContext {
    /** Returns the handler's call as work for a transaction. */
    static TransactionWork work(HandlerCall call, TransactionalHandler handler) {
        return connection ->
                output(JavaRunner.run(handler, new TransactionCall(new HandlerCallContext(call, null), connection)));
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
    public long taskId() {
        return context.taskId();
    }

    @Override
    public String app() {
        return context.app();
    }

    @Override
    public String name() {
        return context.name();
    }

    @Override
    public Instant fireTime() {
        return context.fireTime();
    }

    @Override
    public String idempotencyKey() {
        return context.idempotencyKey();
    }

    @Override
    public int attempt() {
        return context.attempt();
    }

    @Override
    public long epoch() {
        return context.epoch();
    }

    @Override
    public String data() {
        return context.data();
    }

    @Override
    public String attribute(String name) {
        return context.attribute(name);
    }

    @Override
    public void progress(double fraction, String message) {
        context.progress(fraction, message);
    }

    @Override
    public void log(String line) {
        context.log(line);
    }
}
