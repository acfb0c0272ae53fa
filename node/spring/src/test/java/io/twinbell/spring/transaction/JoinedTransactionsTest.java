package io.twinbell.spring.transaction;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import jakarta.persistence.EntityManagerFactory;
import java.io.File;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.hibernate.boot.spi.SessionFactoryOptions;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.jdbc.datasource.DataSourceTransactionManager;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.orm.jpa.EntityManagerFactoryInfo;
import org.springframework.orm.jpa.JpaTransactionManager;
import org.springframework.transaction.TransactionManager;

/** Which transactions of an application can be joined, and what a refusal says. No server is there. */
class JoinedTransactionsTest {
    private static final Set<String> WITH_JPA = Set.of("EntityManagerFactories", "HibernateSessions", "JoinedEntities");

    private final DataSource ofNode = new PGSimpleDataSource();
    private final DataSource other = new PGSimpleDataSource();

    /** A factory as Spring makes it. */
    private interface SpringFactory extends EntityManagerFactory, EntityManagerFactoryInfo {}

    @Test
    void managers_of_the_nodes_data_source_can_be_joined() {
        check(ofNode, Map.of());
        check(ofNode, Map.of("jdbc", new DataSourceTransactionManager(ofNode)));
        check(ofNode, Map.of("jpa", jpa(factory(ofNode, hibernate(false)))));
        check(
                new TransactionAwareDataSourceProxy(ofNode),
                Map.of("jpa", jpa(factory(new TransactionAwareDataSourceProxy(ofNode), hibernate(false)))));
    }

    /** Their transactions commit by themselves. */
    @Test
    void managers_of_another_data_source_do_not_matter_beside_one_of_the_nodes() {
        check(
                ofNode,
                Map.of("jdbc", new DataSourceTransactionManager(ofNode), "jpa", jpa(factory(other, hibernate(false)))));
        check(
                ofNode,
                Map.of("jdbc", new DataSourceTransactionManager(other), "jpa", jpa(factory(ofNode, hibernate(false)))));
    }

    @Test
    void entities_of_another_data_source_alone_are_refused() {
        NotJoinableException refused = refusal(ofNode, Map.of("jpa", jpa(factory(other, hibernate(false)))));
        assertEquals(
                "the JpaTransactionManager has another DataSource than the node, so that entities would be committed on"
                        + " their own",
                refused.getMessage());
        assertTrue(refused.action().startsWith("Mark the DataSource"), refused::action);
        NotJoinableException wrapped = refusal(
                ofNode, Map.of("jpa", jpa(factory(new LazyConnectionDataSourceProxy(ofNode), hibernate(false)))));
        assertTrue(wrapped.getMessage().endsWith("of which one wraps the other"), wrapped::getMessage);
        assertTrue(wrapped.action().contains("@TwinbellDataSource"), wrapped::action);
    }

    @Test
    void a_factory_without_a_data_source_is_refused() {
        NotJoinableException refused = refusal(ofNode, Map.of("jpa", jpa(factory(null, hibernate(false)))));
        assertTrue(refused.getMessage().contains("has no DataSource but connections of its own"), refused::getMessage);
        assertTrue(refused.action().contains("setDataSource"), refused::action);
    }

    @Test
    void a_provider_other_than_hibernate_is_refused() {
        EntityManagerFactory provider = (EntityManagerFactory) proxy(Map.of(), EntityManagerFactory.class);
        NotJoinableException refused = refusal(ofNode, Map.of("jpa", jpa(factory(ofNode, provider))));
        assertTrue(refused.getMessage().endsWith("and only Hibernate can use a given connection"), refused::getMessage);
        assertTrue(refused.action().contains("idempotencyKey()"), refused::action);
    }

    /** Without a transaction manager of its own, it is refused or joined like others. */
    @Test
    void a_factory_whose_connections_depend_on_the_tenant_is_refused() {
        NotJoinableException refused = refusal(
                ofNode,
                Map.of("jdbc", new DataSourceTransactionManager(ofNode), "factory", factory(ofNode, hibernate(true))));
        assertTrue(refused.getMessage().contains("chooses a connection by the tenant"), refused::getMessage);
        check(
                ofNode,
                Map.of("jdbc", new DataSourceTransactionManager(ofNode), "factory", factory(ofNode, hibernate(false))));
    }

    @Test
    void other_managers_are_refused_with_what_can_be_joined() {
        TransactionManager unknown = new TransactionManager() {
            @Override
            public String toString() {
                return "unknown";
            }
        };
        NotJoinableException refused = refusal(ofNode, Map.of("other", unknown));
        assertTrue(refused.getMessage().contains("only a JpaTransactionManager with Hibernate"), refused::getMessage);
        assertTrue(refused.action().contains("idempotencyKey()"), refused::action);
        assertEquals(
                "the application has no DataSource", refusal(null, Map.of()).getMessage());
    }

    /** Spring-orm and Hibernate are optional. */
    @Test
    void the_starter_loads_and_joins_jdbc_without_jpa() throws Exception {
        try (URLClassLoader loader = withoutJpa()) {
            assertThrows(
                    ClassNotFoundException.class,
                    () -> loader.loadClass("org.springframework.orm.jpa.JpaTransactionManager"));
            assertThrows(ClassNotFoundException.class, () -> loader.loadClass("org.hibernate.Session"));
            List<String> loaded = new ArrayList<>();
            for (String name : starterClasses()) {
                Class<?> type = Class.forName(name, true, loader);
                type.getDeclaredMethods();
                type.getDeclaredFields();
                loaded.add(type.getSimpleName());
            }
            assertTrue(loaded.containsAll(List.of("JoinedTransactions", "JoinedRun", "DeclaredHandlers")));
            Class<?> ours = loader.loadClass(JoinedTransactions.class.getName());
            Object dataSource = loader.loadClass(PGSimpleDataSource.class.getName())
                    .getConstructor()
                    .newInstance();
            Class<?> dataSourceType = loader.loadClass(DataSource.class.getName());
            Object manager = loader.loadClass(DataSourceTransactionManager.class.getName())
                    .getConstructor(dataSourceType)
                    .newInstance(dataSource);
            Object beans = loader.loadClass(StaticListableBeanFactory.class.getName())
                    .getConstructor(Map.class)
                    .newInstance(Map.of("jdbc", manager));
            Object transactions = ours.getConstructor(
                            dataSourceType, loader.loadClass(ListableBeanFactory.class.getName()))
                    .newInstance(dataSource, beans);
            try {
                ours.getMethod("check").invoke(transactions);
            } catch (InvocationTargetException e) {
                throw new AssertionError(e.getCause());
            }
        }
    }

    private static URLClassLoader withoutJpa() throws Exception {
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
            String name = Path.of(entry).getFileName().toString();
            if (Stream.of("spring-orm-", "spring-data-", "hibernate-", "jakarta.persistence-api-")
                    .noneMatch(name::startsWith)) {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }
        return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
    }

    private static List<String> starterClasses() throws Exception {
        Path classes = Path.of(JoinedTransactions.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        try (Stream<Path> files = Files.walk(classes)) {
            List<String> names = files.map(file -> classes.relativize(file).toString())
                    .filter(file -> file.endsWith(".class") && !file.contains("package-info"))
                    .map(file ->
                            file.substring(0, file.length() - ".class".length()).replace('/', '.'))
                    .filter(name -> WITH_JPA.stream().noneMatch(name::contains))
                    .collect(Collectors.toList());
            assertFalse(names.isEmpty());
            return names;
        }
    }

    private static JpaTransactionManager jpa(EntityManagerFactory factory) {
        JpaTransactionManager manager = new JpaTransactionManager(factory);
        manager.afterPropertiesSet();
        return manager;
    }

    private static EntityManagerFactory factory(DataSource dataSource, EntityManagerFactory provider) {
        Map<String, Object> answers = new java.util.HashMap<>();
        answers.put("getDataSource", dataSource);
        answers.put("getNativeEntityManagerFactory", provider);
        return (EntityManagerFactory) proxy(answers, SpringFactory.class);
    }

    private static EntityManagerFactory hibernate(boolean hasTenants) {
        Object options = proxy(Map.of("isMultiTenancyEnabled", hasTenants), SessionFactoryOptions.class);
        return (EntityManagerFactory)
                proxy(Map.of("getSessionFactoryOptions", options), SessionFactoryImplementor.class);
    }

    private static Object proxy(Map<String, Object> answers, Class<?> type) {
        return Proxy.newProxyInstance(
                JoinedTransactionsTest.class.getClassLoader(),
                new Class<?>[] {type},
                (self, method, arguments) -> switch (method.getName()) {
                    case "hashCode" -> System.identityHashCode(self);
                    case "equals" -> self == arguments[0];
                    default -> answers.get(method.getName());
                });
    }

    private static void check(DataSource dataSource, Map<String, Object> beans) {
        new JoinedTransactions(dataSource, new StaticListableBeanFactory(beans)).check();
    }

    private static NotJoinableException refusal(DataSource dataSource, Map<String, Object> beans) {
        return assertThrows(NotJoinableException.class, () -> check(dataSource, beans));
    }
}
