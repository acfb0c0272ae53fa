package io.twinbell.ops.jmx;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.server.RMIServerSocketFactory;
import java.util.ArrayList;
import java.util.List;

/**
 * Listens on one address instead of all, and can hang up. RMI shares one socket between exports whose port and factory
 * are equal, so one instance (identity is equality) serves the registry and the connector.
 */
final class BoundSocketFactory implements RMIServerSocketFactory {
    private static final int BACKLOG = 50;

    private final String host;
    private final TlsSockets tls;
    private final LoopbackAdmission admission;
    private volatile HangingUp socket;

    /** @param tls null for none */
    BoundSocketFactory(String host, TlsSockets tls, LoopbackAdmission admission) {
        this.host = host;
        this.tls = tls;
        this.admission = admission;
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        HangingUp listening = new HangingUp(tls, admission);
        try {
            listening.bind(new InetSocketAddress(InetAddress.getByName(host), port), BACKLOG);
        } catch (IOException e) {
            listening.close();
            throw e;
        }
        socket = listening;
        return listening;
    }

    String host() {
        return host;
    }

    int port() {
        return socket.getLocalPort();
    }

    /** RMI itself closes neither a socket that was asked for as port 0 nor the connections of its clients. */
    void close() throws IOException {
        socket.close();
    }

    /**
     * Closes its connections with itself: a client keeps them for later calls, and would reach the objects of a server
     * that is gone instead of its successor on the same port.
     */
    private static final class HangingUp extends ServerSocket {
        private final List<Socket> accepted = new ArrayList<>();
        private final TlsSockets tls;
        private final LoopbackAdmission admission;

        HangingUp(TlsSockets tls, LoopbackAdmission admission) throws IOException {
            this.tls = tls;
            this.admission = admission;
        }

        @Override
        public Socket accept() throws IOException {
            synchronized (accepted) {
                FromElsewhere client = next();
                accepted.add(client);
                return tls == null ? client : tls.over(client, client.origin().getAddress());
            }
        }

        /** What is refused is closed before it is read from. */
        private FromElsewhere next() throws IOException {
            while (true) {
                FromElsewhere client = new FromElsewhere();
                implAccept(client);
                accepted.removeIf(Socket::isClosed);
                InetSocketAddress own = new InetSocketAddress(client.getLocalAddress(), client.getLocalPort());
                if (admission.admits(client.origin(), own, accepted.size())) {
                    return client;
                }
                client.close();
            }
        }

        /** Returns when the port is free: the kernel keeps it until the accepting thread has left its call. */
        @Override
        public void close() throws IOException {
            super.close();
            synchronized (accepted) {
                for (Socket client : accepted) {
                    client.close();
                }
                accepted.clear();
            }
        }
    }

    /**
     * A connection that does not say where it comes from. RMI's registry lets every process of this machine change its
     * entries; of an unknown origin it refuses that, before it reads the arguments.
     */
    private static final class FromElsewhere extends Socket {
        @Override
        public InetAddress getInetAddress() {
            return null;
        }

        InetSocketAddress origin() {
            return new InetSocketAddress(super.getInetAddress(), getPort());
        }
    }
}
