package io.twinbell.spring.transaction;

import io.twinbell.handler.TransactionContext;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;

/** The context of an execution as the application's method sees it, which must not commit. */
final class NoCommitContext implements InvocationHandler {
    private final TransactionContext context;

    private NoCommitContext(TransactionContext context) {
        this.context = context;
    }

    static TransactionContext of(TransactionContext context) {
        return (TransactionContext) Proxy.newProxyInstance(
                NoCommitContext.class.getClassLoader(),
                new Class<?>[] {TransactionContext.class},
                new NoCommitContext(context));
    }

    @Override
    public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
        if (method.getName().equals("commit")) {
            throw new UnsupportedOperationException("commit must not be called by a method with exactlyOnce: its"
                    + " transaction is committed after it has returned. To act after the commit, register a"
                    + " TransactionSynchronization, or publish an event for a @TransactionalEventListener");
        }
        try {
            return method.invoke(context, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
