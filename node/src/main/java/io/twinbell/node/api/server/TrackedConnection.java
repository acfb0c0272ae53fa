package io.twinbell.node.api.server;

import java.net.SocketAddress;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Connection;

/**
 * One connection and its current phase. The peer's speed is measured in windows: by the average, a peer that first
 * sends much could stall for long.
 */
final class TrackedConnection {
    /** What the server waits for. */
    enum Phase {
        /** For a request, or for the rest of its headers. */
        WAITING,
        /** For the rest of a body. */
        RECEIVING,
        /** Not for the peer: the request is being processed. */
        HANDLING,
        /** For the peer to read the answer. */
        SENDING
    }

    private final Connection connection;
    private final Object address;
    private Phase phase = Phase.WAITING;
    private long sinceNanos;
    private boolean hasServed;
    private long windowNanos;
    private long windowBytes;
    private long heldBytes;

    TrackedConnection(Connection connection, long nowNanos) {
        this.connection = connection;
        address = Connections.address(connection.getEndPoint().getRemoteSocketAddress());
        sinceNanos = nowNanos;
    }

    Object address() {
        return address;
    }

    SocketAddress peer() {
        return connection.getEndPoint().getRemoteSocketAddress();
    }

    synchronized void enter(Phase next, long nowNanos) {
        phase = next;
        sinceNanos = nowNanos;
        windowNanos = nowNanos;
        windowBytes = 0;
        heldBytes = 0;
        hasServed |= next == Phase.HANDLING;
    }

    /** @param bytes transferred since the last call */
    synchronized void moved(long bytes) {
        windowBytes += bytes;
    }

    /** @param bytes change of the memory held for this connection; negative if it shrinks */
    synchronized void holds(long bytes) {
        heldBytes += bytes;
    }

    synchronized long heldBytes() {
        return heldBytes;
    }

    synchronized boolean isIn(Phase asked) {
        return phase == asked;
    }

    synchronized long ageNanos(long nowNanos) {
        return nowNanos - sinceNanos;
    }

    /** Whether the peer has used up its time, or has transferred too little in the latest window. */
    synchronized boolean isTooSlow(Connections.Patience patience, long nowNanos) {
        long age = nowNanos - sinceNanos;
        if (phase == Phase.WAITING) {
            return age > (hasServed ? patience.idleNanos() : patience.firstRequestNanos());
        }
        if (phase == Phase.HANDLING) {
            return false;
        }
        if (age > patience.transferNanos()) {
            return true;
        }
        if (nowNanos - windowNanos < patience.windowNanos()) {
            return false;
        }
        boolean isSlow = windowBytes < patience.bytesPerWindow();
        windowNanos = nowNanos;
        windowBytes = 0;
        return isSlow;
    }

    /** Closes the connection; a peer that still sends a body gets the reason as an answer. */
    void end(String reason) {
        if (!isIn(Phase.RECEIVING) || connection.onIdleExpired(new TimeoutException(reason))) {
            connection.getEndPoint().close(new TimeoutException(reason));
        }
    }
}
