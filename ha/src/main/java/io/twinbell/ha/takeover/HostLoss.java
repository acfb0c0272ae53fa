package io.twinbell.ha.takeover;

import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.takeover.OwnerLocation;
import io.twinbell.persistence.takeover.OwnerSessions;
import java.time.Duration;
import java.util.Optional;

/**
 * Detects that the master's host is lost. A lost host cannot close its sockets, so the server keeps its lock until the
 * server's own probes have failed, which takes two seconds. If only the network between the nodes is cut, the master
 * keeps using the database and its host does not count as lost.
 */
final class HostLoss {
    /**
     * A host is lost once it has been silent for this long towards both this node and the database. A live host answers
     * within a round trip, and its master asks the database for the time every 100 ms.
     */
    static final Duration SILENT = Duration.ofMillis(250);

    private final TakeoverPorts ports;
    private final Ticker ticker;
    /**
     * The earliest time of the next check: the sessions were active recently, so until then they cannot have been
     * silent for long enough.
     */
    private long nextLookNanos;

    HostLoss(TakeoverPorts ports, Ticker ticker) {
        this.ports = ports;
        this.ticker = ticker;
        nextLookNanos = ticker.nanos();
    }

    /**
     * Probes the host once more; if the host is silent, also checks its database sessions and that it is still the
     * recorded owner.
     */
    boolean isFound(OwnerLocation owner) {
        boolean isSilent = ports.host().silence(owner.http()).compareTo(SILENT) >= 0;
        return isSilent
                && ticker.nanos() - nextLookNanos >= 0
                && isSilentToDatabase(owner)
                && ports.records().owner().equals(Optional.of(owner));
    }

    private boolean isSilentToDatabase(OwnerLocation owner) {
        OwnerSessions sessions = ports.records().sessionsOf(owner.incarnation());
        Duration left = SILENT.minus(sessions.silence());
        nextLookNanos = ticker.nanos() + Math.max(0, left.toNanos());
        return !sessions.isBlind() && left.compareTo(Duration.ZERO) <= 0;
    }

    /** How long to wait before probing again. */
    Duration probeDelay() {
        return ports.host().probeDelay();
    }

    void forget() {
        ports.host().end();
    }
}
