package io.twinbell.ha.takeover;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.takeover.OwnerLocation;
import io.twinbell.persistence.takeover.OwnerLocation.LatchSession;
import java.time.Duration;
import java.util.Optional;

/**
 * The master's side of fast takeover: holds the master's database lock and records where this process can be reached.
 */
final class MasterLockKeeper {
    static final Duration LOCK_CHECK = Duration.ofSeconds(1);
    static final Duration RECHECK = Duration.ofMillis(200);
    private static final Duration SLICE = Duration.ofSeconds(1);
    /** A standby that has taken the lock reaches its verdict and releases the lock within this many slices. */
    private static final int SLICES_OF_PATIENCE = 3;

    private final FastTakeover.LocalNode localNode;
    private final TakeoverPorts ports;
    private final NodeView nodeView;
    private final FastTakeoverStatus status;
    private OwnerLocation recorded;
    private int slicesInVain;

    MasterLockKeeper(
            FastTakeover.LocalNode localNode, TakeoverPorts ports, NodeView nodeView, FastTakeoverStatus status) {
        this.localNode = localNode;
        this.ports = ports;
        this.nodeView = nodeView;
        this.status = status;
    }

    Duration step(Epoch epoch) {
        if (!ports.lock().isHeld() && !hasTaken()) {
            return Duration.ZERO;
        }
        Optional<LatchSession> session = ports.sessions().own(nodeView.election());
        if (session.isEmpty()) {
            status.disable("node " + localNode.node() + " is master but takes no part in the election");
            return RECHECK;
        }
        OwnerLocation here = new OwnerLocation(
                epoch.number(),
                localNode.node(),
                localNode.incarnation(),
                localNode.http().get(),
                session.get(),
                ports.lock().backend());
        if (!here.equals(recorded) && !ports.records().record(epoch, here)) {
            status.disable("the epoch of this node has ended");
            return RECHECK;
        }
        recorded = here;
        if (here.http().isEmpty()) {
            status.disable(
                    "node " + localNode.node() + " has no API (http.enabled is false), so its death cannot be proven");
        } else {
            status.on();
        }
        return LOCK_CHECK;
    }

    /**
     * Takes the lock again. It became free if its connection broke; a standby may hold it briefly while it reaches its
     * verdict.
     */
    private boolean hasTaken() {
        if (ports.lock().await(SLICE).isPresent()) {
            slicesInVain = 0;
            return true;
        }
        status.disable("another session holds the master's database lock");
        if (++slicesInVain >= SLICES_OF_PATIENCE) {
            slicesInVain = 0;
            // The holder may be a stopped process, for instance. It would keep the lock from the current master.
            ports.lock()
                    .evict()
                    .ifPresent(holder -> status.disablePermanently("the master's database lock is held by " + holder));
        }
        return false;
    }
}
