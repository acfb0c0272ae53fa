package io.twinbell.test;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** The way from one node to one server: a port of this machine that passes bytes on, until it is cut. */
final class NetworkLink implements AutoCloseable {
    private static final int BACKLOG = 50;
    private static final int BUFFER_BYTES = 16 * 1024;

    private final NetworkAddress server;
    private final ServerSocket listener;
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile boolean isCut;

    NetworkLink(NetworkAddress server) {
        this.server = server;
        try {
            listener = new ServerSocket(0, BACKLOG, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        start("link to " + server, this::acceptUntilClosed);
    }

    /** The address to use in place of the server's. */
    NetworkAddress entrance() {
        return new NetworkAddress("127.0.0.1", listener.getLocalPort());
    }

    /** Breaks the connections, and refuses new ones. */
    void cut() {
        isCut = true;
        open.forEach(NetworkLink::closeQuietly);
    }

    void heal() {
        isCut = false;
    }

    @Override
    public void close() {
        closeQuietly(listener);
        cut();
    }

    private void acceptUntilClosed() {
        while (!listener.isClosed()) {
            try {
                connect(listener.accept());
            } catch (IOException e) {
                // The listener was closed, or the server does not answer: the node sees a broken connection.
                continue;
            }
        }
    }

    private void connect(Socket near) throws IOException {
        open.add(near);
        Socket far = null;
        if (!isCut) {
            try {
                far = new Socket(server.host(), server.port());
                far.setTcpNoDelay(true);
                near.setTcpNoDelay(true);
                open.add(far);
            } catch (IOException e) {
                end(near);
                throw e;
            }
        }
        // A cut between the two checks has not seen both sockets.
        if (isCut || far == null) {
            end(near);
            if (far != null) {
                end(far);
            }
            return;
        }
        Socket other = far;
        start("to " + server, () -> pass(near, other));
        start("from " + server, () -> pass(other, near));
    }

    private void pass(Socket from, Socket to) {
        byte[] buffer = new byte[BUFFER_BYTES];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                out.write(buffer, 0, read);
            }
        } catch (IOException e) {
            // Closing both is how the other side learns of it.
        } finally {
            end(from);
            end(to);
        }
    }

    private void end(Socket socket) {
        closeQuietly(socket);
        open.remove(socket);
    }

    private static void closeQuietly(AutoCloseable socket) {
        try {
            socket.close();
        } catch (Exception e) {
            // It is gone either way.
            return;
        }
    }

    private static void start(String name, Runnable work) {
        Thread thread = new Thread(work, name);
        thread.setDaemon(true);
        thread.start();
    }
}
