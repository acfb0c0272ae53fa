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
    private volatile HangingUp socket;

    /** @param tls null for none */
    BoundSocketFactory(String host, TlsSockets tls) {
        this.host = host;
        this.tls = tls;
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        HangingUp listening = new HangingUp(tls);
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

        HangingUp(TlsSockets tls) throws IOException {
            this.tls = tls;
        }

        @Override
        public Socket accept() throws IOException {
            synchronized (accepted) {
                Socket client = super.accept();
                accepted.removeIf(Socket::isClosed);
                accepted.add(client);
                return tls == null ? client : tls.over(client);
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
}
