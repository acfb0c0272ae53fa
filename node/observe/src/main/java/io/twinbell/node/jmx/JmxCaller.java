package io.twinbell.node.jmx;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.rmi.server.RemoteServer;
import java.rmi.server.ServerNotActiveException;

/**
 * A client of JMX.
 *
 * @param name for logs and the audit: the id of the local user who opened the connection, {@code user id 1000}
 * @param address of the client; null for code in this process
 */
public record JmxCaller(String name, String address) {
    private static final String UNNAMED = "JMX client";
    /** What RMI has in the place of a client's address that a socket hides. */
    private static final String HIDDEN = "0.0.0.0";

    /** The last client that a thread read from. RMI reads a call on the thread that performs it. */
    private static final ThreadLocal<JmxCaller> LAST_READ = new ThreadLocal<>();

    /** The caller of the operation that runs now on this thread. */
    public static JmxCaller current() {
        try {
            String address = RemoteServer.getClientHost();
            // A call that came in by another RMI server of this process, such as the JDK's own agent, shows its
            // address.
            return address.equals(HIDDEN) ? LAST_READ.get() : new JmxCaller(UNNAMED, address);
        } catch (ServerNotActiveException local) {
            return new JmxCaller(UNNAMED, null);
        }
    }

    /** A client whose user is known. */
    static JmxCaller of(long localUser, InetAddress address) {
        return new JmxCaller("user id " + localUser, address.getHostAddress());
    }

    /** An admitted client whose user is not known. */
    static JmxCaller unnamed(InetAddress address) {
        return new JmxCaller(UNNAMED, address.getHostAddress());
    }

    /** A stream that notes this client for each thread that reads from it. */
    InputStream noted(InputStream stream) {
        return new FilterInputStream(stream) {
            @Override
            public int read() throws IOException {
                LAST_READ.set(JmxCaller.this);
                return super.read();
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                LAST_READ.set(JmxCaller.this);
                return super.read(bytes, offset, length);
            }
        };
    }
}
