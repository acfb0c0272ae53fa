package io.twinbell.node.jmx;

import java.io.IOException;
import java.io.InputStream;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.rmi.server.RMIServerSocketFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Server socket factory of JMX: listens on one address only, and can close the connections of its clients. RMI shares
 * one socket between exports whose port and factory are equal. Equality is identity here, so one instance serves both
 * the registry and the connector.
 */
final class BoundSocketFactory implements RMIServerSocketFactory {
    private static final int BACKLOG = 50;

    private final InetAddress address;
    private final LoopbackAdmission admission;
    private volatile RefusingServerSocket socket;

    BoundSocketFactory(InetAddress address, LoopbackAdmission admission) {
        this.address = address;
        this.admission = admission;
    }

    @Override
    public ServerSocket createServerSocket(int port) throws IOException {
        RefusingServerSocket listening = new RefusingServerSocket(admission);
        try {
            listening.bind(new InetSocketAddress(address, port), BACKLOG);
        } catch (IOException e) {
            listening.close();
            throw e;
        }
        socket = listening;
        return listening;
    }

    /** The address as a URL shows it. */
    String host() {
        return address instanceof Inet6Address ? "[" + address.getHostAddress() + "]" : address.getHostAddress();
    }

    int port() {
        return socket.getLocalPort();
    }

    /**
     * Closes the socket and its connections. RMI closes neither a socket opened for port 0 nor the connections of its
     * clients.
     */
    void close() throws IOException {
        socket.close();
    }

    /**
     * Server socket that closes its accepted connections when it is closed. A client keeps its connection for later
     * calls. If the connection stayed open, these calls would reach the objects of the closed server and not its
     * successor on the same port.
     */
    private static final class RefusingServerSocket extends ServerSocket {
        private final List<Socket> accepted = new ArrayList<>();
        private final LoopbackAdmission admission;

        RefusingServerSocket(LoopbackAdmission admission) throws IOException {
            this.admission = admission;
        }

        @Override
        public Socket accept() throws IOException {
            synchronized (accepted) {
                RemoteClientSocket client = next();
                accepted.add(client);
                return client;
            }
        }

        /** Accepts the next admitted connection. A refused connection is closed before anything is read from it. */
        private RemoteClientSocket next() throws IOException {
            while (true) {
                RemoteClientSocket client = new RemoteClientSocket();
                implAccept(client);
                accepted.removeIf(Socket::isClosed);
                InetSocketAddress own = new InetSocketAddress(client.getLocalAddress(), client.getLocalPort());
                Optional<JmxCaller> admitted = admission.admit(client.origin(), own, accepted.size());
                if (admitted.isPresent()) {
                    client.caller = admitted.get();
                    return client;
                }
                client.close();
            }
        }

        /** Returns once the port is free. The kernel keeps the port until the accepting thread has left its call. */
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
     * Socket that hides the client's address. RMI's registry lets every process of this machine change its entries. The
     * registry refuses changes from an unknown origin before it reads the arguments. {@link JmxCaller} keeps the
     * address.
     */
    private static final class RemoteClientSocket extends Socket {
        /** Set once, before another thread has the socket. */
        private JmxCaller caller;

        @Override
        public InputStream getInputStream() throws IOException {
            return caller.noted(super.getInputStream());
        }

        @Override
        public InetAddress getInetAddress() {
            return null;
        }

        InetSocketAddress origin() {
            return new InetSocketAddress(super.getInetAddress(), getPort());
        }
    }
}
