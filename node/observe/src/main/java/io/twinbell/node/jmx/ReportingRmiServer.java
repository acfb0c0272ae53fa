package io.twinbell.node.jmx;

import java.io.IOException;
import java.rmi.server.RMIClientSocketFactory;
import java.rmi.server.RMIServerSocketFactory;
import java.util.Map;
import javax.management.remote.rmi.RMIConnection;
import javax.management.remote.rmi.RMIJRMPServerImpl;

/** The JDK's server object, which also reports failed logins. */
final class ReportingRmiServer extends RMIJRMPServerImpl {
    private final JmxRefusals refusals;

    ReportingRmiServer(
            int port,
            RMIClientSocketFactory clients,
            RMIServerSocketFactory sockets,
            Map<String, ?> environment,
            JmxRefusals refusals)
            throws IOException {
        super(port, clients, sockets, environment);
        this.refusals = refusals;
    }

    @Override
    public RMIConnection newClient(Object credentials) throws IOException {
        try {
            return super.newClient(credentials);
        } catch (SecurityException e) {
            refusals.login(JmxCaller.of(user(credentials)), e.getMessage());
            throw e;
        }
    }

    private static String user(Object credentials) {
        return credentials instanceof String[] parts && parts.length > 0 ? parts[0] : null;
    }
}
