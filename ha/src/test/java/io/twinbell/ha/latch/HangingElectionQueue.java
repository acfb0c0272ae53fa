package io.twinbell.ha.latch;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Semaphore;

/** A path to a server on this machine that can hang: connections stay open, but nothing passes. */
final class HangingElectionQueue implements AutoCloseable {
    private final ServerSocket listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final ExecutorService pumps = Executors.newCachedThreadPool();
    private final Semaphore open = new Semaphore(Integer.MAX_VALUE, true);
    private final int serverPort;

    HangingElectionQueue(int serverPort) throws IOException {
        this.serverPort = serverPort;
        pumps.submit(this::accept);
    }

    String connectString() {
        return "127.0.0.1:" + listening.getLocalPort();
    }

    void hang() {
        open.acquireUninterruptibly(Integer.MAX_VALUE);
    }

    void goOn() {
        open.release(Integer.MAX_VALUE);
    }

    private Void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
            pumps.submit(() -> pump(client, server));
            pumps.submit(() -> pump(server, client));
        }
    }

    private Void pump(Socket from, Socket to) throws IOException, InterruptedException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            byte[] bytes = new byte[4096];
            for (int read = in.read(bytes); read >= 0; read = in.read(bytes)) {
                open.acquire();
                open.release();
                out.write(bytes, 0, read);
            }
            return null;
        }
    }

    @Override
    public void close() throws IOException {
        listening.close();
        pumps.shutdownNow();
    }
}
