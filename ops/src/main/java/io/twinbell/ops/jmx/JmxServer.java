package io.twinbell.ops.jmx;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.MalformedURLException;
import java.rmi.AlreadyBoundException;
import java.rmi.RemoteException;
import java.rmi.registry.LocateRegistry;
import java.rmi.registry.Registry;
import java.rmi.server.UnicastRemoteObject;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.management.MBeanServer;
import javax.management.remote.JMXServiceURL;
import javax.management.remote.rmi.RMIConnectorServer;
import javax.management.remote.rmi.RMIJRMPServerImpl;

/**
 * Serves an MBean server to remote clients on one fixed port, for the RMI registry and the RMI calls alike, so that a
 * firewall needs one hole and {@code jconsole host:port} works. There is no password: bind it to a loopback address and
 * let operators come through a tunnel.
 */
public final class JmxServer implements AutoCloseable {
    private static final String HOSTNAME_IN_STUBS = "java.rmi.server.hostname";

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
     * @throws IOException if the port is taken or the address is not this machine's; the message names the key
     */
    public static JmxServer start(MBeanServer beans, String host, int port) throws IOException {
        nameTheHostInStubs(host);
        BoundSocketFactory sockets = new BoundSocketFactory(host);
        Registry registry;
        try {
            registry = LocateRegistry.createRegistry(port, null, sockets);
        } catch (RemoteException e) {
            throw refusal(host, port, e);
        }
        try {
            return serve(beans, sockets, registry);
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

    private static JmxServer serve(MBeanServer beans, BoundSocketFactory sockets, Registry registry)
            throws IOException {
        // Without authentication the credentials are never used, so nothing but text is let through the deserializer.
        Map<String, Object> environment =
                Map.of(RMIConnectorServer.CREDENTIALS_FILTER_PATTERN, String.class.getName() + ";!*");
        RMIJRMPServerImpl remote = new RMIJRMPServerImpl(sockets.port(), null, sockets, environment);
        RMIConnectorServer connector = new RMIConnectorServer(url(sockets), environment, remote, beans);
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
