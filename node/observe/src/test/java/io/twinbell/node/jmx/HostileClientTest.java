package io.twinbell.node.jmx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.codahale.metrics.MetricRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.rmi.AccessException;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.management.Attribute;
import javax.management.AttributeList;
import javax.management.MBeanServer;
import javax.management.MBeanServerConnection;
import javax.management.NotificationFilterSupport;
import javax.management.ObjectName;
import javax.management.Query;
import javax.management.loading.MLet;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What an admitted client cannot do to the JVM behind the node's JMX port, which serves the platform's own MBean
 * server.
 */
@Timeout(60)
class HostileClientTest {
    private static final String LOOPBACK = "127.0.0.1";
    private static final long REGISTRY_HASH = 4905912898345647071L;
    private static final long COLLECTOR_HASH = -669196253586618813L;

    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();
    private static ManagementBeans beans;
    private static final RecordedRefusals REFUSALS = new RecordedRefusals();
    private static JmxServer jmx;
    private static JMXConnector connector;
    private static MBeanServerConnection client;

    @BeforeAll
    static void serve() throws Exception {
        beans = new ManagementBeans(
                SERVER, FixedViews.of("a"), new LeadershipNotifications(InstantSource.system()), new MetricRegistry());
        jmx = JmxServer.start(SERVER, LOOPBACK, 0, LocalUsers.NONE, REFUSALS);
        connector = connect(null);
        client = connector.getMBeanServerConnection();
    }

    private static JMXConnector connect(Object credentials) throws IOException {
        Map<String, Object> environment = new HashMap<>();
        environment.put(JMXConnector.CREDENTIALS, credentials);
        return JMXConnectorFactory.connect(new JMXServiceURL(jmx.serviceUrl()), environment);
    }

    @AfterAll
    static void stop() throws Exception {
        connector.close();
        jmx.close();
        beans.close();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            com.sun.management:type=DiagnosticCommand|jvmtiAgentLoad|[Ljava.lang.String;
            com.sun.management:type=DiagnosticCommand|vmSystemProperties|
            com.sun.management:type=DiagnosticCommand|gcClassHistogram|[Ljava.lang.String;
            com.sun.management:type=HotSpotDiagnostic|dumpHeap|java.lang.String,boolean
            com.sun.management:type=HotSpotDiagnostic|setVMOption|java.lang.String,java.lang.String
            jdk.management.jfr:type=FlightRecorder|newRecording|
            java.util.logging:type=Logging|setLoggerLevel|java.lang.String,java.lang.String
            java.lang:type=Memory|gc|
            java.lang:type=Threading|resetPeakThreadCount|
            java.lang:type=Threading|dumpAllThreads|boolean,boolean
            io.twinbell:type=Leadership|getRole|
            io.twinbell:type=Leadership|pause|
            io.twinbell:type=Leadership|resign|java.lang.String
            JMImplementation:type=MBeanServerDelegate|toString|
            """)
    void operations_other_than_those_of_the_contract_are_refused(String bean, String operation, String types) {
        String[] signature = types == null ? new String[0] : types.split(",");
        Object[] arguments = new Object[signature.length];
        SecurityException refusal = assertThrows(
                SecurityException.class, () -> client.invoke(new ObjectName(bean), operation, arguments, signature));
        assertTrue(refusal.getMessage().contains("resign, pause and resume"), refusal.getMessage());
    }

    @Test
    void no_mbean_is_made_registered_or_taken_away() throws Exception {
        ObjectName made = new ObjectName("evil:type=MLet");
        String[] text = {"java.lang.String"};
        refused(() -> client.createMBean(MLet.class.getName(), made));
        refused(() -> client.createMBean("javax.management.monitor.StringMonitor", made));
        refused(() -> client.createMBean("javax.management.timer.Timer", made, new Object[] {"x"}, text));
        ObjectName loader = new ObjectName("JMImplementation:type=MBeanServerDelegate");
        refused(() -> client.createMBean("java.lang.String", made, loader));
        refused(() -> client.createMBean("java.lang.String", made, loader, new Object[] {"x"}, text));
        refused(() -> client.unregisterMBean(bean("Leadership")));
        assertFalse(SERVER.isRegistered(made));
        assertTrue(SERVER.isRegistered(bean("Leadership")));
    }

    @Test
    void a_refused_call_is_reported_with_its_local_user_and_a_refused_read_is_not() throws Exception {
        ObjectName memory = new ObjectName("java.lang:type=Memory");
        int before = REFUSALS.lines().size();
        refused(() -> client.getAttribute(new ObjectName("java.lang:type=Runtime"), "SystemProperties"));
        refused(() -> client.invoke(memory, "gc", null, null));
        refused(() -> client.createMBean(MLet.class.getName(), new ObjectName("evil:type=MLet")));
        String caller = "user id " + SocketOwners.ownUser() + " " + LOOPBACK + " ";
        assertEquals(
                List.of(caller + "gc of java.lang:type=Memory", caller + "createMBean of " + MLet.class.getName()),
                REFUSALS.lines().subList(before, REFUSALS.lines().size()));
    }

    @Test
    void no_attribute_is_set() throws Exception {
        ObjectName memory = new ObjectName("java.lang:type=Memory");
        refused(() -> client.setAttribute(memory, new Attribute("Verbose", true)));
        refused(() -> client.setAttributes(memory, new AttributeList(List.of(new Attribute("Verbose", true)))));
        assertFalse(ManagementFactory.getMemoryMXBean().isVerbose());
    }

    @Test
    void no_mbean_is_made_a_listener() throws Exception {
        ObjectName delegate = new ObjectName("JMImplementation:type=MBeanServerDelegate");
        refused(() -> client.addNotificationListener(delegate, bean("Leadership"), null, null));
        refused(() -> client.addNotificationListener(bean("Leadership"), delegate, null, null));
        refused(() -> client.removeNotificationListener(delegate, bean("Leadership")));
        refused(() -> client.removeNotificationListener(delegate, bean("Leadership"), null, null));
    }

    @Test
    void mbeans_of_others_are_neither_listed_nor_read() throws Exception {
        ObjectName diagnostics = new ObjectName("com.sun.management:type=HotSpotDiagnostic");
        Set<String> domains = Arrays.stream(client.getDomains()).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(Set.of("JMImplementation", "io.twinbell", "java.lang", "java.nio"), domains);
        assertEquals(client.getMBeanCount(), client.queryNames(null, null).size());
        assertTrue(SERVER.isRegistered(diagnostics));
        assertFalse(client.isRegistered(diagnostics));
        assertEquals(Set.of(), client.queryNames(diagnostics, null));
        assertEquals(Set.of(), client.queryMBeans(diagnostics, null));
        refused(() -> client.getAttribute(diagnostics, "DiagnosticOptions"));
        refused(() -> client.getAttributes(diagnostics, new String[] {"DiagnosticOptions"}));
        refused(() -> client.getMBeanInfo(diagnostics));
        refused(() -> client.getObjectInstance(diagnostics));
        refused(() -> client.isInstanceOf(diagnostics, "java.lang.Object"));
    }

    @Test
    void the_figures_of_the_jvm_are_read_as_monitoring_reads_them() throws Exception {
        ThreadMXBean threads = ManagementFactory.newPlatformMXBeanProxy(
                client, ManagementFactory.THREAD_MXBEAN_NAME, ThreadMXBean.class);
        assertTrue(threads.getThreadCount() > 0);
        assertTrue(ManagementFactory.newPlatformMXBeanProxy(
                                client, ManagementFactory.MEMORY_MXBEAN_NAME, java.lang.management.MemoryMXBean.class)
                        .getHeapMemoryUsage()
                        .getUsed()
                > 0);
        assertTrue(client.queryNames(new ObjectName("java.lang:type=GarbageCollector,*"), null)
                        .size()
                > 0);
    }

    @Test
    void the_command_line_and_the_properties_stay_private() throws Exception {
        ObjectName runtime = new ObjectName("java.lang:type=Runtime");
        refused(() -> client.getAttribute(runtime, "SystemProperties"));
        AttributeList read = client.getAttributes(runtime, new String[] {"VmName", "SystemProperties"});
        assertEquals(
                List.of("VmName"),
                read.asList().stream().map(Attribute::getName).toList());
        List<String> arguments = List.of((String[]) client.getAttribute(runtime, "InputArguments"));
        assertEquals(ManagementFactory.getRuntimeMXBean().getInputArguments().size(), arguments.size());
        assertTrue(arguments.stream().noneMatch(argument -> argument.contains("hidden-by-the-node")));
    }

    @Test
    void no_object_of_a_clients_choice_is_deserialised() throws Exception {
        Tripwire wire = new Tripwire();
        ObjectName leadership = bean("Leadership");
        String[] text = {"java.lang.String"};
        List<Executable> attempts = List.of(
                () -> connect(wire),
                () -> connect(new Object[] {wire, "x"}),
                () -> connect(new HashMap<>(Map.of("control", wire))),
                () -> client.invoke(leadership, "pause", new Object[] {wire}, text),
                () -> client.invoke(leadership, "pause", new Object[] {List.of(wire)}, text),
                () -> client.setAttribute(leadership, new Attribute("Role", wire)),
                () -> client.setAttributes(leadership, new AttributeList(List.of(new Attribute("Role", wire)))),
                () -> client.createMBean("x", leadership, new Object[] {wire}, text),
                () -> client.addNotificationListener(leadership, (notification, handback) -> {}, wire, null),
                () -> client.addNotificationListener(leadership, leadership, wire, wire),
                () -> client.addNotificationListener(leadership, leadership, new NotificationFilterSupport(), wire),
                () -> client.removeNotificationListener(leadership, leadership, wire, wire),
                () -> client.queryNames(null, wire),
                () -> client.queryMBeans(null, wire),
                () -> client.queryNames(null, Query.isInstanceOf(Query.value("java.lang.Object"))));
        for (int i = 0; i < attempts.size(); i++) {
            assertThrows(Exception.class, attempts.get(i), "attempt " + i);
        }
        assertEquals(0, Tripwire.timesRead());
    }

    @Test
    void the_registry_is_read_only_and_reads_no_arguments() throws Exception {
        String address = jmx.address();
        int port = Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
        Registry registry = LocateRegistry.getRegistry(LOOPBACK, port);
        for (Executable change : List.<Executable>of(
                () -> registry.bind("x", new Tripwire()),
                () -> registry.rebind("jmxrmi", new Tripwire()),
                () -> registry.unbind("jmxrmi"))) {
            RemoteException refusal = assertThrows(RemoteException.class, change);
            assertInstanceOf(AccessException.class, refusal.getCause());
        }
        assertEquals(List.of("jmxrmi"), List.of(registry.list()));
        for (int operation = 0; operation < 5; operation++) {
            assertTrue(RawRmiCall.send(port, 0, operation, REGISTRY_HASH, new Tripwire()) > 0);
        }
        for (int operation = 0; operation < 2; operation++) {
            assertTrue(RawRmiCall.send(port, 2, operation, COLLECTOR_HASH, new Tripwire()) > 0);
        }
        assertEquals(0, Tripwire.timesRead());
        assertEquals("a", client.getAttribute(bean("Leadership"), "NodeId"));
    }

    private static void refused(Executable call) {
        assertThrows(SecurityException.class, call);
    }

    private static ObjectName bean(String type) throws Exception {
        return new ObjectName("io.twinbell:type=" + type);
    }
}
