package io.twinbell.persistence.testing;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A port of this machine for a server that a test starts later. It lies below the ports that systems give to outgoing
 * connections and to listeners that ask for any port, so that none of these takes it before the server has started.
 */
public final class FreePort {
    private static final int FIRST = 20_000;
    private static final int COUNT = 12_000;
    private static final AtomicInteger NEXT =
            new AtomicInteger(ThreadLocalRandom.current().nextInt(COUNT));

    private FreePort() {}

    /** A port at which nobody listens on any address. Calls in one process return different ports. */
    public static int take() {
        for (int tried = 0; tried < COUNT; tried++) {
            int port = FIRST + Math.floorMod(NEXT.getAndIncrement(), COUNT);
            if (isFree(port)) {
                return port;
            }
        }
        throw new IllegalStateException("no port of " + FIRST + " to " + (FIRST + COUNT - 1) + " is free");
    }

    private static boolean isFree(int port) {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(new InetSocketAddress((InetAddress) null, port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
