package io.twinbell.node.handler.store;

import java.io.FilterInputStream;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import javax.net.SocketFactory;

/**
 * Creates sockets that limit the size of the server's answers, for sessions that run statements of tasks. The driver
 * reads each error and notice of the server completely, and a statement determines their length. So more than 1 MB of
 * them ends the session. If the session is encrypted, errors and rows look the same here, so the limit applies to the
 * whole answer to a request.
 */
public final class BoundedErrors extends SocketFactory {
    /** The driver property that names the socket factory. */
    public static final String PROPERTY = "socketFactory";

    private static final long MAX_BYTES = 1 << 20;

    /** Above the 8 MB to which the driver limits rows. */
    private static final long MOST_ENCRYPTED = 12 << 20;

    @Override
    public Socket createSocket() {
        return new Bounded();
    }

    @Override
    public Socket createSocket(String host, int port) throws IOException {
        throw notMeant();
    }

    @Override
    public Socket createSocket(String host, int port, InetAddress localHost, int localPort) throws IOException {
        throw notMeant();
    }

    @Override
    public Socket createSocket(InetAddress host, int port) throws IOException {
        throw notMeant();
    }

    @Override
    public Socket createSocket(InetAddress host, int port, InetAddress localHost, int localPort) throws IOException {
        throw notMeant();
    }

    /** The refusal that made a statement fail; null if it failed for another reason. */
    public static String refusal(Throwable failure) {
        int looked = 0;
        for (Throwable cause = failure; cause != null && looked < 20; cause = cause.getCause()) {
            if (cause instanceof TooLong) {
                return cause.getMessage();
            }
            looked++;
        }
        return null;
    }

    private static final class TooLong extends IOException {
        private static final long serialVersionUID = 1L;

        TooLong(String what) {
            super(what);
        }
    }

    private static IOException notMeant() {
        return new IOException("the PostgreSQL driver must connect its sockets itself");
    }

    private static final class Bounded extends Socket {
        private Messages messages;

        @Override
        public synchronized InputStream getInputStream() throws IOException {
            if (messages == null) {
                messages = new Messages(super.getInputStream());
            }
            return messages;
        }

        @Override
        public OutputStream getOutputStream() throws IOException {
            return new Requests(super.getOutputStream());
        }

        private synchronized void requested() {
            if (messages != null) {
                messages.answered = 0;
            }
        }

        private final class Requests extends FilterOutputStream {
            Requests(OutputStream out) {
                super(out);
            }

            @Override
            public void write(byte[] bytes, int offset, int length) throws IOException {
                requested();
                out.write(bytes, offset, length);
            }

            @Override
            public void write(int one) throws IOException {
                requested();
                out.write(one);
            }
        }
    }

    /** Parses the messages of the protocol: a type, a length of four bytes that includes itself, and the content. */
    private static final class Messages extends FilterInputStream {
        private boolean isFirst = true;
        private boolean isOpaque;
        private int type;
        private int lengthBytes = -1;
        private long length;
        private long inside;
        private long errorBytes;
        /** The number of bytes received since the last request. */
        private volatile long answered;

        Messages(InputStream in) {
            super(in);
        }

        @Override
        public int read() throws IOException {
            byte[] one = new byte[1];
            return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int most) throws IOException {
            int count = super.read(into, offset, most);
            int at = offset;
            if (isOpaque && count > 0) {
                answered += count;
                require(answered <= MOST_ENCRYPTED, "a response of more than 12 MB");
            }
            while (!isOpaque && at < offset + count) {
                if (inside > 0) {
                    int some = (int) Math.min(inside, offset + count - at);
                    inside -= some;
                    at += some;
                } else {
                    take(into[at++] & 0xff);
                }
            }
            return count;
        }

        private void take(int next) throws IOException {
            if (lengthBytes < 0) {
                begin(next);
                return;
            }
            length = length << 8 | next;
            lengthBytes++;
            if (lengthBytes == 4) {
                inside = Math.max(0, length - 4);
                lengthBytes = -1;
                look();
            }
        }

        /** The first message may be preceded by a single byte that answers the request for encryption. */
        private void begin(int next) {
            if (isFirst && next == 'N') {
                return;
            }
            isOpaque = isFirst && (next == 'S' || next == 'G');
            isFirst = false;
            type = next;
            length = 0;
            lengthBytes = 0;
        }

        private void look() throws IOException {
            if (type == 'Z') {
                errorBytes = 0;
            } else if (type == 'E' || type == 'N') {
                errorBytes += inside;
                require(errorBytes <= MAX_BYTES, "an error or notice of more than 1 MB");
            }
        }

        private static void require(boolean isShort, String orElse) throws IOException {
            if (!isShort) {
                throw new TooLong(orElse);
            }
        }
    }
}
