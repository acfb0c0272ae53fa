package io.twinbell.spring.transaction;

import jakarta.persistence.EntityManagerFactory;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.orm.jpa.DefaultJpaDialect;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.JpaDialect;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.TransactionManager;
import org.springframework.util.ClassUtils;

/** The application's factories of entity managers. It is loaded only if the application has spring-orm. */
final class EntityManagerFactories {
    private static final boolean HAS_HIBERNATE =
            ClassUtils.isPresent("org.hibernate.SessionFactory", EntityManagerFactories.class.getClassLoader());

    private EntityManagerFactories() {}

    /** Whether it manages transactions of entity managers. */
    static boolean belongTo(TransactionManager manager) {
        return manager instanceof JpaTransactionManager;
    }

    /** @throws NotJoinableException if the manager has none */
    static DataSource dataSource(TransactionManager manager) {
        DataSource own = ((JpaTransactionManager) manager).getDataSource();
        if (own == null) {
            throw new NotJoinableException(
                    "the EntityManagerFactory of the " + manager.getClass().getSimpleName()
                            + " has no DataSource but connections of its own",
                    "Give it the DataSource of the node, as Spring Boot does"
                            + " (LocalContainerEntityManagerFactoryBean.setDataSource).");
        }
        return own;
    }

    /**
     * Returns what opens an entity manager of each factory that has this {@code DataSource}. A factory without a
     * transaction manager of its own is one of them.
     *
     * @throws NotJoinableException if a factory cannot open one on a given connection
     */
    static List<JoinedResource.Source> on(
            DataSource dataSource, List<TransactionManager> managers, ListableBeanFactory beans) {
        Map<EntityManagerFactory, JpaTransactionManager> found = new LinkedHashMap<>();
        beans.getBeansOfType(EntityManagerFactory.class).values().forEach(factory -> {
            if (factory instanceof EntityManagerFactoryInfo info
                    && dataSource.equals(JoinedTransactions.key(info.getDataSource()))) {
                found.put(factory, null);
            }
        });
        for (TransactionManager manager : managers) {
            if (manager instanceof JpaTransactionManager jpa && dataSource.equals(jpa.getDataSource())) {
                found.put(jpa.getEntityManagerFactory(), jpa);
            }
        }
        List<JoinedResource.Source> sources = new ArrayList<>();
        found.forEach((factory, manager) -> sources.add(source(factory, manager)));
        return List.copyOf(sources);
    }

    private static JoinedResource.Source source(EntityManagerFactory factory, JpaTransactionManager manager) {
        EntityManagerFactoryInfo info = factory instanceof EntityManagerFactoryInfo known ? known : null;
        EntityManagerFactory provider = info == null ? factory : info.getNativeEntityManagerFactory();
        String problem = HAS_HIBERNATE
                ? HibernateSessions.problem(provider)
                : "its provider is " + provider.getClass().getName()
                        + ", and only Hibernate can use a given connection";
        if (problem != null) {
            throw new NotJoinableException(
                    "the entity managers of the application cannot take part in the transaction of an execution: "
                            + problem,
                    "Remove exactlyOnce, and make the handler idempotent by the context's idempotencyKey().");
        }
        Map<String, Object> properties = manager == null ? Map.of() : manager.getJpaPropertyMap();
        JpaDialect dialect = dialect(info, manager);
        return connection -> JoinedEntities.open(
                factory, dialect, commits -> HibernateSessions.open(provider, commits, properties), connection);
    }

    private static JpaDialect dialect(EntityManagerFactoryInfo info, JpaTransactionManager manager) {
        if (manager != null) {
            return manager.getJpaDialect();
        }
        return info == null || info.getJpaDialect() == null ? new DefaultJpaDialect() : info.getJpaDialect();
    }
}
