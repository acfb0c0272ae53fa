package io.twinbell.node.handler.store;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.CallableStatement;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Connection proxy for handler code: it runs statements, but can neither end the transaction nor close the connection.
 */
final class LentConnection implements InvocationHandler {
    private static final Set<String> REFUSED = Set.of(
            "commit",
            "abort",
            "setAutoCommit",
            "setReadOnly",
            "setTransactionIsolation",
            "unwrap",
            "beginRequest",
            "endRequest");

    private final Connection real;
    private final Object target;
    private final AtomicBoolean hasEnded;
    private Connection lent;

    private LentConnection(Connection real, Object target, AtomicBoolean hasEnded) {
        this.real = real;
        this.target = target;
        this.hasEnded = hasEnded;
    }

    static LentConnection of(Connection real) {
        LentConnection handler = new LentConnection(real, real, new AtomicBoolean());
        handler.lent = handler.proxy(Connection.class);
        return handler;
    }

    Connection connection() {
        return lent;
    }

    /** From now on it runs no statement: what the handler writes would begin another transaction. */
    void end() {
        hasEnded.set(true);
    }

    private <T> T proxy(Class<T> type) {
        return type.cast(Proxy.newProxyInstance(LentConnection.class.getClassLoader(), new Class<?>[] {type}, this));
    }

    @Override
    public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
        String name = method.getName();
        boolean isConnection = target == real;
        if (isConnection && (REFUSED.contains(name) || name.equals("rollback") && arguments == null)) {
            throw new SQLException(
                    name + " must not be called by the handler: Twinbell ends the transaction with the execution");
        }
        if (isConnection && name.equals("close")) {
            throw new SQLException("close must not be called by the handler: Twinbell closes the connection");
        }
        if (name.equals("getConnection") || name.equals("unwrap")) {
            return lent;
        }
        if (hasEnded.get() && method.getDeclaringClass() != Object.class && !name.equals("close")) {
            if (name.equals("isClosed")) {
                return true;
            }
            throw new SQLException(name + " must not be called after the transaction of the execution has ended");
        }
        try {
            return lent(method.invoke(target, arguments));
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    /** Wraps statements too, because a statement would return the real connection. */
    private Object lent(Object result) {
        Class<? extends Statement> type = result instanceof CallableStatement
                ? CallableStatement.class
                : result instanceof PreparedStatement ? PreparedStatement.class : Statement.class;
        if (!(result instanceof Statement)) {
            return result;
        }
        LentConnection handler = new LentConnection(real, result, hasEnded);
        handler.lent = lent;
        return handler.proxy(type);
    }
}
