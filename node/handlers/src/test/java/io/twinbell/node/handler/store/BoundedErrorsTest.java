package io.twinbell.node.handler.store;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a server sends to a session whose statements are not the node's own. */
class BoundedErrorsTest {
    private static final int MEGABYTE = 1 << 20;

    private ServerSocket listener;
    private Socket client;
    private Socket server;

    @BeforeEach
    void connect() throws IOException {
        listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        client = new BoundedErrors().createSocket();
        client.connect(listener.getLocalSocketAddress());
        server = listener.accept();
    }

    @AfterEach
    void close() throws IOException {
        client.close();
        server.close();
        listener.close();
    }

    /** Reads so many bytes that the server sends. */
    private void transfer(byte[] head, int more) throws Exception {
        Thread sender = new Thread(() -> {
            try {
                OutputStream out = server.getOutputStream();
                out.write(head);
                out.write(new byte[more]);
            } catch (IOException e) {
                // The client has closed.
            }
        });
        sender.start();
        try {
            InputStream in = client.getInputStream();
            in.readNBytes(head.length);
            in.readNBytes(more);
        } catch (IOException e) {
            client.close();
            throw e;
        } finally {
            sender.join();
        }
    }

    private static byte[] message(char type, int inside) {
        return ByteBuffer.allocate(5).put((byte) type).putInt(inside + 4).array();
    }

    private static String refusal(IOException e) {
        return BoundedErrors.refusal(new SQLException("the driver's words", new IOException(e)));
    }

    @Test
    void rows_are_not_its_concern_and_a_long_error_is_refused() throws Exception {
        transfer(message('D', 3 * MEGABYTE), 3 * MEGABYTE);
        transfer(message('E', MEGABYTE), MEGABYTE);
        IOException e = assertThrows(IOException.class, () -> transfer(message('E', 1), 1));
        assertEquals("an error or notice of more than 1 MB", refusal(e));
    }

    @Test
    void the_whole_answer_on_an_encrypted_session_is_bounded() throws Exception {
        transfer(new byte[] {'S'}, 0);
        transfer(new byte[0], 11 * MEGABYTE);
        client.getOutputStream().write(new byte[7]);
        transfer(new byte[0], 11 * MEGABYTE);
        IOException e = assertThrows(IOException.class, () -> transfer(new byte[0], MEGABYTE + 1));
        assertEquals("a response of more than 12 MB", refusal(e));
    }

    @Test
    void other_failures_are_no_refusals() {
        assertNull(BoundedErrors.refusal(new SQLException("no", new IOException("the server is gone"))));
        assertNull(BoundedErrors.refusal(new SQLException("no")));
    }
}
