package io.twinbell.node.jmx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.node.jmx.JmxSecurity.Store;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.KeyStore;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanServer;
import javax.management.MBeanServerConnection;
import javax.management.MBeanServerFactory;
import javax.management.Notification;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;
import javax.rmi.ssl.SslRMIClientSocketFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** JMX as jmx-init sets it up, seen through jconsole's own client library. */
@Timeout(60)
class SecuredManagementTest {
    private static final String LOOPBACK = "127.0.0.1";

    @TempDir
    static Path made;

    private static String keyPassword;
    private static SSLContext usual;
    private static Map<String, String> passwords;

    @BeforeAll
    static void makeFiles() throws Exception {
        List<String> lines = new JmxInit(made, LOOPBACK).make();
        assertTrue(lines.contains("  passwords: " + made.resolve("jmx.password")), lines.toString());
        keyPassword = Files.readString(made.resolve("jmx-key.password")).strip();
        passwords = Files.readAllLines(made.resolve("jmx.password")).stream()
                .map(line -> line.split(" "))
                .collect(Collectors.toMap(line -> line[0], line -> line[1]));
        // A client is configured by system properties, which count only until the first TLS of its process; here that
        // may be
        // over.
        usual = SSLContext.getDefault();
        SSLContext.setDefault(trusting(made.resolve("jmx-clients-trust.p12")));
    }

    private static SSLContext trusting(Path file) throws Exception {
        KeyStore trusted = KeyStore.getInstance(file.toFile(), keyPassword.toCharArray());
        TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
        trust.init(trusted);
        SSLContext context = SSLContext.getInstance("TLS");
        context.init(null, trust.getTrustManagers(), null);
        return context;
    }

    @AfterAll
    static void trustAsBefore() {
        SSLContext.setDefault(usual);
    }

    @Test
    void a_created_file_is_readable_only_by_its_owner_and_never_replaced() throws IOException {
        try (Stream<Path> files = Files.list(made)) {
            for (Path file : files.toList()) {
                assertEquals(
                        PosixFilePermissions.fromString("rw-------"),
                        Files.getPosixFilePermissions(file),
                        file.toString());
            }
        }
        assertThrows(FileAlreadyExistsException.class, () -> new JmxInit(made, LOOPBACK).make());
        assertEquals(List.of(), security().problems());
    }

    @Test
    void a_reader_sees_attributes_and_notifications_and_calls_nothing() throws Exception {
        try (Served served = new Served(security());
                JMXConnector connector = served.connect("monitor", passwords.get("monitor"))) {
            MBeanServerConnection client = connector.getMBeanServerConnection();
            ObjectName leadership = new ObjectName("io.twinbell:type=Leadership");
            assertEquals("MASTER", client.getAttribute(leadership, "Role"));
            BlockingQueue<Notification> heard = new LinkedBlockingQueue<>();
            client.addNotificationListener(leadership, (n, handback) -> heard.add(n), null, null);
            served.notifications.roleChanged("STANDBY", "PROMOTING", "latch won", 8);
            assertNotNull(heard.poll(10, TimeUnit.SECONDS));
            assertThrows(
                    SecurityException.class, () -> client.invoke(leadership, "resign", new Object[0], new String[0]));
        }
    }

    @Test
    void a_controller_calls_operations() throws Exception {
        try (Served served = new Served(security());
                JMXConnector connector = served.connect("control", passwords.get("control"))) {
            assertEquals(
                    "handed over",
                    connector
                            .getMBeanServerConnection()
                            .invoke(
                                    new ObjectName("io.twinbell:type=Leadership"),
                                    "resign",
                                    new Object[0],
                                    new String[0]));
        }
    }

    @Test
    void a_login_replaces_the_passwords_of_the_file_by_hashes() throws Exception {
        try (Served served = new Served(security())) {
            served.connect("control", passwords.get("control")).close();
            String file = Files.readString(made.resolve("jmx.password"));
            assertFalse(passwords.values().stream().anyMatch(file::contains), file);
            served.connect("monitor", passwords.get("monitor")).close();
            assertEquals(List.of(), security().problems());
        }
    }

    @Test
    void a_wrong_password_and_none_are_refused() throws Exception {
        try (Served served = new Served(security())) {
            assertThrows(SecurityException.class, () -> served.connect("control", "guessed"));
            assertThrows(
                    SecurityException.class,
                    () -> JMXConnectorFactory.connect(
                            served.url(), Map.of(Served.REGISTRY, new SslRMIClientSocketFactory())));
        }
    }

    @Test
    void failed_logins_and_refused_calls_are_reported_with_name_and_address() throws Exception {
        try (Served served = new Served(security())) {
            assertThrows(SecurityException.class, () -> served.connect("control", "guessed"));
            try (JMXConnector connector = served.connect("monitor", passwords.get("monitor"))) {
                MBeanServerConnection client = connector.getMBeanServerConnection();
                ObjectName leadership = new ObjectName("io.twinbell:type=Leadership");
                client.getAttribute(leadership, "Role");
                assertThrows(
                        SecurityException.class,
                        () -> client.invoke(leadership, "resign", new Object[0], new String[0]));
                assertThrows(
                        SecurityException.class,
                        () -> client.createMBean("javax.management.loading.MLet", new ObjectName("x:type=y")));
            }
            assertEquals(
                    List.of(
                            "login JMX user control 127.0.0.1",
                            "JMX user monitor 127.0.0.1 resign of io.twinbell:type=Leadership",
                            "JMX user monitor 127.0.0.1 createMBean of javax.management.loading.MLet"),
                    List.copyOf(served.refused));
        }
    }

    @Test
    void without_passwords_a_refused_call_is_reported_with_the_local_user() throws Exception {
        try (Served served = new Served(JmxSecurity.NONE);
                JMXConnector connector = JMXConnectorFactory.connect(served.url())) {
            MBeanServerConnection client = connector.getMBeanServerConnection();
            assertThrows(
                    SecurityException.class,
                    () -> client.createMBean("javax.management.loading.MLet", new ObjectName("x:type=y")));
            assertEquals(
                    List.of("user id " + SocketOwners.ownUser()
                            + " 127.0.0.1 createMBean of javax.management.loading.MLet"),
                    List.copyOf(served.refused));
        }
    }

    @Test
    void a_client_without_tls_does_not_come_in() throws Exception {
        try (Served served = new Served(security())) {
            assertThrows(IOException.class, () -> JMXConnectorFactory.connect(served.url()));
        }
    }

    @Test
    void a_client_without_a_certificate_is_refused_where_one_is_asked_for() throws Exception {
        JmxSecurity wantsCertificates = new JmxSecurity(
                security().passwords(),
                security().access(),
                security().keys(),
                new Store(made.resolve("jmx-clients-trust.p12"), keyPassword));
        try (Served served = new Served(wantsCertificates)) {
            assertThrows(IOException.class, () -> served.connect("control", passwords.get("control")));
        }
    }

    @Test
    void files_that_others_can_read_are_refused_by_name(@TempDir Path folder) throws Exception {
        Path open = Files.copy(made.resolve("jmx.password"), folder.resolve("open"));
        Files.setPosixFilePermissions(open, PosixFilePermissions.fromString("rw-r--r--"));
        JmxSecurity careless = new JmxSecurity(open, security().access(), null, null);
        assertEquals(
                List.of("jmx.passwords: " + open + " must be accessible only to its owner (chmod 600)"),
                careless.problems());
        IOException refusal = assertThrows(
                IOException.class, () -> JmxServer.start(MBeanServerFactory.newMBeanServer(), LOOPBACK, 0, careless));
        assertTrue(refusal.getMessage().contains("chmod 600"), refusal.getMessage());
        assertEquals(
                List.of("jmx.passwords and jmx.access must both be set: jmx.access is missing"),
                new JmxSecurity(security().passwords(), null, null, null).problems());
        assertTrue(new JmxSecurity(null, null, new Store(made.resolve("jmx-key.p12"), "wrong"), null)
                .problems()
                .get(0)
                .startsWith("jmx.keyStore: "));
    }

    private static JmxSecurity security() {
        return new JmxSecurity(
                made.resolve("jmx.password"),
                made.resolve("jmx.access"),
                new Store(made.resolve("jmx-key.p12"), keyPassword),
                null);
    }

    /** A node's MBeans behind a secured port. */
    private static final class Served implements AutoCloseable {
        /** The registry is behind TLS too, which a client has to be told; jconsole finds it out. */
        static final String REGISTRY = "com.sun.jndi.rmi.factory.socket";

        private final MBeanServer server = MBeanServerFactory.newMBeanServer();
        private final LeadershipNotifications notifications =
                new LeadershipNotifications(InstantSource.fixed(Instant.EPOCH));
        private final ManagementBeans beans =
                new ManagementBeans(server, FixedViews.of("a"), notifications, new MetricRegistry());
        private final BlockingQueue<String> refused = new LinkedBlockingQueue<>();
        private final JmxServer jmx;

        Served(JmxSecurity security) throws IOException {
            jmx = JmxServer.start(server, LOOPBACK, 0, security, new JmxRefusals() {
                @Override
                public void connection(String client, String address, String why) {
                    refused.add("connection " + client + " " + address);
                }

                @Override
                public void login(JmxCaller caller, String why) {
                    refused.add("login " + caller.name() + " " + caller.address());
                }

                @Override
                public void call(JmxCaller caller, String operation, String why) {
                    refused.add(caller.name() + " " + caller.address() + " " + operation);
                }
            });
        }

        JMXServiceURL url() throws IOException {
            return new JMXServiceURL(jmx.serviceUrl());
        }

        JMXConnector connect(String name, String password) throws IOException {
            return JMXConnectorFactory.connect(
                    url(),
                    Map.of(
                            JMXConnector.CREDENTIALS,
                            new String[] {name, password},
                            REGISTRY,
                            new SslRMIClientSocketFactory()));
        }

        @Override
        public void close() {
            jmx.close();
            beans.close();
        }
    }
}
