package io.twinbell.persistence.takeover;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/**
 * A minimal pooler between client and PostgreSQL. Like every pooler it announces a made-up process number, because
 * behind a pooler each transaction may run in another process.
 */
final class RenumberingPooler implements AutoCloseable {
    private static final byte[] KEY_DATA = {'K', 0, 0, 0, 12};

    private final ServerSocket listening = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
    private final ExecutorService pumps = Executors.newCachedThreadPool();
    private final int serverPort;

    RenumberingPooler(int serverPort) throws IOException {
        this.serverPort = serverPort;
        pumps.submit(this::accept);
    }

    int port() {
        return listening.getLocalPort();
    }

    private Void accept() throws IOException {
        while (true) {
            Socket client = listening.accept();
            Socket server = new Socket(InetAddress.getLoopbackAddress(), serverPort);
            pumps.submit(() -> pump(client, server, false));
            pumps.submit(() -> pump(server, client, true));
        }
    }

    private Void pump(Socket from, Socket to, boolean isAnswer) throws IOException {
        try (from;
                to) {
            InputStream in = from.getInputStream();
            OutputStream out = to.getOutputStream();
            int matched = 0;
            boolean renumbered = !isAnswer;
            for (int next = in.read(); next >= 0; next = in.read()) {
                if (!renumbered && matched == KEY_DATA.length) {
                    // The highest byte of the process number, so that no real process has this number.
                    out.write(0x7e);
                    renumbered = true;
                    continue;
                }
                matched = !renumbered && next == KEY_DATA[matched] ? matched + 1 : 0;
                out.write(next);
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
