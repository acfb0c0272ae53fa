package io.twinbell.node.handler.store;

import io.twinbell.persistence.database.SchemaName;
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
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The transaction that a {@link TransactionWork} runs in. It commits once: when the work asks for it, or after the work.
 * Only the thread of the work may use it.
 */
public final class WorkTransaction {
    private static final Logger LOG = LoggerFactory.getLogger(WorkTransaction.class);

    private final LentConnection lent;
    private final Ending ending;
    private boolean hasEnded;
    private boolean hasCommitted;
    private Exception failure;

    /** Ends a transaction. */
    @FunctionalInterface
    interface Ending {
        /** Returns whether it has committed; otherwise it has rolled everything back. */
        boolean commit(String output) throws SQLException;
    }

    private WorkTransaction(Connection open, Ending ending) {
        lent = LentConnection.of(SchemaName.original(open));
        this.ending = ending;
    }

    /**
     * Runs the work and commits.
     *
     * @throws Exception the exception of the work before the commit, or that of the commit
     */
    static void run(Connection open, TransactionWork work, Ending ending) throws Exception {
        WorkTransaction transaction = new WorkTransaction(open, ending);
        String output = null;
        try {
            output = work.with(transaction);
        } catch (Exception e) {
            if (!transaction.hasEnded) {
                throw e;
            }
            if (transaction.hasCommitted) {
                LOG.warn("a handler has failed after its commit, which changes nothing of its outcome", e);
            }
        }
        if (!transaction.hasEnded) {
            transaction.commit(output);
        }
        // The work may have caught it.
        if (transaction.failure != null) {
            throw transaction.failure;
        }
    }

    /** A connection that only its owner commits, rolls back and closes. After {@link #commit} it refuses each call. */
    public Connection connection() {
        return lent.connection();
    }

    /**
     * Commits now, in place of the commit after the work has returned. What the work returns or throws afterwards changes
     * nothing.
     *
     * @param output the execution's output, or null
     * @return false if everything was rolled back, because the execution has ended or belongs to another node
     * @throws SQLException if the commit fails. If it is the connection that fails, only the ledger knows whether the commit
     *     took effect
     * @throws IllegalStateException if it was called before
     */
    public boolean commit(String output) throws SQLException {
        if (hasEnded) {
            throw new IllegalStateException("the transaction of this execution has ended already");
        }
        hasEnded = true;
        lent.end();
        try {
            hasCommitted = ending.commit(output);
            return hasCommitted;
        } catch (SQLException | RuntimeException e) {
            failure = e;
            throw e;
        }
    }

    /**
     * Connection proxy for handler code: it runs statements, but can neither end the transaction nor close the connection.
     */
    private static final class LentConnection implements InvocationHandler {
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
            return type.cast(
                    Proxy.newProxyInstance(LentConnection.class.getClassLoader(), new Class<?>[] {type}, this));
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
}
