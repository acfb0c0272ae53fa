package io.twinbell.node.api.server;

import io.twinbell.node.api.server.TrackedConnection.Phase;
import io.twinbell.persistence.clock.Ticker;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.time.Duration;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.ssl.SslConnection;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.Scheduler;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tracks every open connection, and bounds their number and their waiting times. A new connection is always accepted;
 * if there are too many, the one that has waited longest without a request is closed. A health check, which sends its
 * request as soon as it is connected, is therefore answered even if another client opens the maximum number of
 * connections.
 */
public final class Connections extends Handler.Wrapper implements Connection.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(Connections.class);
    private static final long SWEEP_MILLIS = 500;
    private static final long BETWEEN_WARNINGS = Duration.ofMinutes(1).toNanos();

    private final Bounds bounds;
    private final Ticker ticker;
    private final Map<Connection, TrackedConnection> open = new ConcurrentHashMap<>();
    private volatile Scheduler.Task next = () -> false;
    private volatile boolean isSweeping;
    private long warnedNanos;
    private boolean hasWarned;

    /**
     * @param total the maximum number of connections
     * @param perAddress the maximum number of connections from one address
     */
    public record Bounds(int total, int perAddress, Patience patience) {}

    /**
     * The time limits for a peer.
     *
     * @param firstRequest until the headers of a new connection's first request are complete
     * @param idle until the headers of the next request are complete
     * @param transfer for sending a whole body, or for reading a whole answer
     * @param window the period in which the peer must send or read at least {@code bytesPerWindow}
     */
    public record Patience(
            Duration firstRequest, Duration idle, Duration transfer, Duration window, long bytesPerWindow) {
        long firstRequestNanos() {
            return firstRequest.toNanos();
        }

        long idleNanos() {
            return idle.toNanos();
        }

        long transferNanos() {
            return transfer.toNanos();
        }

        long windowNanos() {
            return window.toNanos();
        }
    }

    public Connections(Bounds bounds, Ticker ticker) {
        this.bounds = bounds;
        this.ticker = ticker;
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
        for (TrackedConnection connection : open.values()) {
            if (connection.isTooSlow(bounds.patience(), now)) {
                LOG.debug("ending the connection of {}: too slow", connection.peer());
                connection.end("the peer was too slow");
            }
        }
    }

    @Override
    public void onOpened(Connection connection) {
        if (connection instanceof SslConnection) {
            // The HTTP connection inside it is tracked, from before the handshake.
            return;
        }
        TrackedConnection opened = new TrackedConnection(connection, ticker.nanos());
        open.put(connection, opened);
        if (open.size() > bounds.total()) {
            makeRoom(opened, other -> true, bounds.total() + " connections");
        } else if (open.size() > bounds.perAddress()) {
            Predicate<TrackedConnection> sameAddress = other -> other.address().equals(opened.address());
            if (open.values().stream().filter(sameAddress).count() > bounds.perAddress()) {
                makeRoom(opened, sameAddress, bounds.perAddress() + " connections of " + opened.address());
            }
        }
    }

    private void makeRoom(TrackedConnection opened, Predicate<TrackedConnection> among, String bound) {
        warn(bound);
        oldest(Phase.WAITING, other -> other != opened && among.test(other))
                .or(() -> oldest(Phase.RECEIVING, among))
                .orElse(opened)
                .end("limit reached: " + bound);
    }

    private Optional<TrackedConnection> oldest(Phase phase, Predicate<TrackedConnection> among) {
        long now = ticker.nanos();
        return open.values().stream()
                .filter(connection -> connection.isIn(phase) && among.test(connection))
                .max(Comparator.comparingLong(connection -> connection.ageNanos(now)));
    }

    /** Closes the connection in this phase that holds the most memory and is older than a second. */
    boolean closeLargest(Phase phase, String reason) {
        long now = ticker.nanos();
        Optional<TrackedConnection> largest = open.values().stream()
                .filter(connection -> connection.isIn(phase)
                        && connection.heldBytes() > 0
                        && connection.ageNanos(now) > Duration.ofSeconds(1).toNanos())
                .max(Comparator.comparingLong(TrackedConnection::heldBytes));
        largest.ifPresent(connection -> {
            warn(reason);
            connection.end(reason);
        });
        return largest.isPresent();
    }

    private synchronized void warn(String bound) {
        long now = ticker.nanos();
        if (!hasWarned || now - warnedNanos > BETWEEN_WARNINGS) {
            hasWarned = true;
            warnedNanos = now;
            LOG.warn(
                    "the HTTP API has reached its limit of {}; it closes the slowest or longest idle connections",
                    bound);
        }
    }

    @Override
    public void onClosed(Connection connection) {
        open.remove(connection);
    }

    int size() {
        return open.size();
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        TrackedConnection connection = of(request);
        connection.enter(Phase.HANDLING, ticker.nanos());
        Request.addCompletionListener(request, failure -> connection.enter(Phase.WAITING, ticker.nanos()));
        return super.handle(request, response, callback);
    }

    TrackedConnection of(Request request) {
        Connection connection = request.getConnectionMetaData().getConnection();
        TrackedConnection tracked = open.get(connection);
        return tracked == null ? new TrackedConnection(connection, ticker.nanos()) : tracked;
    }

    void enter(Request request, Phase phase) {
        of(request).enter(phase, ticker.nanos());
    }

    static Object address(SocketAddress peer) {
        return peer instanceof InetSocketAddress internet && internet.getAddress() != null
                ? internet.getAddress()
                : peer;
    }
}
