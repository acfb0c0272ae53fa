package io.twinbell.receiver.spring;

import io.twinbell.receiver.CallTransactions;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.DataSourceUtils;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.TransactionStatus;
import org.springframework.transaction.support.DefaultTransactionDefinition;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/**
 * Runs the receiver in Spring's transactions: what the effect does through {@code JdbcTemplate}, Spring Data JDBC or JPA on
 * the same data source belongs to the same transaction. The manager must expose its JDBC connection, as
 * {@code JdbcTransactionManager} and {@code JpaTransactionManager} do.
 */
public final class SpringTransactions implements CallTransactions {
    private final PlatformTransactionManager manager;
    private final DataSource dataSource;

    /** @param dataSource the one that the manager uses */
    public SpringTransactions(PlatformTransactionManager manager, DataSource dataSource) {
        this.manager = manager;
        this.dataSource = dataSource;
    }

    @Override
    public <T> T inTransaction(CallWork<T> work) throws Exception {
        TransactionStatus status = manager.getTransaction(definition());
        T result;
        try {
            if (!TransactionSynchronizationManager.hasResource(dataSource)) {
                throw new IllegalStateException(
                        "the transaction manager does not work on this data source: give the receiver the data source of "
                                + manager.getClass().getName());
            }
            result = work.run(DataSourceUtils.getConnection(dataSource));
        } catch (Throwable e) {
            manager.rollback(status);
            throw e;
        }
        manager.commit(status);
        return result;
    }

    private static TransactionDefinition definition() {
        DefaultTransactionDefinition definition =
                new DefaultTransactionDefinition(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
        definition.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
        definition.setName("twinbell-receiver");
        return definition;
    }
}
