package io.twinbell.lab.own;

import io.twinbell.tools.client.CommandClock;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * TCP proxy between a node and a server that can degrade the link: delay, silence in one or both directions, refused
 * connections or resets. Bytes in transit when a direction falls silent are delivered when it resumes, as with TCP.
 */
public final class TcpProxy implements AutoCloseable {
    private static final int BUFFER = 16 * 1024;
    private static final Duration LOOK_AGAIN = Duration.ofMillis(5);
    private static final int CONNECT_MILLIS = 2000;

    private final ServerSocket listener;
    private final InetSocketAddress target;
    private final CommandClock clock = new CommandClock();
    private final Set<Socket> open = ConcurrentHashMap.newKeySet();
    private volatile ProxyBehaviour proxyBehaviour = ProxyBehaviour.GOOD;
    private volatile boolean closed;

    /**
     * How the proxy forwards bytes.
     *
     * @param delay delay of each piece, in each direction
     * @param asks whether bytes from the node arrive
     * @param answers whether bytes from the server arrive
     * @param takes whether new connections are accepted
     */
    public record ProxyBehaviour(Duration delay, boolean asks, boolean answers, boolean takes) {
        public static final ProxyBehaviour GOOD = new ProxyBehaviour(Duration.ZERO, true, true, true);
        /** Drops everything without an error. */
        public static final ProxyBehaviour SILENT = new ProxyBehaviour(Duration.ZERO, false, false, true);
        /** Requests arrive and are executed, but no answer comes back. */
        public static final ProxyBehaviour ANSWERS_LOST = new ProxyBehaviour(Duration.ZERO, true, false, true);

        public static final ProxyBehaviour REFUSING = new ProxyBehaviour(Duration.ZERO, true, true, false);

        public static ProxyBehaviour slow(Duration delay) {
            return new ProxyBehaviour(delay, true, true, true);
        }
    }

    private TcpProxy(ServerSocket listener, InetSocketAddress target) {
        this.listener = listener;
        this.target = target;
    }

    static TcpProxy listen(String address, int port, InetSocketAddress target) throws IOException {
        ServerSocket listener = new ServerSocket();
        listener.setReuseAddress(true);
        listener.bind(new InetSocketAddress(address, port));
        TcpProxy proxy = new TcpProxy(listener, target);
        proxy.thread("accept", proxy::accept);
        return proxy;
    }

    public int port() {
        return listener.getLocalPort();
    }

    /** Changes the behaviour from now on, also for existing connections. */
    public void setBehaviour(ProxyBehaviour wanted) {
        proxyBehaviour = wanted;
    }

    /** Breaks every connection with a reset. */
    public void reset() {
        open.forEach(TcpProxy::reset);
    }

    private void accept() {
        while (!closed) {
            try {
                Socket client = listener.accept();
                if (proxyBehaviour.takes()) {
                    thread("connect", () -> connect(client));
                } else {
                    reset(client);
                }
            } catch (IOException e) {
                // The socket was closed, or the client left before it was accepted; the loop's condition distinguishes
                // the two.
                continue;
            }
        }
    }

    private void connect(Socket client) {
        Socket server = new Socket();
        open.add(client);
        open.add(server);
        try {
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            server.connect(target, CONNECT_MILLIS);
            thread("ask", () -> pass(client, server, true));
            thread("answer", () -> pass(server, client, false));
        } catch (IOException targetIsAway) {
            end(client, server);
        }
    }

    private void pass(Socket from, Socket to, boolean asks) {
        byte[] buffer = new byte[BUFFER];
        try {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            for (int read = in.read(buffer); read >= 0; read = in.read(buffer)) {
                clock.sleep(proxyBehaviour.delay());
                awaitSpeaking(asks);
                out.write(buffer, 0, read);
            }
            awaitSpeaking(asks);
        } catch (IOException oneOfThemHasGone) {
            awaitSpeaking(asks);
        } finally {
            end(from, to);
        }
    }

    /** Waits until the direction is no longer silent. A silent connection does not even report its end. */
    private void awaitSpeaking(boolean asks) {
        while (!closed && !(asks ? proxyBehaviour.asks() : proxyBehaviour.answers())) {
            clock.sleep(LOOK_AGAIN);
        }
    }

    private void end(Socket one, Socket other) {
        close(one);
        close(other);
        open.remove(one);
        open.remove(other);
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (IOException closedAlready) {
            return;
        }
        close(socket);
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException closedAlready) {
            return;
        }
    }

    private void thread(String job, Runnable work) {
        Thread thread = new Thread(work, "proxy-" + port() + "-" + job);
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        closed = true;
        listener.close();
        reset();
    }
}
