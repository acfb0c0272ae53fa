package io.twinbell.node.api.server;

import java.net.SocketAddress;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Connection;

/**
 * One connection, and what it is doing. The peer's pace is measured over windows, not on average: whoever sends much at first
 * and then stops would otherwise be allowed to stop for long.
 */
final class TrackedConnection {
    /** What the server expects next. */
    enum Phase {
        /** For a request, or for the rest of its headers. */
        WAITING,
        /** For the rest of a body. */
        RECEIVING,
        /** Nothing from the peer: the request is being carried out. */
        HANDLING,
        /** That the peer takes the answer. */
        SENDING
    }

    private final Connection connection;
    private final Object address;
    private Phase phase = Phase.WAITING;
    private long sinceNanos;
    private boolean hasServed;
    private long windowNanos;
    private long windowBytes;
    private long held;

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
        held = 0;
        hasServed |= next == Phase.HANDLING;
    }

    /** @param bytes how many went through since the last call */
    synchronized void moved(long bytes) {
        windowBytes += bytes;
    }

    /** @param bytes by which the memory held for this connection has grown, or shrunk if it is negative */
    synchronized void holds(long bytes) {
        held += bytes;
    }

    synchronized long held() {
        return held;
    }

    synchronized boolean isIn(Phase asked) {
        return phase == asked;
    }

    synchronized long ageNanos(long nowNanos) {
        return nowNanos - sinceNanos;
    }

    /** Whether the peer has used up its time, or has moved too little in the latest window. */
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

    /** Ends what the connection is in the middle of; a peer that still sends a body is told why. */
    void end(String reason) {
        if (!isIn(Phase.RECEIVING) || connection.onIdleExpired(new TimeoutException(reason))) {
            connection.getEndPoint().close(new TimeoutException(reason));
        }
    }
}
