package io.twinbell.ha.takeover;

import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.takeover.OwnerLocation;
import io.twinbell.persistence.takeover.OwnerSessions;
import java.time.Duration;
import java.util.Optional;

/**
 * Whether the host of the master is lost. Such a host can't close its sockets: the server keeps the lock for it until its own
 * probes have failed, for two seconds. Where the way between the nodes alone is cut, the master goes on speaking to the
 * database.
 */
final class HostLoss {
    /**
     * A host that has said nothing for so long, neither to this node nor to the database, is lost. A living one answers within a
     * round trip and asks the database for the time every 100 ms.
     */
    static final Duration SILENT = Duration.ofMillis(250);

    private final TakeoverPorts ports;
    private final Ticker ticker;
    /** Until then its sessions, which have spoken, cannot have been silent for long enough. */
    private long nextLookNanos;

    HostLoss(TakeoverPorts ports, Ticker ticker) {
        this.ports = ports;
        this.ticker = ticker;
        nextLookNanos = ticker.nanos();
    }

    /** Asks the host once more; where it is silent, the database is asked too. */
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

    /** How long to wait before asking again. */
    Duration pause() {
        return ports.host().pause();
    }

    void forget() {
        ports.host().end();
    }
}
