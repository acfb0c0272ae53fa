package io.twinbell.ops.jmx;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;

/** The address of the client whose call the current thread performs: RMI reads a call on the thread that performs it. */
final class CallOrigin {
    private static final ThreadLocal<InetAddress> LAST_READ = new ThreadLocal<>();

    private CallOrigin() {}

    /** The address of the last client that the thread read from; null if it read from none. */
    static String ofThisThread() {
        InetAddress address = LAST_READ.get();
        return address == null ? null : address.getHostAddress();
    }

    /** A stream that notes the address for each thread that reads from it. */
    static InputStream noted(InputStream stream, InetAddress address) {
        return new FilterInputStream(stream) {
            @Override
            public int read() throws IOException {
                LAST_READ.set(address);
                return super.read();
            }

            @Override
            public int read(byte[] bytes, int offset, int length) throws IOException {
                LAST_READ.set(address);
                return super.read(bytes, offset, length);
            }
        };
    }
}
