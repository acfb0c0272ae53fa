package io.twinbell.spring.transaction;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.PersistenceException;
import jakarta.persistence.RollbackException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.support.DataAccessUtils;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.orm.jpa.JpaDialect;
import org.springframework.transaction.CannotCreateTransactionException;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The entity manager of one run and one factory. A {@code JpaTransactionManager} finds its transaction on the thread. */
final class JoinedEntities implements JoinedResource {
    private static final Logger LOG = LoggerFactory.getLogger(JoinedTransactions.class);

    private final EntityManagerFactory factory;
    private final JpaDialect dialect;
    private final EntityManager entities;
    private final CommitHook connection;
    private final Object transactionData;
    private final ActiveHolder holder;

    private JoinedEntities(
            EntityManagerFactory factory,
            JpaDialect dialect,
            EntityManager entities,
            CommitHook connection,
            Object transactionData) {
        this.factory = factory;
        this.dialect = dialect;
        this.entities = entities;
        this.connection = connection;
        this.transactionData = transactionData;
        holder = new ActiveHolder(entities);
    }

    /**
     * Opens one, begins its transaction and binds it to the thread.
     *
     * @param factory the key of the thread's resource
     * @param onConnection opens an entity manager that uses a connection
     */
    static JoinedResource open(
            EntityManagerFactory factory,
            JpaDialect dialect,
            Function<Connection, EntityManager> onConnection,
            Connection connection) {
        CommitHook hook = new CommitHook(connection);
        EntityManager entities = onConnection.apply(hook.connection());
        try {
            Object data = dialect.beginTransaction(entities, new DefaultTransactionDefinition());
            JoinedEntities opened = new JoinedEntities(factory, dialect, entities, hook, data);
            TransactionSynchronizationManager.bindResource(factory, opened.holder);
            return opened;
        } catch (SQLException | PersistenceException e) {
            EntityManagerFactoryUtils.closeEntityManager(entities);
            throw new CannotCreateTransactionException(
                    "an entity manager cannot use the connection of an execution", e);
        }
    }

    @Override
    public boolean isRollbackOnly() {
        return entities.getTransaction().getRollbackOnly();
    }

    @Override
    public void commit(Callable<Boolean> transaction) throws Exception {
        connection.commitBy(transaction);
        try {
            entities.getTransaction().commit();
        } catch (RuntimeException e) {
            if (connection.failure() != null) {
                throw connection.failure();
            }
            throw translated(e);
        }
    }

    /** As a {@code JpaTransactionManager} does it. */
    private RuntimeException translated(RuntimeException e) {
        RuntimeException cause =
                e instanceof RollbackException && e.getCause() instanceof RuntimeException inner ? inner : e;
        return DataAccessUtils.translateIfNecessary(cause, dialect);
    }

    @Override
    public void release() {
        TransactionSynchronizationManager.unbindResourceIfPossible(factory);
        holder.clear();
        connection.end();
        try {
            if (entities.isOpen() && entities.getTransaction().isActive()) {
                entities.getTransaction().rollback();
            }
            dialect.cleanupTransaction(transactionData);
        } catch (RuntimeException e) {
            // The node has committed or rolls back, whatever happens here.
            LOG.warn("an entity manager did not end in order", e);
        } finally {
            EntityManagerFactoryUtils.closeEntityManager(entities);
        }
    }

    /** Says that its transaction is under way, which else only a {@code JpaTransactionManager} can. */
    private static final class ActiveHolder extends EntityManagerHolder {
        ActiveHolder(EntityManager entities) {
            super(entities);
            setTransactionActive(true);
            setSynchronizedWithTransaction(true);
        }
    }

    /**
     * The connection of an execution as an entity manager sees it. A commit of the entity manager is that of the execution, and
     * its rollback does nothing, because the node rolls back. Before the handler has returned, both are refused as they are on
     * the connection itself.
     */
    private static final class CommitHook implements InvocationHandler {
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
}
