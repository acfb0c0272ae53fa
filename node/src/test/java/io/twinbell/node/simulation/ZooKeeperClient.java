package io.twinbell.node.simulation;

import io.twinbell.ha.latch.Election;
import io.twinbell.ha.latch.Latch;
import io.twinbell.ha.latch.LatchSessions;
import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.latch.Peers;
import io.twinbell.node.simulation.SimulatedEnsemble.LatchNode;
import io.twinbell.persistence.takeover.OwnerLocation.LatchSession;
import java.util.List;
import java.util.Optional;

/**
 * A process's connection to ZooKeeper. Stands for {@code ZooKeeperLink}, {@code CuratorLatch}, {@code CuratorPeers} and
 * {@code ZooKeeperSessions}: a suspension is no loss, a loss gives up the place in the election, and the recipe
 * believes what it was told last.
 */
final class ZooKeeperClient implements Latch, LatchSessions, Peers {
    private static final long LOOK = 250 * World.MILLI;

    private final World world;
    private final SimulatedEnsemble ensemble;
    private final Process process;
    private Runnable onConnection = () -> {};
    private Runnable onLatch = () -> {};
    private Runnable onPeers = () -> {};
    private SimulatedEnsemble.Session session;
    private boolean connected;
    private boolean cut;
    private long suspendedNanos;
    private boolean wants;
    private LatchNode place;
    private boolean believes;
    private boolean isDeceived;
    private int entries;
    private Peer self;
    private List<Peer> others = List.of();

    ZooKeeperClient(SimulatedEnsemble ensemble, Process process) {
        this.ensemble = ensemble;
        this.process = process;
        world = process.world();
        ensemble.joins(this);
        keepLooking();
    }

    void tells(Runnable connectionListener, Runnable latchListener, Runnable peersListener) {
        onConnection = connectionListener;
        onLatch = latchListener;
        onPeers = peersListener;
    }

    String node() {
        return process.node();
    }

    private void keepLooking() {
        lookAtConnection();
        world.after(LOOK, process, this::keepLooking);
    }

    boolean isUsing(SimulatedEnsemble.Session other) {
        return session == other;
    }

    boolean canReach() {
        return !cut && !ensemble.isDown() && process.isAlive();
    }

    boolean isConnected() {
        return connected;
    }

    void cut(boolean on) {
        cut = on;
        lookAtConnection();
    }

    /** Updates the state of the connection, as the client notices it by itself or from the servers. */
    void lookAtConnection() {
        if (!process.isAlive()) {
            return;
        }
        if (!canReach()) {
            miss();
            return;
        }
        if (session != null && session.ended) {
            lose("its session has ended");
        }
        if (session == null) {
            session = ensemble.open(this);
            connected = false;
        }
        if (!connected) {
            connected = true;
            world.trace.say(process, "ZooKeeper connected, session " + session.id);
            if (self != null) {
                ensemble.enter(self, session);
            }
            peersChanged();
            recheckSoon();
            changed();
        }
    }

    private void miss() {
        if (connected) {
            connected = false;
            suspendedNanos = process.ticker().nanos();
            world.trace.say(process, "ZooKeeper suspended");
            changed();
        } else if (session != null && process.ticker().nanos() - suspendedNanos >= SimulatedEnsemble.SESSION_TIMEOUT) {
            lose("it was silent for too long");
        }
    }

    private void lose(String why) {
        world.trace.say(process, "ZooKeeper lost: " + why);
        session = null;
        connected = false;
        leave();
        changed();
    }

    private void changed() {
        world.after(0, process, onConnection);
    }

    @Override
    public Election readElection() {
        boolean isSlow = world.isRough() && world.chance(0.01);
        if (!connected || isSlow || !canReach()) {
            return Election.UNREACHABLE;
        }
        boolean stands = place != null && ensemble.has(place) && place.session() == session;
        return new Election(
                true,
                stands,
                stands && (believes || isDeceived),
                session.id,
                stands ? place.czxid() : 0,
                ensemble.standing());
    }

    @Override
    public void enter() {
        if (wants) {
            return;
        }
        wants = true;
        int mine = ++entries;
        boolean isForgotten = world.isRough() && world.chance(0.03);
        if (!isForgotten) {
            world.after(delay(), process, () -> stand(mine));
        }
    }

    private void stand(int mine) {
        if (mine != entries || !wants || place != null) {
            return;
        }
        if (connected && canReach()) {
            place = ensemble.stand(session, node());
            recheckSoon();
        } else {
            world.after(100 * World.MILLI, process, () -> stand(mine));
        }
    }

    @Override
    public void removePredecessors() {
        if (connected && canReach()) {
            ensemble.removeOthersOf(node(), session);
        }
    }

    @Override
    public void leave() {
        wants = false;
        entries++;
        believes = false;
        LatchNode left = place;
        place = null;
        if (left != null) {
            world.after(world.between(0, 3 * World.MILLI), process, () -> delete(left));
        }
    }

    /** Deletes a latch node as the recipe does: again and again, until that succeeds or the session has ended. */
    private void delete(LatchNode left) {
        if (connected && canReach()) {
            ensemble.remove(left);
        } else if (!left.session().ended) {
            world.after(100 * World.MILLI, process, () -> delete(left));
        }
    }

    /** Ends the session, if the servers can be reached. */
    void close() {
        if (connected && canReach()) {
            ensemble.end(session);
        }
    }

    void predecessorIsGone() {
        recheckSoon();
    }

    /** The recipe reads the latch nodes and believes the answer. Its listener may never learn of it. */
    private void recheckSoon() {
        LatchNode asked = place;
        world.after(delay(), process, () -> {
            boolean isFirst = asked != null
                    && asked == place
                    && connected
                    && ensemble.first().filter(first -> first == asked).isPresent();
            if (isFirst && !believes) {
                believes = true;
                world.trace.say(process, "believes to hold the latch");
                if (!world.isRough() || !world.chance(0.1)) {
                    onLatch.run();
                }
            }
        });
    }

    private long delay() {
        return world.isRough() && world.chance(0.05)
                ? world.between(0, 2 * World.SECOND)
                : world.between(0, 5 * World.MILLI);
    }

    /** Makes the node believe that it holds the latch, although another node is first. */
    void deceive(boolean on) {
        isDeceived = on;
        world.after(0, process, onLatch);
    }

    boolean believesToHold() {
        return believes || isDeceived;
    }

    @Override
    public Optional<LatchSession> own(Election seen) {
        return seen.standing() && session != null && session.id == seen.session()
                ? Optional.of(new LatchSession(session.id, session.password(), seen.czxid()))
                : Optional.empty();
    }

    @Override
    public EndResult end(LatchSession other) {
        boolean isSlow = world.isRough() && world.chance(0.05);
        return connected && canReach() && !isSlow ? ensemble.end(other) : EndResult.NOT_ANSWERED;
    }

    @Override
    public void announce(Peer peer) {
        self = peer;
        if (connected && canReach()) {
            SimulatedEnsemble.Session under = session;
            world.after(world.between(0, 5 * World.MILLI), process, () -> {
                if (under == session && !under.ended) {
                    ensemble.enter(self, session);
                }
            });
        }
    }

    /** The question in this node's own entry. */
    String asks() {
        return self == null ? "" : self.database().asks();
    }

    @Override
    public List<Peer> others() {
        return others;
    }

    void peersChanged() {
        world.after(world.between(0, 5 * World.MILLI), process, () -> {
            if (connected) {
                others = ensemble.entriesBut(node());
                onPeers.run();
            }
        });
    }

    @Override
    public String toString() {
        return process.toString();
    }
}
