package io.twinbell.node.jmx;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.ObjectOutputStream;
import java.net.Socket;
import java.net.SocketException;

/** A call of RMI's wire protocol with an argument that no stub would send. */
final class RawRmiCall {
    private static final int MAGIC = 0x4a524d49;
    private static final int VERSION = 2;
    private static final int SINGLE_OPERATION = 0x4c;
    private static final int CALL = 0x50;

    private RawRmiCall() {}

    /**
     * Sends a call and reads the answer to its end.
     *
     * @param object the number of a well-known object: 0 is the registry, 2 the collector of remote references
     * @return how many bytes the server answered
     */
    static int send(int port, long object, int operation, long hash, Object argument) throws IOException {
        // In one piece, because a server that refuses the call may close before it has read the end.
        byte[] call = call(object, operation, hash, argument);
        try (Socket socket = new Socket("127.0.0.1", port)) {
            socket.setSoTimeout(10_000);
            socket.getOutputStream().write(call);
            return answered(socket.getInputStream());
        }
    }

    private static byte[] call(long object, int operation, long hash, Object argument) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        DataOutputStream head = new DataOutputStream(out);
        head.writeInt(MAGIC);
        head.writeShort(VERSION);
        head.write(SINGLE_OPERATION);
        head.write(CALL);
        try (ObjectOutputStream call = new ObjectOutputStream(out) {
            @Override
            protected void annotateClass(Class<?> type) throws IOException {
                writeObject(null);
            }
        }) {
            call.writeLong(object);
            call.writeInt(0);
            call.writeLong(0);
            call.writeShort(0);
            call.writeInt(operation);
            call.writeLong(hash);
            call.writeObject(argument);
        }
        return out.toByteArray();
    }

    private static int answered(InputStream in) throws IOException {
        int bytes = 0;
        try {
            while (in.read() >= 0) {
                bytes++;
            }
        } catch (SocketException e) {
            // What the server has not read when it closes resets the connection.
        }
        return bytes;
    }
}
