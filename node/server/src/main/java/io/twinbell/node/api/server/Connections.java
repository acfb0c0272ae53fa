package io.twinbell.node.api.server;

import io.twinbell.node.api.server.TrackedConnection.Phase;
import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks every open connection from its first request on, and bounds the times for which it waits for its peer. {@link
 * ConnectionLimits} bounds their number.
 */
public final class Connections extends Handler.Wrapper {
    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);
    private static final long SWEEP_MILLIS = 500;
    private static final int UNAVAILABLE = 503;
    private static final String TRACKED = TrackedConnection.class.getName();
    private final Patience patience;
    private final Predicate<Request> isUrgent;
    private final Ticker ticker;
    private final ConnectionLimits limits;
    private volatile Scheduler.Task next = () -> false;
    private volatile boolean isSweeping;
    /**
     * The time limits for a peer.
     *
     * @param firstRequest until the headers of a new connection's first request are complete
     * @param idle until the headers of the next request are complete
     * @param transfer for sending a whole body, or for reading a whole answer
     * @param window the period in which the peer must send or read at least {@code bytesPerWindow}
     */
    public record Patience(
            Duration firstRequest, Duration idle, Duration transfer, Duration window, long bytesPerWindow) {}

    /** @param isUrgent whether a request is answered also on a connection beyond the limit */
    public Connections(Patience patience, Predicate<Request> isUrgent, Ticker ticker) {
        this.patience = patience;
        this.isUrgent = isUrgent;
        this.ticker = ticker;
        limits = new ConnectionLimits(ticker);
    }

    @Override
    protected void doStart() throws Exception {
        super.doStart();
        isSweeping = true;
        sweepLater();
    }

    @Override
    protected void doStop() throws Exception {
        isSweeping = false;
        next.cancel();
        super.doStop();
    }

    private void sweepLater() {
        next = getServer()
                .getScheduler()
                .schedule(
                        () -> {
                            if (isSweeping) {
                                try {
                                    step();
                                } finally {
                                    sweepLater();
                                }
                            }
                        },
                        SWEEP_MILLIS,
                        TimeUnit.MILLISECONDS);
    }

    /** Makes one pass over all connections, and closes those whose peers are too slow. */
    void step() {
        long now = ticker.nanos();
        for (TrackedConnection connection : limits.open()) {
            if (connection.isTooSlow(patience, now)) {
                LOG.debug("ending a connection of {}: too slow", connection.network());
                connection.end("the peer was too slow");
            }
        }
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        Optional<TrackedConnection> tracked =
                limits.tracked(request.getConnectionMetaData().getConnection());
        if (tracked.isEmpty()) {
            // It was closed for another one. Without this, the client may still read an answer of 500.
            TimeoutException closed = new TimeoutException(ConnectionLimits.TOO_MANY);
            request.getConnectionMetaData().getConnection().getEndPoint().close(closed);
            callback.failed(closed);
            return true;
        }
        TrackedConnection connection = tracked.get();
        request.setAttribute(TRACKED, connection);
        Request.addCompletionListener(request, failure -> limits.enter(connection, Phase.WAITING));
        if (!limits.hasPlace(connection, isUrgent.test(request))) {
            limits.enter(connection, Phase.SENDING);
            response.getHeaders().put(HttpHeader.CONNECTION, "close");
            new EarlyRefusal(UNAVAILABLE, ConnectionLimits.TOO_MANY).write(request, response, callback);
            return true;
        }
        return super.handle(request, response, callback);
    }

    /** Counts the connections of one more port. */
    public ConnectionLimits.Port port(ConnectionLimits.Bounds bounds) {
        return limits.new Port(bounds);
    }

    ConnectionLimits limits() {
        return limits;
    }

    TrackedConnection of(Request request) {
        return (TrackedConnection) request.getAttribute(TRACKED);
    }
}
