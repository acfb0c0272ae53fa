package io.twinbell.ops.jmx;

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
 * Serves an MBean server to remote clients on one fixed port, for the RMI registry and the RMI calls alike, so that a
 * firewall needs one hole and {@code jconsole host:port} works. Without passwords and certificates only the node's own
 * user, root and configured users of this machine may come in ({@link LoopbackAdmission}). Every client is bound to what
 * {@link RemoteAccess} allows, and to the types of {@link SerialFilters}.
 */
public final class JmxServer implements AutoCloseable {
    private static final String HOSTNAME_IN_STUBS = "java.rmi.server.hostname";

    /** By these the JDK's connector authenticates and authorises, as its own agent has it do. */
    private static final String PASSWORDS = "jmx.remote.x.password.file";

    private static final String ACCESS = "jmx.remote.x.access.file";

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
     * Starts serving.
     *
     * @param host the address to bind, the config key {@code jmx.host}
     * @param port the config key {@code jmx.port}; 0 takes any free port
     * @param security who may come in, the config keys {@code jmx.passwords} and so on
     * @throws IOException if the port is taken, a file of the security can't be used, or the address is not this machine's; the message names the key
     */
    public static JmxServer start(MBeanServer beans, String host, int port, JmxSecurity security) throws IOException {
        List<String> problems = security.problems();
        if (!problems.isEmpty()) {
            throw new IOException("JMX cannot start: " + String.join("; ", problems));
        }
        nameTheHostInStubs(host);
        TlsSockets tls = TlsSockets.of(security);
        BoundSocketFactory sockets = new BoundSocketFactory(host, tls, LoopbackAdmission.of(security));
        // One socket serves the registry and the calls only if both are exported alike.
        RMIClientSocketFactory clients = tls == null ? null : new SslRMIClientSocketFactory();
        Registry registry;
        try {
            registry = LocateRegistry.createRegistry(port, clients, sockets);
        } catch (RemoteException e) {
            throw refusal(host, port, e);
        }
        try {
            return serve(beans, sockets, clients, registry, security);
        } catch (IOException | RuntimeException e) {
            UnicastRemoteObject.unexportObject(registry, true);
            sockets.close();
            throw e;
        }
    }

    /** The address that jconsole takes: {@code host:port}. */
    public String address() {
        return sockets.host() + ":" + sockets.port();
    }

    /** The whole address, for programs. */
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

    private static JmxServer serve(
            MBeanServer beans,
            BoundSocketFactory sockets,
            RMIClientSocketFactory clients,
            Registry registry,
            JmxSecurity security)
            throws IOException {
        Map<String, Object> environment = new HashMap<>();
        environment.put(RMIConnectorServer.CREDENTIALS_FILTER_PATTERN, SerialFilters.CREDENTIALS);
        environment.put(RMIConnectorServer.SERIAL_FILTER_PATTERN, SerialFilters.CALLS);
        if (security.asksForPasswords()) {
            environment.put(PASSWORDS, security.passwords().toString());
            environment.put(ACCESS, security.access().toString());
        }
        RMIJRMPServerImpl remote = new RMIJRMPServerImpl(sockets.port(), clients, sockets, environment);
        RMIConnectorServer connector = new RMIConnectorServer(url(sockets), environment, remote, beans);
        // Behind the check of access rights, which the connector puts before it.
        connector.setMBeanServerForwarder(RemoteAccess.forwarder());
        connector.start();
        try {
            registry.bind("jmxrmi", remote.toStub());
        } catch (AlreadyBoundException impossible) {
            throw new IllegalStateException("A new registry already has an entry", impossible);
        }
        return new JmxServer(sockets, registry, connector);
    }

    private static JMXServiceURL url(BoundSocketFactory sockets) throws MalformedURLException {
        return new JMXServiceURL("rmi", sockets.host(), sockets.port());
    }

    /**
     * A stub carries the address that the client shall call next. Left alone it is this machine's first own address,
     * where nothing listens when we bind to loopback. A wildcard is no address to call, so there the default stays.
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
