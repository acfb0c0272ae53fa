package io.twinbell.node.jmx;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.rmi.AlreadyBoundException;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.MBeanServer;
import javax.management.remote.JMXServiceURL;
import javax.management.remote.rmi.RMIConnectorServer;
import javax.management.remote.rmi.RMIJRMPServerImpl;

/**
 * Serves an MBean server to the JMX clients of this machine, on one fixed port of a loopback address. RMI registry and
 * RMI calls share that port, so {@code jconsole host:port} works, also at the end of an SSH tunnel from the same port.
 * Only the node's own user, root and configured users may connect ({@link LoopbackAdmission}). {@link RemoteAccess}
 * limits what every client may call, and serialization filters limit the types that are deserialised.
 */
public final class JmxServer implements AutoCloseable {
    private static final String HOSTNAME_IN_STUBS = "java.rmi.server.hostname";

    /** Filter of a name and a password, which nobody asks for, but clients may send. */
    private static final String CREDENTIAL_FILTER =
            "maxdepth=3;maxarray=8;maxrefs=16;maxbytes=8192;java.lang.String;!*";

    /** The types of JMX's own calls; no other class of the class path is admitted. */
    private static final List<String> CALL_TYPES = List.of(
            "java.lang.String",
            "java.lang.Boolean",
            "java.lang.Number",
            "java.lang.Byte",
            "java.lang.Short",
            "java.lang.Integer",
            "java.lang.Long",
            "java.lang.Float",
            "java.lang.Double",
            "java.lang.Character",
            // For arrays of arguments; an Object itself cannot be serialised.
            "java.lang.Object",
            "java.rmi.MarshalledObject",
            "javax.management.ObjectName",
            // Setting attributes is refused later, with a message that says so.
            "javax.management.Attribute",
            "javax.management.AttributeList",
            "java.util.ArrayList",
            "javax.management.NotificationFilterSupport",
            "javax.management.AttributeChangeNotificationFilter",
            "javax.management.relation.MBeanServerNotificationFilter",
            "java.util.Vector",
            // Every listener comes with an array of Subjects, each null. The types that a Subject contains are not
            // admitted.
            "javax.security.auth.Subject");

    /**
     * Filter of the calls and of their marshalled arguments. It acts before an object is created. Query expressions are
     * not admitted.
     */
    private static final String CALL_FILTER =
            "maxdepth=10;maxarray=65536;maxrefs=10000;maxbytes=1048576;" + String.join(";", CALL_TYPES) + ";!*";

    private final BoundSocketFactory sockets;
    private final Registry registry;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final RMIConnectorServer connector;

    private JmxServer(BoundSocketFactory sockets, Registry registry, RMIConnectorServer connector) {
        this.sockets = sockets;
        this.registry = registry;
        this.connector = connector;
    }

    /**
     * Starts the server.
     *
     * @param host the address to bind, the config key {@code jmx.host}
     * @param port the config key {@code jmx.port}; 0 takes any free port
     * @param users who may connect, the config key {@code jmx.localUsers}
     * @param refusals receives refused connections and calls
     * @throws IOException if the port is taken, the address is no loopback address, or a user does not exist; the
     *     message names the key
     */
    public static JmxServer start(MBeanServer beans, String host, int port, LocalUsers users, JmxRefusals refusals)
            throws IOException {
        List<String> problems = users.problems();
        if (!problems.isEmpty()) {
            throw new IOException("JMX cannot start: " + String.join("; ", problems));
        }
        InetAddress address = InetAddress.getByName(host);
        if (!address.isLoopbackAddress()) {
            throw new IOException("JMX cannot listen on " + host + ": jmx.host must be a loopback address");
        }
        if (System.getProperty(HOSTNAME_IN_STUBS) == null) {
            // RMI stubs carry this host as the address of the next call. By default it is the first address of this
            // machine, where nothing listens.
            System.setProperty(HOSTNAME_IN_STUBS, address.getHostAddress());
        }
        BoundSocketFactory sockets = new BoundSocketFactory(address, LoopbackAdmission.of(users, refusals));
        Registry registry;
        try {
            registry = LocateRegistry.createRegistry(port, null, sockets);
        } catch (RemoteException e) {
            throw refusal(host, port, e);
        }
        try {
            return serve(beans, sockets, registry, refusals);
        } catch (IOException | RuntimeException e) {
            UnicastRemoteObject.unexportObject(registry, true);
            sockets.close();
            throw e;
        }
    }

    /** The address for jconsole: {@code host:port}. */
    public String address() {
        return sockets.host() + ":" + sockets.port();
    }

    /** The JMX service URL, for the tests' clients. */
    String serviceUrl() {
        return "service:jmx:rmi:///jndi/rmi://" + address() + "/jmxrmi";
    }

    @Override
    public void close() {
        if (!closed.compareAndSet(false, true)) {
            return;
        }
        try {
            connector.stop();
            UnicastRemoteObject.unexportObject(registry, true);
            sockets.close();
        } catch (IOException e) {
            throw new UncheckedIOException("Cannot stop serving JMX at " + address(), e);
        }
    }

    private static JmxServer serve(
            MBeanServer beans, BoundSocketFactory sockets, Registry registry, JmxRefusals refusals) throws IOException {
        Map<String, Object> environment = Map.of(
                RMIConnectorServer.CREDENTIALS_FILTER_PATTERN, CREDENTIAL_FILTER,
                RMIConnectorServer.SERIAL_FILTER_PATTERN, CALL_FILTER);
        // One socket serves the registry and the calls only if both are exported with equal factories.
        RMIJRMPServerImpl remote = new RMIJRMPServerImpl(sockets.port(), null, sockets, environment);
        JMXServiceURL url = new JMXServiceURL("rmi", sockets.host(), sockets.port());
        RMIConnectorServer connector = new RMIConnectorServer(url, environment, remote, beans);
        connector.setMBeanServerForwarder(RemoteAccess.forwarder(refusals));
        connector.start();
        try {
            registry.bind("jmxrmi", remote.toStub());
        } catch (AlreadyBoundException impossible) {
            throw new IllegalStateException("A new RMI registry already has an entry", impossible);
        }
        return new JmxServer(sockets, registry, connector);
    }

    private static IOException refusal(String host, int port, RemoteException e) {
        if (e.getCause() instanceof BindException) {
            return new IOException(
                    "JMX cannot listen on " + host + ":" + port + " (config keys jmx.host, jmx.port): "
                            + e.getCause().getMessage(),
                    e);
        }
        return new IOException("JMX cannot start on " + host + ":" + port + " (config keys jmx.host, jmx.port)", e);
    }

    /** Receives each refusal of the JMX server. No method may block. */
    public interface JmxRefusals {
        /** A connection was closed at once. */
        void connection(JmxCaller client, String why);

        /**
         * A client called an operation that it may not call. Refused reads are not reported: jconsole tries them with
         * each MBean.
         */
        void call(JmxCaller caller, String operation, String why);
    }
}
