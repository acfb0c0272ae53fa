package io.twinbell.node.simulation;

import io.twinbell.ha.latch.LatchSessions.EndResult;
import io.twinbell.ha.latch.Peer;
import io.twinbell.persistence.takeover.OwnerLocation.LatchSession;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * ZooKeeper's servers: sessions, the latch nodes in order, and the nodes' entries. They end a silent session after its
 * timeout.
 */
final class SimulatedEnsemble {
    static final long SESSION_TIMEOUT = 10 * World.SECOND;
    private static final long TICK = 500 * World.MILLI;

    private final World world;
    private final Map<Long, Session> sessions = new LinkedHashMap<>();
    private final TreeMap<Long, LatchNode> line = new TreeMap<>();
    private final Map<String, Entry> entries = new TreeMap<>();
    private final List<ZooKeeperClient> clients = new ArrayList<>();
    private boolean down;
    private long zxid = 10;
    private long sequence;

    /** A session, and the instant until which it may be silent. */
    static final class Session {
        final long id;
        final ZooKeeperClient client;
        long deadline;
        boolean ended;

        Session(long id, ZooKeeperClient client, long deadline) {
            this.id = id;
            this.client = client;
            this.deadline = deadline;
        }

        String password() {
            return "5e55" + id;
        }
    }

    /** A latch node: a place in the election. */
    record LatchNode(long number, long czxid, Session session, String node) {}

    private record Entry(Peer peer, Session session) {}

    SimulatedEnsemble(World world) {
        this.world = world;
        world.after(TICK, this::tick);
    }

    private void tick() {
        if (!down) {
            for (Session session : List.copyOf(sessions.values())) {
                if (session.client.isUsing(session) && session.client.canReach()) {
                    session.deadline = world.now() + SESSION_TIMEOUT;
                } else if (world.now() > session.deadline) {
                    end(session);
                }
            }
        }
        world.after(TICK, this::tick);
    }

    boolean isDown() {
        return down;
    }

    void stop() {
        down = true;
        clients.forEach(ZooKeeperClient::lookAtConnection);
    }

    /** Starts the servers. Each session gets its whole timeout again. */
    void start() {
        if (!down) {
            return;
        }
        down = false;
        sessions.values().forEach(session -> session.deadline = world.now() + SESSION_TIMEOUT);
        clients.forEach(ZooKeeperClient::lookAtConnection);
    }

    void joins(ZooKeeperClient client) {
        clients.add(client);
    }

    Session open(ZooKeeperClient client) {
        Session session = new Session(++zxid, client, world.now() + SESSION_TIMEOUT);
        sessions.put(session.id, session);
        return session;
    }

    void end(Session session) {
        if (session.ended) {
            return;
        }
        world.trace.say(null, "ZooKeeper session " + session.id + " of " + session.client + " has ended");
        session.ended = true;
        sessions.remove(session.id);
        List.copyOf(line.values()).stream()
                .filter(place -> place.session() == session)
                .forEach(this::remove);
        if (entries.values().removeIf(entry -> entry.session() == session)) {
            tellPeers();
        }
        session.client.lookAtConnection();
    }

    void expireSessionOf(String node) {
        List.copyOf(sessions.values()).stream()
                .filter(session -> session.client.node().equals(node))
                .forEach(this::end);
    }

    LatchNode stand(Session session, String node) {
        LatchNode place = new LatchNode(++sequence, ++zxid, session, node);
        line.put(place.number(), place);
        world.trace.say(session.client, "stands in line as " + place.number());
        return place;
    }

    void remove(LatchNode place) {
        if (line.remove(place.number()) == null) {
            return;
        }
        zxid++;
        world.trace.say(null, "place " + place.number() + " of " + place.node() + " is gone");
        Map.Entry<Long, LatchNode> next = line.higherEntry(place.number());
        if (next != null) {
            next.getValue().session().client.predecessorIsGone();
        }
    }

    /** Removes the places of the node that belong to other sessions. */
    void removeOthersOf(String node, Session session) {
        List.copyOf(line.values()).stream()
                .filter(place -> place.node().equals(node) && place.session() != session)
                .forEach(this::remove);
    }

    void deleteFirst() {
        first().ifPresent(this::remove);
    }

    boolean has(LatchNode place) {
        return line.containsKey(place.number());
    }

    Optional<LatchNode> first() {
        return line.isEmpty() ? Optional.empty() : Optional.of(line.firstEntry().getValue());
    }

    List<String> standing() {
        return line.values().stream().map(LatchNode::node).toList();
    }

    EndResult end(LatchSession wanted) {
        boolean isHolder = first().filter(
                        place -> place.session().id == wanted.id() && place.czxid() == wanted.latchCzxid())
                .isPresent();
        if (!isHolder) {
            return EndResult.NOT_THE_HOLDER;
        }
        end(first().orElseThrow().session());
        return EndResult.ENDED;
    }

    void enter(Peer peer, Session session) {
        entries.put(peer.node(), new Entry(peer, session));
        tellPeers();
    }

    List<Peer> entriesBut(String node) {
        return entries.values().stream()
                .map(Entry::peer)
                .filter(peer -> !peer.node().equals(node))
                .toList();
    }

    private void tellPeers() {
        clients.forEach(ZooKeeperClient::peersChanged);
    }
}
