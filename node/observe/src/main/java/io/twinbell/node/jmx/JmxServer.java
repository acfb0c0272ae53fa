package io.twinbell.node.jmx;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.MalformedURLException;
import java.rmi.AlreadyBoundException;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.RMIClientSocketFactory;
import java.rmi.server.UnicastRemoteObject;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.MBeanServer;
import javax.management.remote.JMXServiceURL;
import javax.management.remote.rmi.RMIConnectorServer;
import javax.management.remote.rmi.RMIJRMPServerImpl;
import javax.rmi.ssl.SslRMIClientSocketFactory;

/**
 * Serves an MBean server to remote JMX clients on one fixed port. RMI registry and RMI calls share that port, so a
 * firewall needs one opening and {@code jconsole host:port} works. Without passwords and certificates, only the node's
 * own user, root and configured users of this machine may connect ({@link LoopbackAdmission}). {@link RemoteAccess}
 * limits what every client may call, and {@link SerialFilters} limits the types that are deserialised.
 */
public final class JmxServer implements AutoCloseable {
    private static final String HOSTNAME_IN_STUBS = "java.rmi.server.hostname";

    /**
     * The JDK connector's environment keys for authentication and authorisation; the JDK's own agent sets the same
     * ones.
     */
    private static final String PASSWORDS = "jmx.remote.x.password.file";

    private static final String WRITES_HASHES = "jmx.remote.x.password.toHashes";

    private static final String ACCESS = "jmx.remote.x.access.file";

    private final BoundSocketFactory sockets;
    private final Registry registry;
    private final AtomicBoolean closed = new AtomicBoolean();
    private final RMIConnectorServer connector;

    /** The sockets and the registry of one server. */
    private record Ports(BoundSocketFactory sockets, RMIClientSocketFactory clients, Registry registry) {}

    private JmxServer(BoundSocketFactory sockets, Registry registry, RMIConnectorServer connector) {
        this.sockets = sockets;
        this.registry = registry;
        this.connector = connector;
    }

    /** Starts a server that reports no refusals. */
    public static JmxServer start(MBeanServer beans, String host, int port, JmxSecurity security) throws IOException {
        return start(beans, host, port, security, JmxRefusals.NONE);
    }

    /**
     * Starts the server.
     *
     * @param host the address to bind, the config key {@code jmx.host}
     * @param port the config key {@code jmx.port}; 0 takes any free port
     * @param security access control, the config keys {@code jmx.passwords} and so on
     * @param refusals receives failed logins and refused calls
     * @throws IOException if the port is taken, a security file cannot be used, or the address does not belong to this
     *     machine; the message names the key
     */
    public static JmxServer start(MBeanServer beans, String host, int port, JmxSecurity security, JmxRefusals refusals)
            throws IOException {
        List<String> problems = security.problems();
        if (!problems.isEmpty()) {
            throw new IOException("JMX cannot start: " + String.join("; ", problems));
        }
        nameTheHostInStubs(host);
        TlsSockets tls = TlsSockets.of(security);
        BoundSocketFactory sockets = new BoundSocketFactory(host, tls, LoopbackAdmission.of(security, refusals));
        // One socket serves the registry and the calls only if both are exported with equal factories.
        RMIClientSocketFactory clients = tls == null ? null : new SslRMIClientSocketFactory();
        Registry registry;
        try {
            registry = LocateRegistry.createRegistry(port, clients, sockets);
        } catch (RemoteException e) {
            throw refusal(host, port, e);
        }
        try {
            return serve(beans, new Ports(sockets, clients, registry), security, refusals);
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

    /** The JMX service URL, for programs. */
    public String serviceUrl() {
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

    private static JmxServer serve(MBeanServer beans, Ports ports, JmxSecurity security, JmxRefusals refusals)
            throws IOException {
        BoundSocketFactory sockets = ports.sockets();
        Map<String, Object> environment = new HashMap<>();
        environment.put(RMIConnectorServer.CREDENTIALS_FILTER_PATTERN, SerialFilters.CREDENTIALS);
        environment.put(RMIConnectorServer.SERIAL_FILTER_PATTERN, SerialFilters.CALLS);
        if (security.asksForPasswords()) {
            environment.put(PASSWORDS, security.passwords().toString());
            environment.put(WRITES_HASHES, "true");
            environment.put(ACCESS, security.access().toString());
        }
        RMIJRMPServerImpl remote =
                new ReportingRmiServer(sockets.port(), ports.clients(), sockets, environment, refusals);
        RMIConnectorServer connector = new RMIConnectorServer(url(sockets), environment, remote, beans);
        // The connector puts its check of access rights before this forwarder.
        connector.setMBeanServerForwarder(RemoteAccess.forwarder());
        connector.start();
        connector.setMBeanServerForwarder(ReportedCalls.forwarder(refusals));
        try {
            ports.registry().bind("jmxrmi", remote.toStub());
        } catch (AlreadyBoundException impossible) {
            throw new IllegalStateException("A new RMI registry already has an entry", impossible);
        }
        return new JmxServer(sockets, ports.registry(), connector);
    }

    private static JMXServiceURL url(BoundSocketFactory sockets) throws MalformedURLException {
        return new JMXServiceURL("rmi", sockets.host(), sockets.port());
    }

    /**
     * Sets the host that RMI stubs carry as the address of the next call. By default it is this machine's first
     * address, where nothing listens when the server is bound to loopback. A wildcard address cannot be called, so the
     * default stays for it.
     */
    private static void nameTheHostInStubs(String host) {
        boolean wildcard = host.equals("0.0.0.0") || host.equals("::");
        if (!wildcard && System.getProperty(HOSTNAME_IN_STUBS) == null) {
            System.setProperty(HOSTNAME_IN_STUBS, host);
        }
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
}
