package io.twinbell.node.api.server;

import java.nio.channels.SelectableChannel;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.util.IO;

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
        SENDING,
        /** Not for the peer: the answer is a refusal that is sent late. */
        DELAYED
    }

    private final SelectableChannel channel;
    private final String network;
    private final ConnectionLimits.Port port;
    private Connection connection;
    private boolean usesReserve;
    private Phase phase = Phase.WAITING;
    private long sinceNanos;
    private boolean hasServed;
    private long windowNanos;
    private long windowBytes;
    private long heldBytes;

    /** @param network tells the peer apart from others */
    TrackedConnection(SelectableChannel channel, String network, ConnectionLimits.Port port, long nowNanos) {
        this.channel = channel;
        this.network = network;
        this.port = port;
        sinceNanos = nowNanos;
    }

    SelectableChannel channel() {
        return channel;
    }

    String network() {
        return network;
    }

    ConnectionLimits.Port port() {
        return port;
    }

    /** @param outer the connection; inside TLS, the HTTP connection follows */
    synchronized void opened(Connection outer) {
        connection = outer;
    }

    synchronized boolean usesReserve() {
        return usesReserve;
    }

    /** @param uses whether it is one more than the limit allows */
    synchronized void usesReserve(boolean uses) {
        usesReserve = uses;
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

    synchronized Phase phase() {
        return phase;
    }

    synchronized long ageNanos(long nowNanos) {
        return nowNanos - sinceNanos;
    }

    /** Whether the peer has used up its time, or has transferred too little in the latest window. */
    synchronized boolean isTooSlow(Connections.Patience patience, long nowNanos) {
        long age = nowNanos - sinceNanos;
        if (phase == Phase.WAITING) {
            return age > (hasServed ? patience.idle() : patience.firstRequest()).toNanos();
        }
        if (phase == Phase.HANDLING || phase == Phase.DELAYED) {
            return false;
        }
        if (age > patience.transfer().toNanos()) {
            return true;
        }
        if (nowNanos - windowNanos < patience.window().toNanos()) {
            return false;
        }
        boolean isSlow = windowBytes < patience.bytesPerWindow();
        windowNanos = nowNanos;
        windowBytes = 0;
        return isSlow;
    }

    /** Closes the connection; a peer that still sends a body gets the reason as an answer. */
    void end(String reason) {
        TimeoutException why = new TimeoutException(reason);
        Connection ended;
        boolean isReceiving;
        synchronized (this) {
            ended = connection;
            isReceiving = phase == Phase.RECEIVING;
        }
        if (ended == null) {
            IO.close(channel);
        } else if (!isReceiving || ended.onIdleExpired(why)) {
            ended.getEndPoint().close(why);
        }
    }
}
