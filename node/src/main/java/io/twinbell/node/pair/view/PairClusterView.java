package io.twinbell.node.pair.view;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.ha.latch.Election;
import io.twinbell.ha.latch.Latch;
import io.twinbell.ha.latch.Peer;
import io.twinbell.ha.role.Role;
import io.twinbell.node.api.cluster.ClusterView;
import io.twinbell.node.api.cluster.ClusterView.Readiness;
import io.twinbell.node.api.cluster.ClusterView.SwitchoverResult;
import io.twinbell.node.api.cluster.PairState;
import io.twinbell.node.api.cluster.PairState.PromotionTimings;
import io.twinbell.node.api.cluster.RoleMoveBody;
import io.twinbell.node.api.exchange.PauseBody;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.execution.store.SlotsInDoubt;
import io.twinbell.node.json.PeerJson;
import io.twinbell.node.metrics.PrometheusText;
import io.twinbell.node.pair.database.PairRegisters;
import io.twinbell.node.pair.role.RoleMoves;
import io.twinbell.node.settings.EffectiveSetting;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.SchemaVersion;
import io.twinbell.persistence.epoch.EpochRow;
import io.twinbell.persistence.epoch.RoleChange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Serves the API's view of the pair and its operations on the pair. */
public final class PairClusterView implements ClusterView {
    private static final Duration DATABASE_ANSWERED_WITHIN = Duration.ofSeconds(5);
    /** How long earlier requests may take to read the pair's records. Usually they take milliseconds. */
    private static final Duration READ_BY_OTHERS = Duration.ofSeconds(2);

    private static final int HISTORY = 20;
    /** Bound on the named slots in doubt of one promotion; the ledger has all of them. */
    private static final int MOST_NAMED = 100;
    /** The round trips of a read: one to check the connection, and one for the row. */
    private static final int READ_TRIPS = 2;
    /** The round trips of a look at the election: this node's place, the queue, and the nodes in it. */
    private static final int LOOK_TRIPS = 4;

    private final PeerQuery peerQuery;
    private final NodeState state;
    private final Engine engine;
    private final FiringSignal firing;
    private final Latch latch;
    private final PairRegisters registers;
    private final RoleMoves moves;
    private final PrometheusText metrics;
    private final LongSupplier slotsInDoubt;
    private final Supplier<List<String>> warnings;
    private final List<EffectiveSetting> settings;
    private final OutageView outage;
    /** Held while the pair's records are read, so that no request waits long behind one that gets no answer. */
    private final ReentrantLock reading = new ReentrantLock();

    /**
     * @param peerQuery asks the other node
     * @param slotsInDoubt supplies how many were found recently
     * @param warnings supplies what a person should know although the node may fire
     */
    public PairClusterView(
            NodeState state,
            Engine engine,
            Latch latch,
            PairRegisters registers,
            RoleMoves moves,
            PeerQuery peerQuery,
            PrometheusText metrics,
            LongSupplier slotsInDoubt,
            Supplier<List<String>> warnings,
            List<EffectiveSetting> settings) {
        this.state = state;
        this.engine = engine;
        firing = new FiringSignal(state, engine);
        this.latch = latch;
        this.registers = registers;
        this.moves = moves;
        this.peerQuery = peerQuery;
        this.metrics = metrics;
        this.slotsInDoubt = slotsInDoubt;
        this.warnings = warnings;
        this.settings = settings;
        outage = new OutageView(state, engine, latch);
    }

    @Override
    public PairState pairState() {
        if (!state.healthProbe().isReached()) {
            return withoutDatabase("does not reach the database");
        }
        List<PairState.Node> nodes = nodes();
        try {
            if (!reading.tryLock(READ_BY_OTHERS.toNanos(), TimeUnit.NANOSECONDS)) {
                return withoutDatabase("still waits for the database to answer an earlier request");
            }
            try {
                return read(nodes);
            } finally {
                reading.unlock();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return withoutDatabase("was interrupted");
        } catch (DatabaseUnavailableException e) {
            return withoutDatabase("cannot read the pair's records: " + e.getMessage());
        }
    }

    /** @param why what this node cannot do, as the rest of a sentence */
    private PairState withoutDatabase(String why) {
        return outage.show(why, nodes());
    }

    /** Each node as it reports itself now. */
    private List<PairState.Node> nodes() {
        List<PairState.Node> nodes = new ArrayList<>();
        nodes.add(self());
        state.peers().others().forEach(peer -> nodes.add(peerQuery.ask(peer)));
        nodes.sort((a, b) -> a.id().compareTo(b.id()));
        return nodes;
    }

    private PairState read(List<PairState.Node> nodes) {
        long began = registers.ticker().nanos();
        EpochRow owner = registers.epochs().read();
        long readNanos = registers.ticker().nanos() - began;
        String master = owner.isOwnerAlive() ? owner.node() : null;
        long now = registers.clock().nowMillis();
        List<Pause> open = registers.pauses().withStanding().stream()
                .filter(pause -> pause.isOpenAt(now))
                .toList();
        Pause all =
                open.stream().filter(pause -> !pause.isStanding()).findFirst().orElse(null);
        List<Pause> standing = open.stream().filter(Pause::isStanding).toList();
        return new PairState(
                master,
                owner.epoch(),
                nodes,
                all,
                standing,
                owner.hold(),
                failoverReady(owner, nodes, readNanos, FailoverReadiness.notes(all, standing)),
                history());
    }

    private PairState.FailoverReady failoverReady(
            EpochRow owner, List<PairState.Node> nodes, long readNanos, List<String> notes) {
        long began = registers.ticker().nanos();
        Election election = latch.readElection();
        double lookedMillis = (registers.ticker().nanos() - began) / 1e6;
        List<String> reasons = FailoverReadiness.reasons(
                new FailoverReadiness.Facts(
                        owner,
                        registers.cluster().oldestBuild(),
                        election,
                        registers.handlers().lacking(ids(nodes)),
                        state.peers().foreignEntries(),
                        state.otherApplication(),
                        registers.members().waiting()),
                state.nodeIdentity().id(),
                nodes);
        boolean nobodyFollows =
                owner.hold() != null || state.standby() == null && standbys().isEmpty();
        return new PairState.FailoverReady(
                reasons.isEmpty(),
                reasons,
                notes,
                nobodyFollows ? null : gap(nodes, readNanos / 1e6 / READ_TRIPS, lookedMillis / LOOK_TRIPS));
    }

    private static List<String> ids(List<PairState.Node> nodes) {
        return nodes.stream().map(PairState.Node::id).toList();
    }

    private PairState.Gap gap(List<PairState.Node> nodes, double databaseTripMillis, double zooKeeperTripMillis) {
        boolean isArmed = nodes.stream()
                .allMatch(node ->
                        node.fastTakeover() != null && node.fastTakeover().armed());
        return GapEstimate.of(
                registers.history().promotions(HISTORY).stream()
                        .map(change -> PromotionTimings.of(steps(change.steps())))
                        .toList(),
                new GapEstimate.Measurements(
                        isArmed, state.zooKeeper().negotiatedTimeoutMillis(), databaseTripMillis, zooKeeperTripMillis));
    }

    private List<PairState.RoleEvent> history() {
        List<RoleChange> changes = registers.history().latest(HISTORY);
        Set<Long> epochs = changes.stream()
                .filter(PairClusterView::isPromotion)
                .map(RoleChange::epoch)
                .collect(Collectors.toSet());
        Map<Long, SlotsInDoubt.SlotList> inDoubt = registers.inDoubt().of(epochs, MOST_NAMED);
        return changes.stream()
                .map(change -> event(change, isPromotion(change) ? inDoubt.get(change.epoch()) : null))
                .toList();
    }

    private static boolean isPromotion(RoleChange change) {
        return change.to().equals(Role.MASTER.name());
    }

    private PairState.RoleEvent event(RoleChange change, SlotsInDoubt.SlotList inDoubt) {
        return new PairState.RoleEvent(
                change.atMillis(),
                change.node(),
                change.epoch(),
                new PairState.Change(change.from(), change.to(), change.tookMillis()),
                change.reason(),
                steps(change.steps()),
                inDoubt);
    }

    private Map<String, Long> steps(String json) {
        Map<String, Long> steps = new LinkedHashMap<>();
        try {
            for (JsonNode step : PeerJson.read(json)) {
                steps.put(step.path("step").asText(), step.path("micros").asLong());
            }
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("role history has unreadable steps: " + json, e);
        }
        return steps;
    }

    @Override
    public PairState.Node self() {
        long age = state.heartbeatAgeMillis();
        return new PairState.Node(
                state.nodeIdentity().id(),
                new PairState.ElectionState(
                        state.role().name(),
                        state.epoch(),
                        state.leadership().isLatchHeld(),
                        engine.isPaused(),
                        state.hold().isOn(),
                        state.leadership().heldBack().orElse(null)),
                new PairState.Addresses(
                        state.nodeIdentity().http(), state.nodeIdentity().jmx()),
                new PairState.ConnectionStates(
                        state.zooKeeper().state(), state.healthProbe().isReached(), age < 0 ? null : age),
                new PairState.FastTakeoverState(
                        state.takeover().isLockHeld(),
                        state.takeover().obstacle().orElse(null)),
                new PairState.NodeResources(
                        engine.workers().size(),
                        engine.workers().active(),
                        engine.workers().queued(),
                        engine.heapSize(),
                        state.clock().aheadOfWallMillis()),
                build(),
                new PairState.Firing(
                        firing.lagMillis(),
                        firing.obstacle(),
                        slotsInDoubt.getAsLong(),
                        engine.standingPauses().size(),
                        engine.parkedRuns(),
                        warnings.get()),
                null);
    }

    private PairState.Build build() {
        SchemaVersion schema = state.nodeIdentity().schema().get();
        return new PairState.Build(
                state.nodeIdentity().incarnation(),
                state.nodeIdentity().version(),
                schema == null ? null : schema.database(),
                schema == null ? null : schema.known());
    }

    @Override
    public List<String> addresses() {
        return Stream.concat(
                        Stream.of(state.nodeIdentity().http()),
                        state.peers().others().stream().map(Peer::http))
                .toList();
    }

    @Override
    public Readiness ready() {
        List<String> reasons = new ArrayList<>();
        Role role = state.role();
        if (!state.healthProbe().hasAnsweredWithin(DATABASE_ANSWERED_WITHIN)) {
            reasons.add(state.healthProbe().summary() + ", for more than 5 s");
        }
        if (role != Role.MASTER && !state.zooKeeper().isConnected()) {
            reasons.add("ZooKeeper is " + state.zooKeeper().state());
        }
        if (role != Role.MASTER && role != Role.STANDBY) {
            reasons.add("the role is " + role);
        }
        state.leadership().heldBack().ifPresent(reasons::add);
        List<String> obstacles = firing.obstacles();
        if (role != Role.MASTER) {
            reasons.addAll(obstacles);
        } else if (!reasons.isEmpty() || !obstacles.isEmpty()) {
            // The sentence of the command status, first.
            String obstacle = firing.obstacle();
            if (obstacle != null) {
                reasons.add(0, "node " + state.nodeIdentity().id() + " is master and does not fire: " + obstacle);
            }
        }
        boolean isReady = reasons.isEmpty() && !state.isMasterOfOtherApplication();
        state.otherApplication().ifPresent(reasons::add);
        return new Readiness(isReady, role.name(), reasons);
    }

    @Override
    public Readiness master() {
        List<String> reasons = new ArrayList<>();
        if (!state.isMaster()) {
            reasons.add("the role is " + state.role());
        }
        reasons.addAll(firing.obstacles());
        return new Readiness(reasons.isEmpty(), state.role().name(), reasons);
    }

    @Override
    public SwitchoverResult switchover(RoleMoveBody wish) {
        return moves.switchover(wish, readyStandbys());
    }

    @Override
    public SwitchoverResult failover(RoleMoveBody wish) {
        return moves.failover(wish, latch::readElection, readyStandbys());
    }

    @Override
    public void hold(PauseBody wish) {
        registers
                .instructions()
                .hold(
                        Objects.requireNonNullElse(wish.reason(), "held by hand"),
                        Objects.requireNonNullElse(
                                wish.by(), "node " + state.nodeIdentity().id()),
                        wish.untilMillis());
        state.hold().refresh();
    }

    @Override
    public void release() {
        registers.instructions().release();
        state.hold().refresh();
    }

    /** The standbys that could take over: those that stand in the election and reach the database. */
    private List<String> readyStandbys() {
        List<String> standing = new ArrayList<>(latch.readElection().nodes());
        standing.retainAll(standbys());
        return standing;
    }

    private List<String> standbys() {
        List<String> standbys = new ArrayList<>(state.peers().others().stream()
                .filter(peer -> state.mayFollow(peer) && peer.databaseReached())
                .map(Peer::node)
                .toList());
        if (state.mayFollow()) {
            standbys.add(state.nodeIdentity().id());
        }
        return standbys;
    }

    @Override
    public void pause(PauseBody wish) {
        registers
                .pauses()
                .pause(
                        Objects.requireNonNullElse(wish.reason(), "paused by hand"),
                        Objects.requireNonNullElse(
                                wish.by(), "node " + state.nodeIdentity().id()),
                        wish.untilMillis());
        engine.refreshPauses();
    }

    @Override
    public void resume() {
        registers.pauses().resume();
        engine.refreshPauses();
    }

    @Override
    public List<EffectiveSetting> settings() {
        return settings;
    }

    @Override
    public String metricsText() {
        return metrics.render();
    }
}
