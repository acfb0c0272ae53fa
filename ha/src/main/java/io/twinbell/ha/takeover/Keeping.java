package io.twinbell.ha.takeover;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.takeover.Whereabouts;
import io.twinbell.persistence.takeover.Whereabouts.LatchSession;
import java.time.Duration;
import java.util.Optional;

/** The master's part: it holds the lock, and keeps on record where it can be found. */
final class Keeping {
    static final Duration CHECK = Duration.ofSeconds(1);
    static final Duration SOON = Duration.ofMillis(200);
    private static final Duration SLICE = Duration.ofSeconds(1);
    /** A standby that has the lock judges and lets go within this. */
    private static final int SLICES_OF_PATIENCE = 3;

    private final Takeover.Self self;
    private final Ports ports;
    private final Position position;
    private final Arming arming;
    private Whereabouts recorded;
    private int slicesInVain;

    Keeping(Takeover.Self self, Ports ports, Position position, Arming arming) {
        this.self = self;
        this.ports = ports;
        this.position = position;
        this.arming = arming;
    }

    Duration step(Epoch epoch) {
        if (!ports.lock().isHeld() && !hasTaken()) {
            return Duration.ZERO;
        }
        Optional<LatchSession> session = ports.sessions().own(position.election());
        if (session.isEmpty()) {
            arming.off("node " + self.node() + " is master without a place in the election");
            return SOON;
        }
        Whereabouts here = new Whereabouts(
                epoch.number(),
                self.node(),
                self.incarnation(),
                self.http().get(),
                session.get(),
                ports.lock().backend());
        if (!here.equals(recorded) && !ports.records().record(epoch, here)) {
            arming.off("the epoch of this node is over");
            return SOON;
        }
        recorded = here;
        if (here.http().isEmpty()) {
            arming.off("node " + self.node() + " has no API (http.enabled is false), so its death could not be proven");
        } else {
            arming.on();
        }
        return CHECK;
    }

    /** The lock fell free if its connection broke; a standby may have it for the moment that it takes to judge. */
    private boolean hasTaken() {
        if (ports.lock().await(SLICE).isPresent()) {
            slicesInVain = 0;
            return true;
        }
        arming.off("another session holds the master's database lock");
        if (++slicesInVain >= SLICES_OF_PATIENCE) {
            slicesInVain = 0;
            // Its process stands still, say: it would keep the lock from whoever is master now.
            ports.lock()
                    .evict()
                    .ifPresent(holder -> arming.offForGood("the master's database lock is held by " + holder));
        }
        return false;
    }
}
