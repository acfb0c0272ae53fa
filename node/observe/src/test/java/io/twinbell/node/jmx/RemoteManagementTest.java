package io.twinbell.node.jmx;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.MetricRegistry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.rmi.registry.LocateRegistry;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.management.AttributeChangeNotification;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanFeatureInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanServer;
import javax.management.MBeanServerConnection;
import javax.management.MBeanServerFactory;
import javax.management.Notification;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXConnectorServer;
import javax.management.remote.JMXConnectorServerFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a JMX client sees of a node. */
class RemoteManagementTest {
    private static final String LOOPBACK = "127.0.0.1";
    private static final RecordedRefusals REFUSALS = new RecordedRefusals();
    private static final Instant NOW = Instant.parse("2026-03-29T01:00:00Z");

    private final MBeanServer server = MBeanServerFactory.newMBeanServer();
    private final MetricRegistry registry = new MetricRegistry();
    private final LeadershipNotifications notifications = new LeadershipNotifications(InstantSource.fixed(NOW));
    private final ManagementBeans beans = new ManagementBeans(server, FixedViews.of("a"), notifications, registry);
    private JmxServer jmx;
    private JMXConnector connector;
    private MBeanServerConnection client;

    @BeforeEach
    void connect() throws Exception {
        jmx = JmxServer.start(server, LOOPBACK, 0, LocalUsers.NONE, REFUSALS);
        connector = JMXConnectorFactory.connect(new JMXServiceURL(jmx.serviceUrl()));
        client = connector.getMBeanServerConnection();
    }

    @AfterEach
    void disconnect() throws Exception {
        connector.close();
        jmx.close();
        beans.close();
    }

    @Test
    void every_attribute_of_the_contract_is_there() throws Exception {
        assertEquals(
                names(
                        "Role Master Epoch FastTakeover MasterNode NodeId StandbyNode LatchHeld DatabaseLockHeld ZooKeeperState"
                                + " ZooKeeperNegotiatedTimeoutMillis LastTransitionTime LastTransitionReason"
                                + " LastTransitionMillis TransitionCount FencedWrites HeartbeatCount LastHeartbeatAgeMillis"
                                + " ChangeMasterCheckCount ClockOffsetMillis Paused OnHold"),
                attributes("Leadership"));
        assertEquals(names("Size HeadLagMillis LastRebuildMillis"), attributes("TaskHeap"));
        assertEquals(names("Depth Capacity"), attributes("ActionQueue"));
        assertEquals(names("Size Active Queued"), attributes("WorkerPool"));
    }

    @Test
    void values_come_from_the_node() throws Exception {
        assertEquals("MASTER", client.getAttribute(bean("Leadership"), "Role"));
        assertEquals(1, client.getAttribute(bean("Leadership"), "Master"));
        assertEquals(true, client.getAttribute(bean("Leadership"), "LatchHeld"));
        assertEquals(-3L, client.getAttribute(bean("Leadership"), "ClockOffsetMillis"));
        assertEquals(1024L, client.getAttribute(bean("ActionQueue"), "Capacity"));
    }

    @Test
    void everything_that_is_shown_is_described() throws Exception {
        for (String type : names("Leadership TaskHeap ActionQueue WorkerPool")) {
            MBeanInfo info = client.getMBeanInfo(bean(type));
            assertTrue(info.getDescription().length() > 20, type);
            Arrays.stream(info.getAttributes()).forEach(RemoteManagementTest::assertDescribed);
            Arrays.stream(info.getAttributes()).forEach(RemoteManagementTest::assertHasUnit);
            Arrays.stream(info.getOperations()).forEach(RemoteManagementTest::assertDescribed);
        }
        MBeanFeatureInfo reason = Arrays.stream(
                        client.getMBeanInfo(bean("Leadership")).getOperations())
                .filter(operation -> operation.getName().equals("pause"))
                .findFirst()
                .orElseThrow()
                .getSignature()[0];
        assertEquals("reason", reason.getName());
        assertDescribed(reason);
    }

    @Test
    void operations_say_what_was_done() throws Exception {
        assertEquals("handed over", invoke("resign"));
        assertEquals("paused: database upgrade", invoke("pause", "database upgrade"));
        assertEquals("resumed", invoke("resume"));
    }

    @Test
    void a_change_of_role_reaches_a_remote_listener() throws Exception {
        BlockingQueue<Notification> heard = new LinkedBlockingQueue<>();
        client.addNotificationListener(bean("Leadership"), (n, handback) -> heard.add(n), null, null);

        notifications.roleChanged("STANDBY", "PROMOTING", "latch won", 8);

        AttributeChangeNotification change = (AttributeChangeNotification) heard.poll(10, TimeUnit.SECONDS);
        assertNotNull(change);
        assertEquals("STANDBY → PROMOTING: latch won", change.getMessage());
        assertEquals("Role", change.getAttributeName());
        assertEquals("STANDBY", change.getOldValue());
        assertEquals("PROMOTING", change.getNewValue());
        assertEquals(NOW.toEpochMilli(), change.getTimeStamp());
        assertEquals(Map.of("epoch", 8L), change.getUserData());
    }

    @Test
    void an_alert_and_one_that_was_given_up_reach_a_remote_listener() throws Exception {
        BlockingQueue<Notification> heard = new LinkedBlockingQueue<>();
        client.addNotificationListener(bean("Leadership"), (n, handback) -> heard.add(n), null, null);

        notifications.alert("ops", "k1", "billing/close-day FAILED", 3);
        notifications.alertGivenUp("ops", "k1", "billing/close-day FAILED", null);

        Notification alert = heard.poll(10, TimeUnit.SECONDS);
        assertNotNull(alert);
        assertEquals("io.twinbell.alert: billing/close-day FAILED", alert.getType() + ": " + alert.getMessage());
        assertEquals(Map.of("name", "ops", "key", "k1", "events", 3L), alert.getUserData());
        Notification givenUp = heard.poll(10, TimeUnit.SECONDS);
        assertNotNull(givenUp);
        assertEquals("io.twinbell.alert.givenUp", givenUp.getType());
        assertEquals(Map.of("name", "ops", "key", "k1", "error", ""), givenUp.getUserData());
    }

    @Test
    void a_metric_is_shown_as_soon_as_it_is_registered() throws Exception {
        registry.counter("fires").inc(5);

        ObjectName fires = new ObjectName("io.twinbell.metrics:name=fires,type=counters");
        assertEquals(5L, client.getAttribute(fires, "Count"));
    }

    @Test
    void two_nodes_in_one_jvm_show_their_own_state() throws Exception {
        MBeanServer other = MBeanServerFactory.newMBeanServer();
        ManagementBeans otherBeans =
                new ManagementBeans(other, FixedViews.of("b"), notifications, new MetricRegistry());
        try (JmxServer second = JmxServer.start(other, LOOPBACK, 0, LocalUsers.NONE, REFUSALS);
                JMXConnector link = JMXConnectorFactory.connect(new JMXServiceURL(second.serviceUrl()))) {
            assertEquals("b", link.getMBeanServerConnection().getAttribute(bean("Leadership"), "NodeId"));
            assertEquals("a", client.getAttribute(bean("Leadership"), "NodeId"));
        }
        otherBeans.close();
    }

    @Test
    void a_second_node_on_one_mbean_server_is_refused_and_the_first_stays() throws Exception {
        NodeViews views = FixedViews.of("b");
        MetricRegistry metrics = new MetricRegistry();

        assertThrows(IllegalStateException.class, () -> new ManagementBeans(server, views, notifications, metrics));

        assertEquals("a", client.getAttribute(bean("Leadership"), "NodeId"));
    }

    @Test
    void closing_takes_every_bean_away() throws Exception {
        registry.counter("fires");

        beans.close();

        assertEquals(Set.of(), client.queryNames(new ObjectName("io.twinbell*:*"), null));
    }

    @Test
    void a_taken_port_is_named_with_its_key() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getByName(LOOPBACK))) {
            int port = taken.getLocalPort();

            IOException refusal = assertThrows(
                    IOException.class, () -> JmxServer.start(server, LOOPBACK, port, LocalUsers.NONE, REFUSALS));

            assertTrue(refusal.getMessage().contains(LOOPBACK + ":" + port), refusal.getMessage());
            assertTrue(refusal.getMessage().contains("jmx.port"), refusal.getMessage());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.7"})
    void an_address_beyond_loopback_is_refused_with_its_key(String host) {
        IOException refusal =
                assertThrows(IOException.class, () -> JmxServer.start(server, host, 0, LocalUsers.NONE, REFUSALS));
        assertEquals("JMX cannot listen on " + host + ": jmx.host must be a loopback address", refusal.getMessage());
    }

    /** So an SSH tunnel from the same port of another machine carries every call. */
    @Test
    void the_registry_leads_a_client_to_its_own_address_and_port() throws Exception {
        String[] address = jmx.address().split(":");
        String stub = LocateRegistry.getRegistry(address[0], Integer.parseInt(address[1]))
                .lookup("jmxrmi")
                .toString();
        assertTrue(stub.contains("[endpoint:[" + jmx.address() + "](remote)"), stub);
    }

    /** As of the JDK's own agent: RMI's threads serve all ports of a process. */
    @Test
    void a_call_by_another_server_of_this_process_is_not_taken_for_the_last_call_of_jmx() throws Exception {
        ObjectName name = new ObjectName("test:type=Caller");
        server.registerMBean(new StandardMBean(() -> JmxCaller.current().toString(), CallerView.class), name);
        assertEquals("a", nodeIdFrom(jmx.serviceUrl()));
        JMXConnectorServer agent =
                JMXConnectorServerFactory.newJMXConnectorServer(new JMXServiceURL("rmi", null, 0), null, server);
        agent.start();
        try (JMXConnector link = JMXConnectorFactory.connect(agent.getAddress())) {
            assertEquals(
                    "JmxCaller[name=JMX client, address=127.0.0.1]",
                    link.getMBeanServerConnection().getAttribute(name, "Caller"));
        } finally {
            agent.stop();
        }
    }

    /** Shows who calls it. */
    public interface CallerView {
        String getCaller();
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.2", "::1", "localhost"})
    void every_loopback_address_can_serve(String host) throws Exception {
        String usual = System.clearProperty("java.rmi.server.hostname");
        try (JmxServer other = JmxServer.start(server, host, 0, LocalUsers.NONE, REFUSALS)) {
            assertEquals("a", nodeIdFrom(other.serviceUrl()));
        } finally {
            System.setProperty("java.rmi.server.hostname", usual);
        }
    }

    @Test
    void a_fixed_port_is_free_again_after_close() throws Exception {
        int port;
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getByName(LOOPBACK))) {
            port = probe.getLocalPort();
        }
        for (int round = 0; round < 2; round++) {
            try (JmxServer fixed = JmxServer.start(server, LOOPBACK, port, LocalUsers.NONE, REFUSALS)) {
                assertEquals(LOOPBACK + ":" + port, fixed.address());
                // The client's first call after a restart may still try the connection that it kept.
                await().ignoreExceptions().untilAsserted(() -> assertEquals("a", nodeIdFrom(fixed.serviceUrl())));
            }
        }
        try (ServerSocket again = new ServerSocket(port, 1, InetAddress.getByName(LOOPBACK))) {
            assertTrue(again.isBound());
        }
    }

    private Set<String> attributes(String type) throws Exception {
        return Arrays.stream(client.getMBeanInfo(bean(type)).getAttributes())
                .map(MBeanAttributeInfo::getName)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private Object invoke(String operation, String... arguments) throws Exception {
        String[] signature =
                Arrays.stream(arguments).map(a -> String.class.getName()).toArray(String[]::new);
        return client.invoke(bean("Leadership"), operation, arguments, signature);
    }

    private static Object nodeIdFrom(String serviceUrl) throws Exception {
        try (JMXConnector link = JMXConnectorFactory.connect(new JMXServiceURL(serviceUrl))) {
            return link.getMBeanServerConnection().getAttribute(bean("Leadership"), "NodeId");
        }
    }

    private static ObjectName bean(String type) throws Exception {
        return new ObjectName("io.twinbell:type=" + type);
    }

    private static Set<String> names(String spaced) {
        return new TreeSet<>(Arrays.asList(spaced.split(" ")));
    }

    private static void assertHasUnit(MBeanAttributeInfo attribute) {
        boolean isNumber =
                attribute.getType().equals("long") || attribute.getType().equals("int");
        assertEquals(
                isNumber,
                !String.valueOf(attribute.getDescriptor().getFieldValue("units"))
                        .isEmpty(),
                attribute.getName());
    }

    private static void assertDescribed(MBeanFeatureInfo feature) {
        assertFalse(feature.getDescription().isBlank(), feature.getName());
        assertTrue(feature.getDescription().contains(" "), feature + " has only its default description");
    }
}
