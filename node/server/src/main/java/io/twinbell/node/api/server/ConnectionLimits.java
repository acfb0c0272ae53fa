package io.twinbell.node.api.server;

import io.twinbell.node.access.ClientNetwork;
import io.twinbell.node.api.server.TrackedConnection.Phase;
import io.twinbell.persistence.clock.Ticker;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SelectableChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.io.Connection;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SelectorManager;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Bounds the number of connections. A connection counts from the moment it is accepted, so the bounds hold however fast
 * clients connect. A new connection is always accepted; if there are too many, the one that has waited longest is closed,
 * and one whose refusal is delayed before all others. Some connections beyond the limit are reserved for requests that
 * must be answered during a flood. The time of a step does not grow with the number of connections.
 */
public final class ConnectionLimits {
    private static final Logger LOG = LoggerFactory.getLogger(ConnectionLimits.class);
    static final String TOO_MANY = "this node has reached its limit of connections; try again later";
    private static final long BETWEEN_WARNINGS = Duration.ofMinutes(1).toNanos();
    /** The connections beyond a limit: this share of it. */
    private static final int RESERVED_SHARE = 20;

    private static final int FEWEST_RESERVED = 4;
    /** The maximum number of connections that are accepted and not yet opened. The kernel's queue has the rest. */
    static final int MOST_OPENING = 256;
    /** Each holds a request and a timer. */
    private static final int MOST_DELAYED = 500;

    static final int MOST_DELAYED_OF_NETWORK = 100;
    /** Whom to close for another connection: in this order, and in each phase the longest first. */
    private static final List<Phase> CLOSABLE = List.of(Phase.DELAYED, Phase.WAITING, Phase.RECEIVING, Phase.SENDING);

    private final Ticker ticker;
    private final Object lock = new Object();
    private final Map<Object, TrackedConnection> open = new ConcurrentHashMap<>();
    private long warnedNanos;
    private boolean hasWarned;

    /**
     * @param name of the port, for the log
     * @param total the maximum number of connections
     * @param perNetwork the maximum number of connections from one address, or from one /64 network of IPv6
     */
    public record Bounds(String name, int total, int perNetwork) {}

    /** Connections with a common limit. In each phase, the connection that has been in it longest is the first. */
    private static final class Group {
        private final String name;
        private final int limit;
        private final int mostDelayed;
        private final Map<Phase, Set<TrackedConnection>> byPhase = new EnumMap<>(Phase.class);
        private int size;
        private int delayed;

        Group(String name, int limit, int mostDelayed) {
            this.name = name;
            this.limit = limit;
            this.mostDelayed = mostDelayed;
            for (Phase phase : Phase.values()) {
                byPhase.put(phase, new LinkedHashSet<>());
            }
        }

        boolean isOver() {
            return size > limit;
        }

        boolean hasUsedReserve() {
            return size > limit + Math.max(limit / RESERVED_SHARE, FEWEST_RESERVED);
        }

        /** Whether it is within the limit once all connections that may be closed are. */
        boolean canGiveWay() {
            return size
                            - CLOSABLE.stream()
                                    .mapToInt(phase -> byPhase.get(phase).size())
                                    .sum()
                    <= limit;
        }

        Optional<TrackedConnection> longest(Phase phase) {
            return byPhase.get(phase).stream().findFirst();
        }

        Optional<TrackedConnection> closable() {
            return CLOSABLE.stream().flatMap(phase -> longest(phase).stream()).findFirst();
        }
    }

    ConnectionLimits(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Counts the connections of one port. */
    public final class Port implements SelectorManager.AcceptListener, Connection.Listener {
        private final Group all;
        private final int perNetwork;
        private final Map<String, Group> networks = new HashMap<>();
        private final Set<SelectableChannel> opening = new HashSet<>();

        public Port(Bounds bounds) {
            all = new Group(bounds.name(), bounds.total(), MOST_DELAYED);
            perNetwork = bounds.perNetwork();
        }

        /** Called by the thread that accepts. It waits while too many connections are not yet opened. */
        @Override
        public void onAccepting(SelectableChannel channel) {
            String network = network(channel);
            Optional<TrackedConnection> closed;
            synchronized (lock) {
                awaitOpened();
                opening.add(channel);
                TrackedConnection accepted = new TrackedConnection(channel, network, this, ticker.nanos());
                open.put(channel, accepted);
                networks.computeIfAbsent(
                        network, name -> new Group(all.name + ", from " + name, perNetwork, MOST_DELAYED_OF_NETWORK));
                groups(accepted).forEach(group -> {
                    group.size++;
                    group.byPhase.get(Phase.WAITING).add(accepted);
                });
                closed = over(accepted).flatMap(group -> {
                    warn(group.limit + " connections to " + group.name);
                    accepted.usesReserve(true);
                    return group.hasUsedReserve() ? group.closable() : group.longest(Phase.DELAYED);
                });
                closed.ifPresent(ConnectionLimits.this::forget);
            }
            closed.ifPresent(each -> each.end(TOO_MANY));
        }

        private void awaitOpened() {
            while (opening.size() >= MOST_OPENING) {
                try {
                    lock.wait();
                } catch (InterruptedException e) {
                    // The server stops.
                    Thread.currentThread().interrupt();
                    return;
                }
            }
        }

        @Override
        public void onAccepted(SelectableChannel channel) {
            synchronized (lock) {
                opening.remove(channel);
                lock.notifyAll();
            }
        }

        @Override
        public void onAcceptFailed(SelectableChannel channel, Throwable cause) {
            // Jetty also reports a channel that it could not open after it had reported it as accepted.
            onAccepted(channel);
            onClosed(channel);
        }

        @Override
        public void onOpened(Connection connection) {
            synchronized (lock) {
                Optional<TrackedConnection> tracked = tracked(connection);
                tracked.ifPresent(each -> each.opened(connection));
                if (tracked.isPresent()) {
                    return;
                }
            }
            connection.getEndPoint().close(new TimeoutException(TOO_MANY));
        }

        @Override
        public void onClosed(SelectableChannel channel) {
            synchronized (lock) {
                TrackedConnection closed = open.get(channel);
                if (closed != null) {
                    forget(closed);
                }
            }
        }

        int delayed() {
            synchronized (lock) {
                return all.delayed;
            }
        }

        private List<Group> groups(TrackedConnection connection) {
            return List.of(networks.get(connection.network()), all);
        }

        private Optional<Group> over(TrackedConnection connection) {
            return groups(connection).stream().filter(Group::isOver).findFirst();
        }

        private void forgetIfUnused(String network) {
            Group group = networks.get(network);
            if (group.size == 0 && group.delayed == 0) {
                networks.remove(network);
            }
        }
    }

    private static String network(SelectableChannel channel) {
        try {
            return ((SocketChannel) channel).getRemoteAddress() instanceof InetSocketAddress peer
                    ? ClientNetwork.of(peer.getAddress().getHostAddress())
                    : "";
        } catch (IOException e) {
            // The peer has closed it already.
            return "";
        }
    }

    /** Empty if the connection is being closed. */
    Optional<TrackedConnection> tracked(Connection connection) {
        EndPoint endPoint = connection.getEndPoint();
        while (endPoint instanceof EndPoint.Wrapper wrapper) {
            endPoint = wrapper.unwrap();
        }
        return Optional.ofNullable(open.get(endPoint.getTransport()));
    }

    private boolean isTracked(TrackedConnection connection) {
        return open.get(connection.channel()) == connection;
    }

    private void forget(TrackedConnection connection) {
        open.remove(connection.channel());
        connection.port().groups(connection).forEach(group -> {
            group.size--;
            group.byPhase.get(connection.phase()).remove(connection);
        });
        connection.port().forgetIfUnused(connection.network());
    }

    /** Only urgent requests use the reserve. Another request takes the place of connections that wait. */
    boolean hasPlace(TrackedConnection connection, boolean isUrgent) {
        List<TrackedConnection> closed = new ArrayList<>();
        synchronized (lock) {
            enter(connection, Phase.HANDLING);
            if (!connection.usesReserve() || isUrgent || !isTracked(connection)) {
                return true;
            }
            List<Group> groups = connection.port().groups(connection);
            if (!groups.stream().allMatch(Group::canGiveWay)) {
                return false;
            }
            for (Group group : groups) {
                while (group.isOver()) {
                    TrackedConnection each = group.closable().orElseThrow();
                    forget(each);
                    closed.add(each);
                }
            }
            connection.usesReserve(false);
        }
        closed.forEach(each -> each.end(TOO_MANY));
        return true;
    }

    void enter(TrackedConnection connection, Phase phase) {
        synchronized (lock) {
            List<Group> groups = isTracked(connection) ? connection.port().groups(connection) : List.of();
            groups.forEach(group -> group.byPhase.get(connection.phase()).remove(connection));
            connection.enter(phase, ticker.nanos());
            groups.forEach(group -> group.byPhase.get(phase).add(connection));
        }
    }

    /** Returns whether the answer may be delayed; {@link #delayed} ends that. */
    boolean delays(TrackedConnection connection) {
        synchronized (lock) {
            List<Group> groups = isTracked(connection) ? connection.port().groups(connection) : List.of();
            if (groups.isEmpty() || groups.stream().anyMatch(group -> group.delayed >= group.mostDelayed)) {
                return false;
            }
            groups.forEach(group -> group.delayed++);
            enter(connection, Phase.DELAYED);
            return true;
        }
    }

    void delayed(TrackedConnection connection) {
        synchronized (lock) {
            connection.port().groups(connection).forEach(group -> group.delayed--);
            connection.port().forgetIfUnused(connection.network());
        }
    }

    /** Closes the connection in this phase that holds the most memory and is older than a second. */
    boolean closeLargest(Phase phase, String reason) {
        Optional<TrackedConnection> largest;
        synchronized (lock) {
            long now = ticker.nanos();
            largest = open.values().stream()
                    .filter(connection -> connection.phase() == phase
                            && connection.heldBytes() > 0
                            && connection.ageNanos(now) > Duration.ofSeconds(1).toNanos())
                    .max(Comparator.comparingLong(TrackedConnection::heldBytes));
            largest.ifPresent(connection -> warn(reason));
        }
        largest.ifPresent(connection -> connection.end(reason));
        return largest.isPresent();
    }

    private void warn(String bound) {
        long now = ticker.nanos();
        if (!hasWarned || now - warnedNanos > BETWEEN_WARNINGS) {
            hasWarned = true;
            warnedNanos = now;
            LOG.warn(
                    "the limit of {} is reached; those that have been idle or slow for longest are closed for new ones",
                    bound);
        }
    }

    List<TrackedConnection> open() {
        synchronized (lock) {
            return List.copyOf(open.values());
        }
    }

    int size() {
        synchronized (lock) {
            return open.size();
        }
    }
}
