package io.twinbell.node.pair;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** Listens on the port of a node, and gives the same answer to every request. */
public final class RudeNode implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final ExecutorService thread = Executors.newSingleThreadExecutor();

    public RudeNode(String answer) throws IOException {
        thread.submit(() -> {
            while (true) {
                try (Socket client = listening.accept()) {
                    answer(client, answer);
                }
            }
        });
    }

    /** Answers a client. A client that only checks whether the host exists drops its connection at once. */
    private static void answer(Socket client, String answer) {
        try {
            client.getInputStream().read(new byte[4096]);
            client.getOutputStream().write(answer.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // No client is left to answer.
        }
    }

    public String url() {
        return "http://127.0.0.1:" + listening.getLocalPort();
    }

    /** Stops answering: a thread that waits in accept may still be given a client after its socket was closed. */
    @Override
    public void close() throws IOException {
        listening.close();
        thread.shutdownNow();
        try {
            if (!thread.awaitTermination(10, TimeUnit.SECONDS)) {
                throw new AssertionError("a client is still being answered");
            }
        } catch (InterruptedException e) {
            throw new InterruptedIOException();
        }
    }
}
