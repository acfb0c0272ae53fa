package io.twinbell.tools.devpair;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;

/** A port on 127.0.0.1, the only address on which the dev services listen. */
final class LoopbackPort {
    static final String ADDRESS = "127.0.0.1";

    private LoopbackPort() {}

    /** Checks that a port is free before anything starts, so that a failure leaves nothing half started. */
    static void requireFree(String server, int port, String flag) throws RefusedToStart {
        try (ServerSocket probe = new ServerSocket()) {
            probe.bind(new InetSocketAddress(InetAddress.getByName(ADDRESS), port));
        } catch (IOException e) {
            throw new RefusedToStart(
                    "Port " + port + " for " + server + " is taken (" + e.getMessage() + "); choose another port"
                            + " with " + flag,
                    e);
        }
    }
}
