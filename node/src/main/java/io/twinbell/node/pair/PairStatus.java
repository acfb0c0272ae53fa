package io.twinbell.node.pair;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.ha.latch.Election;
import io.twinbell.ha.latch.Latch;
import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.role.Role;
import io.twinbell.node.api.Cluster;
import io.twinbell.node.api.ClusterView;
import io.twinbell.node.api.PauseWish;
import io.twinbell.node.api.Readiness;
import io.twinbell.node.api.SwitchoverResult;
import io.twinbell.node.engine.Engine;
import io.twinbell.ops.metrics.PrometheusText;
import io.twinbell.persistence.cluster.FiringPauses;
import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.EpochRow;
import io.twinbell.persistence.epoch.RoleChange;
import io.twinbell.persistence.epoch.RoleHistory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** What the API shows of the pair, and does to it. */
final class PairStatus implements ClusterView {
    private static final Duration DATABASE_ANSWERED_WITHIN = Duration.ofSeconds(5);
    private static final int HISTORY = 20;

    private final ObjectMapper mapper = new ObjectMapper();
    private final PeerQuery peerQuery = new PeerQuery();
    private final NodeState state;
    private final Engine engine;
    private final Latch latch;
    private final Registers registers;
    private final Switchover switchover;
    private final PrometheusText metrics;

    /** What is asked on behalf of the API, on a connection that no heartbeat waits for. */
    record Registers(EpochRegister epochs, RoleHistory history, FiringPauses pauses, DatabaseClock clock) {}

    PairStatus(
            NodeState state,
            Engine engine,
            Latch latch,
            Registers registers,
            Switchover switchover,
            PrometheusText metrics) {
        this.state = state;
        this.engine = engine;
        this.latch = latch;
        this.registers = registers;
        this.switchover = switchover;
        this.metrics = metrics;
    }

    @Override
    public Cluster cluster() {
        EpochRow owner = registers.epochs().read();
        List<Cluster.Node> nodes = new ArrayList<>();
        nodes.add(self());
        state.peers().others().forEach(peer -> nodes.add(peerQuery.ask(peer)));
        nodes.sort((a, b) -> a.id().compareTo(b.id()));
        String master = owner.isOwnerAlive() ? owner.node() : null;
        return new Cluster(master, owner.epoch(), nodes, openPause(), failoverReady(owner, nodes), history());
    }

    private Cluster.FailoverReady failoverReady(EpochRow owner, List<Cluster.Node> nodes) {
        List<String> reasons = new ArrayList<>();
        if (!owner.isOwnerAlive()) {
            reasons.add("there is no master");
        }
        Election election = latch.look();
        if (!election.connected()) {
            reasons.add("node " + state.self().id() + " does not reach ZooKeeper");
        }
        boolean hasStandby = false;
        for (Cluster.Node node : nodes) {
            if (node.error() != null) {
                reasons.add("node " + node.id() + " " + node.error());
            } else {
                if (node.standing().role().equals(Role.STANDBY.name())) {
                    hasStandby = true;
                    explain(node, election, reasons);
                }
                explainTakeover(node, reasons);
            }
        }
        if (!hasStandby) {
            reasons.add("there is no standby");
        }
        return new Cluster.FailoverReady(reasons.isEmpty(), reasons);
    }

    private static void explain(Cluster.Node standby, Election election, List<String> reasons) {
        if (!standby.connections().databaseReached()) {
            reasons.add("standby " + standby.id() + " does not reach the database");
        }
        if (election.connected() && !election.stands(standby.id())) {
            reasons.add("standby " + standby.id() + " does not stand in the election");
        }
    }

    private FiringPauses.Pause openPause() {
        long now = registers.clock().nowMillis();
        return registers.pauses().latest().stream()
                .filter(pause -> pause.isOpenAt(now))
                .findFirst()
                .orElse(null);
    }

    /** A failover would succeed all the same, but only when the master's ZooKeeper session has timed out. */
    private static void explainTakeover(Cluster.Node node, List<String> reasons) {
        if (!node.fastTakeover().armed()) {
            reasons.add("fast takeover is off on node " + node.id() + ": "
                    + node.fastTakeover().obstacle());
        }
    }

    private List<Cluster.RoleEvent> history() {
        return registers.history().latest(HISTORY).stream().map(this::event).toList();
    }

    private Cluster.RoleEvent event(RoleChange change) {
        return new Cluster.RoleEvent(
                change.atMillis(),
                change.node(),
                change.epoch(),
                new Cluster.Change(change.from(), change.to(), change.tookMillis()),
                change.reason(),
                steps(change.steps()));
    }

    private Map<String, Long> steps(String json) {
        Map<String, Long> steps = new LinkedHashMap<>();
        try {
            for (JsonNode step : mapper.readTree(json)) {
                steps.put(step.path("step").asText(), step.path("micros").asLong());
            }
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("role history has unreadable steps: " + json, e);
        }
        return steps;
    }

    @Override
    public Cluster.Node self() {
        long age = state.heartbeatAgeMillis();
        return new Cluster.Node(
                state.self().id(),
                new Cluster.Standing(state.role().name(), state.epoch(), engine.isPaused()),
                new Cluster.Addresses(state.self().http(), state.self().jmx()),
                new Cluster.Connections(state.zooKeeper().state(), state.pulse().isReached(), age < 0 ? null : age),
                new Cluster.FastTakeover(
                        state.takeover().isLockHeld(),
                        state.takeover().obstacle().orElse(null)),
                new Cluster.Build(state.self().incarnation(), state.self().version()),
                null);
    }

    @Override
    public Readiness ready() {
        List<String> reasons = new ArrayList<>();
        Role role = state.role();
        if (!state.pulse().hasAnsweredWithin(DATABASE_ANSWERED_WITHIN)) {
            reasons.add("the database has not answered within 5 s");
        }
        if (role != Role.MASTER && !state.zooKeeper().isConnected()) {
            reasons.add("ZooKeeper is " + state.zooKeeper().state());
        }
        if (role != Role.MASTER && role != Role.STANDBY) {
            reasons.add("the role is " + role);
        }
        return new Readiness(reasons.isEmpty(), role.name(), reasons);
    }

    @Override
    public boolean isMaster() {
        return state.isMaster();
    }

    @Override
    public SwitchoverResult switchover(String reason) {
        List<String> standing = new ArrayList<>(latch.look().nodes());
        standing.retainAll(standbys());
        return switchover.run(reason, standing);
    }

    private List<String> standbys() {
        List<String> standbys = new ArrayList<>(state.peers().others().stream()
                .filter(peer -> peer.role().equals(Role.STANDBY.name()))
                .map(Peer::node)
                .toList());
        if (state.role() == Role.STANDBY) {
            standbys.add(state.self().id());
        }
        return standbys;
    }

    @Override
    public void pause(PauseWish wish) {
        registers
                .pauses()
                .pause(
                        Objects.requireNonNullElse(wish.reason(), "paused by hand"),
                        Objects.requireNonNullElse(
                                wish.by(), "node " + state.self().id()),
                        wish.untilMillis());
        engine.refreshPauses();
    }

    @Override
    public void resume() {
        registers.pauses().resume();
        engine.refreshPauses();
    }

    @Override
    public String metricsText() {
        return metrics.render();
    }
}
