package io.twinbell.node.jmx;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.util.OptionalLong;

/**
 * The client whose call the current thread performs: RMI reads a call on the thread that performs it.
 *
 * @param localUser the id of the user of this machine who opened the connection; empty if it is unknown
 */
record CallOrigin(InetAddress address, OptionalLong localUser) {
    private static final ThreadLocal<CallOrigin> LAST_READ = new ThreadLocal<>();

    /** The last client that the thread read from; null if it read from none. */
    static CallOrigin ofThisThread() {
        return LAST_READ.get();
    }

    /** A stream that notes this client for each thread that reads from it. */
    InputStream noted(InputStream stream) {
        return new FilterInputStream(stream) {
            @Override
            public int read() throws IOException {
                LAST_READ.set(CallOrigin.this);
                return super.read();
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                LAST_READ.set(CallOrigin.this);
                return super.read(bytes, offset, length);
            }
        };
    }
}
