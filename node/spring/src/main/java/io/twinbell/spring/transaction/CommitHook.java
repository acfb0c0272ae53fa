package io.twinbell.spring.transaction;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Callable;

/**
 * The connection of an execution as an entity manager sees it. A commit of the entity manager is that of the execution, and
 * its rollback does nothing, because the node rolls back. Before the handler has returned, both are refused as they are on
 * the connection itself.
 */
final class CommitHook implements InvocationHandler {
    private final Connection lent;
    private Callable<Boolean> commit;
    private boolean isEnding;
    private Exception failure;

    CommitHook(Connection lent) {
        this.lent = lent;
    }

    Connection connection() {
        return (Connection)
                Proxy.newProxyInstance(CommitHook.class.getClassLoader(), new Class<?>[] {Connection.class}, this);
    }

    /** From now on the entity manager may commit, which calls this once. */
    void commitBy(Callable<Boolean> transaction) {
        commit = transaction;
        isEnding = true;
    }

    /** From now on the entity manager may roll back. */
    void end() {
        isEnding = true;
    }

    /** The exception of the execution's commit; null if there was none. */
    Exception failure() {
        return failure;
    }

    @Override
    public Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
        String name = method.getName();
        if (name.equals("commit") && commit != null) {
            commit();
            return null;
        }
        if (name.equals("rollback") && arguments == null && isEnding) {
            return null;
        }
        if (name.equals("setAutoCommit") && Boolean.FALSE.equals(arguments[0])) {
            // It is off already.
            return null;
        }
        try {
            return method.invoke(lent, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private void commit() throws SQLException {
        Callable<Boolean> transaction = commit;
        commit = null;
        try {
            transaction.call();
        } catch (Exception e) {
            failure = e;
            throw e instanceof SQLException known ? known : new SQLException(e.getMessage(), e);
        }
    }
}
