package io.twinbell.spring.transaction;

import io.twinbell.handler.TransactionContext;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.transaction.TransactionManager;
import org.springframework.util.ClassUtils;

/**
 * Lets handlers with {@code exactlyOnce} use the application's {@code DataSource} in the transaction that completes
 * their execution. While such a handler runs, its thread's connection of the {@code DataSource} is the one of that
 * transaction, its entity managers use that connection, and {@code @Transactional} methods take part in it.
 */
public final class JoinedTransactions {
    private static final String IDEMPOTENT =
            "remove exactlyOnce, and make the handler idempotent by the context's idempotencyKey().";

    private static final boolean HAS_JPA = isPresent("org.springframework.orm.jpa.JpaTransactionManager")
            && isPresent("jakarta.persistence.EntityManagerFactory");

    private final DataSource dataSource;
    private final ListableBeanFactory beans;
    private final ApplicationSchemas schemas;
    private volatile List<JoinedResource.Source> sources;

    /**
     * @param dataSource the one that leads to the node's database; null if there is none
     * @param beans those of the application
     */
    public JoinedTransactions(DataSource dataSource, ListableBeanFactory beans) {
        this.dataSource = key(dataSource);
        this.beans = beans;
        schemas = new ApplicationSchemas(this.dataSource);
    }

    /** The thread's resource is bound to this one, as Spring's managers do it. */
    static DataSource key(DataSource dataSource) {
        return dataSource instanceof TransactionAwareDataSourceProxy proxy ? proxy.getTargetDataSource() : dataSource;
    }

    private static boolean isPresent(String type) {
        return ClassUtils.isPresent(type, JoinedTransactions.class.getClassLoader());
    }

    /**
     * Checks that the application's transactions are of a kind that can be joined. It must be called before the first run.
     *
     * @throws NotJoinableException if not
     */
    public void check() {
        if (sources != null) {
            return;
        }
        if (dataSource == null) {
            throw new NotJoinableException(
                    "the application has no DataSource",
                    "Add spring-boot-starter-jdbc and a DataSource of the node's database, or remove exactlyOnce.");
        }
        List<TransactionManager> managers =
                beans.getBeanProvider(TransactionManager.class).stream().toList();
        requireOneThatJoins(managers);
        sources = HAS_JPA ? EntityManagerFactories.on(dataSource, managers, beans) : List.of();
    }

    private void requireOneThatJoins(List<TransactionManager> managers) {
        boolean joins = false;
        TransactionManager ofOtherEntities = null;
        for (TransactionManager manager : managers) {
            boolean isJpa = HAS_JPA && EntityManagerFactories.belongTo(manager);
            DataSource own = isJpa ? EntityManagerFactories.dataSource(manager) : ofJdbc(manager);
            joins |= dataSource.equals(own);
            if (isJpa && !dataSource.equals(own)) {
                if (target(dataSource).equals(target(own))) {
                    throw new NotJoinableException(
                            "the entity managers have another DataSource than the node, of which one wraps the other",
                            "Mark the DataSource of the EntityManagerFactory with @TwinbellDataSource.");
                }
                ofOtherEntities = manager;
            }
        }
        if (!joins && ofOtherEntities != null) {
            throw new NotJoinableException(
                    "the " + ofOtherEntities.getClass().getSimpleName()
                            + " has another DataSource than the node, so that"
                            + " entities would be committed on their own",
                    "Mark the DataSource of the EntityManagerFactory with @TwinbellDataSource, if it leads to the node's"
                            + " database. Otherwise " + IDEMPOTENT);
        }
    }

    private static DataSource ofJdbc(TransactionManager manager) {
        if (manager instanceof DataSourceTransactionManager jdbc) {
            return jdbc.getDataSource();
        }
        throw new NotJoinableException(
                "a " + manager.getClass().getSimpleName()
                        + " cannot take part in the transaction of an execution: only a JpaTransactionManager with"
                        + " Hibernate (spring-boot-starter-data-jpa) and a DataSourceTransactionManager"
                        + " (spring-boot-starter-jdbc) can",
                "Use one of them, or " + IDEMPOTENT);
    }

    private static DataSource target(DataSource dataSource) {
        DataSource target = dataSource;
        while (target instanceof DelegatingDataSource wrapper && wrapper.getTargetDataSource() != null) {
            target = wrapper.getTargetDataSource();
        }
        return target;
    }

    /**
     * Runs the work as part of the transaction, and commits it.
     *
     * @return the text of the work's result, which may be null
     * @throws Exception the exception of the work, or of the commit; everything is rolled back, unless a connection broke
     *     during the commit
     */
    public Object run(TransactionContext context, JoinedWork work) throws Exception {
        schemas.use(context.connection());
        return new JoinedRun(dataSource, context).of(sources, work);
    }

    /**
     * The schemas in which PostgreSQL looks for the application's tables. They may differ from those of the node's sessions,
     * by {@code currentSchema} in the URL, by a setting of the pool or by the role.
     */
    private static final class ApplicationSchemas {
        /** The search path of a transaction that completes an execution. */
        private static final String OF_NODE = "public";

        private static final String OF_APPLICATION = """
                select coalesce(string_agg(quote_ident(each.name), ', ' order by each.place), '')
                from unnest(current_schemas(false)) with ordinality as each (name, place)""";
        private static final String USE = "select set_config('search_path', ?, true)";

        private final DataSource dataSource;
        private volatile String known;

        ApplicationSchemas(DataSource dataSource) {
            this.dataSource = dataSource;
        }

        /** Uses them until the transaction of the connection ends. */
        void use(Connection connection) throws SQLException {
            if (!connection.getMetaData().getDatabaseProductName().equals("PostgreSQL")) {
                // In a test in virtual time, it is a connection of the application.
                return;
            }
            String own = known;
            if (own == null) {
                own = read();
                known = own;
            }
            if (!own.equals(OF_NODE)) {
                try (PreparedStatement statement = connection.prepareStatement(USE)) {
                    statement.setString(1, own);
                    statement.execute();
                }
            }
        }

        /** From a connection of the application, once: each of its connections has the same setting. */
        private String read() throws SQLException {
            try (Connection connection = dataSource.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(OF_APPLICATION)) {
                row.next();
                return row.getString(1);
            }
        }
    }
}
