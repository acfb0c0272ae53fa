package io.twinbell.node.simulation;

import io.twinbell.ha.latch.LatchSessions;
import io.twinbell.ha.role.Role;
import io.twinbell.ha.takeover.HostWatch;
import io.twinbell.ha.takeover.Probe;
import io.twinbell.ha.takeover.TakeoverPorts;
import io.twinbell.node.compile.DefinitionCompiler;
import io.twinbell.node.engine.EngineBounds;
import io.twinbell.node.engine.EnginePorts;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.memory.NoCallbacks;
import io.twinbell.node.pair.SteppedNode;
import io.twinbell.persistence.clock.MeasuredClock;
import io.twinbell.persistence.cluster.NodeLock;
import io.twinbell.persistence.epoch.DoubtWindow;
import io.twinbell.persistence.epoch.RoleChange;
import io.twinbell.persistence.epoch.RoleHistory;
import io.twinbell.persistence.ledger.record.ReportWriter;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;

/** A host with one node on it: it starts processes, one after the other. */
final class Machine {
    static final Duration DRAIN = Duration.ofSeconds(3);
    /**
     * How long a statement of another node may count: a second, and the time that a busy thread may need to learn of
     * its end.
     */
    private static final long SAID_FOR = 1600 * World.MILLI;

    private static final long LOOK = 50 * World.MILLI;
    private static final EngineBounds BOUNDS = new EngineBounds(3, 200, Duration.ofDays(7));

    final String name;
    private final Scene scene;
    private final World world;
    private int lives;
    private Process process;
    private SteppedNode node;
    private ZooKeeperClient zooKeeper;
    private Link operators;
    private boolean silent;
    private boolean hidden;
    private long couldServe = Long.MIN_VALUE;
    private long thawed = Long.MIN_VALUE;

    /** The parts that all machines share. */
    record Scene(
            World world,
            SimulatedDatabase database,
            SimulatedEnsemble ensemble,
            SimulatedReceiver receiver,
            Mutation mutation) {}

    Machine(String name, Scene scene) {
        this.name = name;
        this.scene = scene;
        world = scene.world();
        keepLooking();
    }

    Process process() {
        return process;
    }

    ZooKeeperClient zooKeeper() {
        return zooKeeper;
    }

    SteppedNode node() {
        return node;
    }

    /** The connection for requests of people to this node's API. */
    Link operators() {
        return operators;
    }

    boolean isUp() {
        return process != null && !process.isDead();
    }

    boolean isMaster() {
        return isUp() && node.role() == Role.MASTER;
    }

    Role role() {
        return isUp() ? node.role() : Role.STOPPED;
    }

    /** Makes the host silent: a connection to the dead process is not refused, and no peer notices its end. */
    void silent(boolean on) {
        silent = on;
    }

    /** Cuts the path between the two nodes. Database and ZooKeeper still reach this one. */
    void hidden(boolean on) {
        hidden = on;
    }

    void start(Map<String, Machine> all) {
        if (isUp()) {
            return;
        }
        silent = false;
        process = new Process(world, name, ++lives);
        process.history(scene.mutation().history(scene.database().replica()));
        world.trace.say(process, "starts");
        Map<String, Link> links = new HashMap<>();
        zooKeeper = new ZooKeeperClient(scene.ensemble(), process);
        operators = link(links, "operators");
        node = node(links, all);
        process.standsByWhile(() -> node.role() == Role.STANDBY);
        zooKeeper.tells(node::zooKeeperChanged, node::roleMayChange, node::peersChanged);
        Process mine = process;
        node.tells((from, to, reason, epoch) -> {
            world.trace.say(mine, from + " -> " + to + " (epoch " + epoch + "): " + reason);
            // If another node has opened an epoch since, nothing is lost.
            boolean isOwner = epoch == scene.database().tables.epoch.number;
            if (to == Role.DEMOTING && isOwner && reason.startsWith("lost the database")) {
                checkThatAnotherReachesIt(all.values());
            }
        });
        Listening listening = new Listening(link(links, "listener"), process, node.changes(), scene.mutation());
        scene.database().listen(listening);
        listening.start();
        node.start();
    }

    /**
     * Checks that a master which resigns because of the database leaves the role to a live node that knows of no
     * outage.
     */
    private void checkThatAnotherReachesIt(Collection<Machine> all) {
        long oldest = world.now() - SAID_FOR;
        boolean hasJustThawed = thawed >= oldest;
        if (!hasJustThawed && all.stream().noneMatch(other -> other != this && other.couldServe >= oldest)) {
            world.accident(name, new IllegalStateException("resigned to nobody who reaches the database"));
        }
    }

    private void keepLooking() {
        look();
        world.after(LOOK, this::keepLooking);
    }

    /**
     * Notes whether the node could serve now. Also called before each fault, because the node may have said so until
     * then.
     */
    void look() {
        if (isUp() && process.isAlive() && zooKeeper.isConnected() && zooKeeper.canReach() && node.reachesDatabase()) {
            couldServe = world.now();
        }
    }

    private Link link(Map<String, Link> links, String purpose) {
        return links.computeIfAbsent(purpose, name -> new Link(scene.database(), process, purpose));
    }

    private SteppedNode node(Map<String, Link> links, Map<String, Machine> all) {
        Process mine = process;
        SimulatedDatabase database = scene.database();
        MeasuredClock clock = new MeasuredClock(mine.ticker(), mine.wall());
        EngineClocks clocks =
                new EngineClocks(clock, mine.ticker(), scene.mutation().uptime(mine), mine.wall());
        Mutation mutation = scene.mutation();
        Mutation.Place place = new Mutation.Place(scene, mine, zooKeeper);
        mutation.joins(place);
        return new SteppedNode(
                new SteppedNode.Self(name, mine.incarnation(), mine, clocks, DRAIN),
                new SteppedNode.Database(
                        mutation.register(new SimulatedEpochRegister(link(links, "epoch"), database), place),
                        history(link(links, "epoch")),
                        () -> link(links, "pulse").ask("time?", database::nowMicros),
                        nodeLock(link(links, "node lock"))),
                new SteppedNode.ZooKeeper(zooKeeper, mutation.peers(zooKeeper, place), zooKeeper::isConnected),
                new SteppedNode.Firing(
                        ports(links, place),
                        BOUNDS,
                        call -> scene.receiver().call(mine, call),
                        duties -> mutation.duties(duties, place)),
                takeoverPorts(links, all));
    }

    private EnginePorts ports(Map<String, Link> links, Mutation.Place place) {
        SimulatedDatabase database = scene.database();
        Mutation mutation = scene.mutation();
        Link claims = link(links, "claims");
        Link epoch = link(links, "epoch");
        SimulatedClaimJournal check = new SimulatedClaimJournal(
                link(links, "gate"), database, place.process().history());
        List.of("claims", "outcomes", "gate", "epoch")
                .forEach(purpose -> link(links, purpose).onArrival(mutation.entersAgain() ? check : null));
        return new EnginePorts(
                mutation.gateRegister(new SimulatedEpochRegister(link(links, "gate"), database), place),
                mutation.ledger(new SimulatedLedger(claims, database), place),
                mutation.dueTasks(new SimulatedDueTasks(claims, database), place),
                mutation.recorder(new SimulatedRecorder(link(links, "outcomes"), database), place),
                ReportWriter.NONE,
                new SimulatedRecovery(epoch, database),
                new SimulatedRecovery(link(links, "gate"), database),
                new DefinitionCompiler(),
                () -> epoch.ask("leaps?", () -> 0) + epoch.ask("arrivals?", () -> 0) > 0,
                () -> epoch.ask("pauses?", List::of),
                new NoLimitSource(claims),
                check,
                isResigned -> DoubtWindow.DoubtBounds.NONE,
                new NoCallbacks());
    }

    private TakeoverPorts takeoverPorts(Map<String, Link> links, Map<String, Machine> all) {
        LatchSessions sessions = zooKeeper;
        return new TakeoverPorts(
                new SimulatedMasterLock(link(links, "master lock"), scene.database(), () -> node.wakeTakeover()),
                new SimulatedOwnerRecords(link(links, "takeover"), scene.database()),
                sessions,
                (http, incarnation) -> probe(machine(all, http), incarnation),
                hostWatch(all));
    }

    private static Machine machine(Map<String, Machine> all, String http) {
        return all.get(http.substring("http://".length()));
    }

    /** A host that answers also while its process is frozen. */
    private HostWatch hostWatch(Map<String, Machine> all) {
        return new HostWatch() {
            private long silentSince = Long.MAX_VALUE;

            @Override
            public Duration silence(String http) {
                Machine asked = machine(all, http);
                if (!asked.silent && !asked.hidden) {
                    silentSince = Long.MAX_VALUE;
                    return Duration.ZERO;
                }
                silentSince = Math.min(silentSince, world.now());
                return Duration.ofNanos(world.now() - silentSince);
            }

            @Override
            public Duration probeDelay() {
                return Duration.ofMillis(silentSince == Long.MAX_VALUE ? world.between(50, 1000) : 25);
            }

            @Override
            public void end() {
                silentSince = Long.MAX_VALUE;
            }
        };
    }

    private Probe.Answer probe(Machine asked, UUID incarnation) {
        boolean isSlow = world.isRough() && world.chance(0.05);
        if (isSlow || asked.silent || asked.hidden || asked.isUp() && asked.process.isFrozen()) {
            return Probe.Answer.NONE;
        }
        if (!asked.isUp()) {
            return Probe.Answer.REFUSED;
        }
        return asked.process.incarnation().equals(incarnation) ? Probe.Answer.SAME : Probe.Answer.ANOTHER;
    }

    private NodeLock nodeLock(Link link) {
        return new NodeLock() {
            @Override
            public boolean acquire() {
                return link.ask("node lock", () -> scene.database().lockNode(name, link.serving()));
            }

            @Override
            public String holder() {
                return "another process of " + name;
            }
        };
    }

    private static RoleHistory history(Link link) {
        return new RoleHistory() {
            @Override
            public void record(RoleChange change) {
                link.ask("role history", () -> null);
            }

            @Override
            public void addStep(String node, long epoch, String step, long micros) {
                link.ask("role history", () -> null);
            }

            @Override
            public List<RoleChange> latest(int limit) {
                return List.of();
            }

            @Override
            public List<RoleChange> promotions(int limit) {
                return List.of();
            }
        };
    }

    void kill() {
        if (isUp()) {
            world.trace.say(process, "KILLED" + (silent ? " with its host" : ""));
            process.kill();
            scene.receiver().hangUp(process);
            scene.database().sessions(backend -> backend.process == process).forEach(scene.database()::abandon);
        }
    }

    /** Stops as after SIGTERM: the node hands over, drains and ends. */
    void stop(Runnable then) {
        Process mine = process;
        node.retire();
        world.after(100 * World.MILLI, () -> endWhenStopped(mine, then));
    }

    private void endWhenStopped(Process mine, Runnable then) {
        if (mine != process || mine.isDead()) {
            return;
        }
        if (node.role() == Role.STOPPED) {
            zooKeeper.close();
            kill();
            then.run();
        } else {
            world.after(100 * World.MILLI, () -> endWhenStopped(mine, then));
        }
    }

    /** Freezes the process; a little later if two threads of the machine might wait for each other. */
    void freeze(BooleanSupplier isStillWanted) {
        freeze(process, isStillWanted);
    }

    private void freeze(Process mine, BooleanSupplier isStillWanted) {
        if (mine.isDead() || !isStillWanted.getAsBoolean()) {
            return;
        }
        if (world.isInTheWay(mine)) {
            world.after(World.MILLI, () -> freeze(mine, isStillWanted));
            return;
        }
        world.trace.say(mine, "FROZEN");
        look();
        mine.freeze();
    }

    void thaw() {
        if (isUp() && process.isFrozen()) {
            world.trace.say(process, "THAWED");
            thawed = world.now();
            process.thaw();
        }
    }

    @Override
    public String toString() {
        return name;
    }
}
