package io.twinbell.lab.fault.catalog;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.Fault.RoleEffect;
import io.twinbell.lab.fault.FaultTarget;
import io.twinbell.lab.fault.callback.KillWithCallbacks;
import io.twinbell.lab.fault.callback.KillWithCheckpoints;
import io.twinbell.lab.fault.database.DatabaseClockJump;
import io.twinbell.lab.fault.database.DatabaseFaults;
import io.twinbell.lab.fault.database.ExhaustConnections;
import io.twinbell.lab.fault.database.ExhaustPool;
import io.twinbell.lab.fault.database.HoldTaskRow;
import io.twinbell.lab.fault.database.KillUnderOldSnapshot;
import io.twinbell.lab.fault.database.PinnedSnapshot;
import io.twinbell.lab.fault.database.ReadOnlyDatabase;
import io.twinbell.lab.fault.network.DegradedLink;
import io.twinbell.lab.fault.network.DegradedLink.Disturbance;
import io.twinbell.lab.fault.network.LinkFault;
import io.twinbell.lab.fault.network.NetworkFaults;
import io.twinbell.lab.fault.network.Partition;
import io.twinbell.lab.fault.network.Partition.DroppedDirection;
import io.twinbell.lab.fault.network.Partition.OtherEnd;
import io.twinbell.lab.fault.process.ClockFaults;
import io.twinbell.lab.fault.process.KillLoop;
import io.twinbell.lab.fault.process.ProcessFaults;
import io.twinbell.lab.fault.replica.CloneElsewhere;
import io.twinbell.lab.fault.replica.HangSyncStandby;
import io.twinbell.lab.fault.replica.LosePrimaryAndMaster;
import io.twinbell.lab.fault.replica.ReplicaFaults;
import io.twinbell.lab.fault.replica.RestoreBackup;
import io.twinbell.lab.fault.replica.TwoPrimaries;
import io.twinbell.lab.fault.request.KillAfterRequests;
import io.twinbell.lab.fault.zookeeper.TwoLatchHolders;
import io.twinbell.lab.fault.zookeeper.ZooKeeperFaults;
import io.twinbell.lab.own.TcpProxy.ProxyBehaviour;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;

/** The list of all faults that can be drilled. */
public final class Faults {
    private static final List<FaultTarget> MASTER = List.of(FaultTarget.MASTER);
    private static final List<FaultTarget> STANDBY = List.of(FaultTarget.STANDBY);
    private static final List<FaultTarget> BOTH = List.of(FaultTarget.MASTER, FaultTarget.STANDBY);
    private static final Duration A_SECOND = Duration.ofSeconds(1);
    /** Longer than the pair's ZooKeeper session timeout. */
    private static final Duration LONGER_THAN_A_SESSION = Duration.ofSeconds(15);
    /** A master that alone has lost the database resigns within three seconds; then the standby takes over. */
    private static final Duration RESIGNS_AND_IS_FOLLOWED = Duration.ofSeconds(4);

    private static final Duration AN_HOUR = Duration.ofHours(1);

    /** Faults of the processes and their servers, which every pair allows. */
    private static final List<Fault> ANYWHERE = List.of(
            ProcessFaults.KILL,
            ProcessFaults.STOP,
            ProcessFaults.SWITCHOVER,
            ProcessFaults.ROLLING_RESTART,
            ProcessFaults.FREEZE,
            ProcessFaults.pause(FaultTarget.MASTER),
            ProcessFaults.pause(FaultTarget.STANDBY),
            ProcessFaults.KILL_STANDBY,
            ProcessFaults.KILL_BOTH,
            new KillLoop(KillLoop.FEW),
            ProcessFaults.KILL_PROMOTING,
            new KillWithCallbacks(),
            new KillWithCheckpoints(),
            new KillAfterRequests(),
            DatabaseFaults.END_SESSIONS,
            DatabaseFaults.END_SESSIONS_LOOP,
            DatabaseFaults.END_LOCK_SESSION,
            DatabaseFaults.CRASH,
            DatabaseFaults.FREEZE,
            new ExhaustConnections(false),
            new ExhaustConnections(true),
            new HoldTaskRow(),
            new ExhaustPool(false),
            new ExhaustPool(true),
            new WatchVacuum(WatchVacuum.SHORT),
            ZooKeeperFaults.FREEZE,
            ZooKeeperFaults.deletedEntry(FaultTarget.MASTER),
            ZooKeeperFaults.deletedEntry(FaultTarget.STANDBY),
            ZooKeeperFaults.expiredSession(FaultTarget.MASTER),
            ZooKeeperFaults.expiredSession(FaultTarget.STANDBY));

    private static final List<Fault> TO_OWN_SERVERS = List.of(
            DatabaseFaults.RESTART,
            DatabaseFaults.OUTAGE,
            new ReadOnlyDatabase(),
            DatabaseFaults.HANG_COMMITS,
            ProcessFaults.HOLD_AND_KILL,
            ProcessFaults.KILL_BOTH_FOR_MINUTES,
            DatabaseFaults.DEMOTE,
            ZooKeeperFaults.ROLLING_RESTART,
            ZooKeeperFaults.OUTAGE,
            DatabaseFaults.OUTAGE_WITH_ZOOKEEPER,
            new RestoreBackup(),
            new CloneElsewhere(),
            new DatabaseClockJump(Duration.ofSeconds(2)),
            new DatabaseClockJump(Duration.ofSeconds(-2)));

    private static final List<Fault> IN_NAMESPACES = Stream.of(
                    List.of(NetworkFaults.lostHost(FaultTarget.MASTER), NetworkFaults.lostHost(FaultTarget.STANDBY)),
                    cuts(MASTER, OtherEnd.DATABASE, followed(RESIGNS_AND_IS_FOLLOWED)),
                    cuts(STANDBY, OtherEnd.DATABASE, unmoved(Duration.ofSeconds(6), A_SECOND)),
                    cuts(BOTH, OtherEnd.DATABASE, unmoved(Duration.ofSeconds(10), null)),
                    cuts(MASTER, OtherEnd.ZOOKEEPER, followed(A_SECOND)),
                    cuts(STANDBY, OtherEnd.ZOOKEEPER, unmoved(LONGER_THAN_A_SESSION, A_SECOND)),
                    cuts(BOTH, OtherEnd.ZOOKEEPER, unmoved(LONGER_THAN_A_SESSION, A_SECOND)),
                    cuts(MASTER, OtherEnd.PEER, unmoved(Duration.ofSeconds(6), A_SECOND)),
                    List.of(
                            new TwoLatchHolders(),
                            NetworkFaults.DEAF_MASTER,
                            NetworkFaults.STOP_UNHEARD,
                            DatabaseFaults.DISK_FULL))
            .flatMap(List::stream)
            .toList();

    private static final List<Fault> THROUGH_PROXIES = List.of(
            DegradedLink.toDatabase(
                    "slow-database",
                    "Delays all data between both nodes and PostgreSQL by 100 ms for 15 s.",
                    BOTH,
                    Disturbance.of(ProxyBehaviour.slow(Duration.ofMillis(100))),
                    unmoved(Duration.ofSeconds(15), null)),
            DegradedLink.toDatabase(
                    "slow-master-database",
                    "Delays all data between the master and PostgreSQL by 100 ms for 15 s.",
                    MASTER,
                    Disturbance.of(ProxyBehaviour.slow(Duration.ofMillis(100))),
                    unmoved(Duration.ofSeconds(15), null)),
            DegradedLink.toDatabase(
                    "crawling-database",
                    "Delays all data between both nodes and PostgreSQL by 5 s for 15 s.",
                    BOTH,
                    Disturbance.of(ProxyBehaviour.slow(Duration.ofSeconds(5))),
                    unmoved(Duration.ofSeconds(15), null)),
            DegradedLink.toDatabase(
                    "blip-database",
                    "Resets every connection of the master with PostgreSQL.",
                    MASTER,
                    Disturbance.resets(1),
                    unmoved(Duration.ofSeconds(5), null)),
            DegradedLink.toDatabase(
                    "flapping-database",
                    "Resets every connection of the master with PostgreSQL ten times, every 500 ms.",
                    MASTER,
                    Disturbance.resets(10),
                    unmoved(Duration.ofSeconds(5), null)),
            DegradedLink.toDatabase(
                    "silent-master-database",
                    "Blocks all data between the master and PostgreSQL but keeps the connections open.",
                    MASTER,
                    Disturbance.of(ProxyBehaviour.SILENT),
                    new LinkFault.Expectation(RoleEffect.SUCCESSOR, Duration.ZERO, RESIGNS_AND_IS_FOLLOWED)),
            DegradedLink.toDatabase(
                    "half-open-master-database",
                    "Drops every answer of PostgreSQL to the master; the statements still arrive and are executed.",
                    MASTER,
                    Disturbance.of(ProxyBehaviour.ANSWERS_LOST),
                    new LinkFault.Expectation(RoleEffect.SUCCESSOR, Duration.ZERO, RESIGNS_AND_IS_FOLLOWED)),
            DegradedLink.toDatabase(
                    "refused-master-database",
                    "Resets the connections of the master with PostgreSQL, and refuses new ones.",
                    MASTER,
                    Disturbance.of(ProxyBehaviour.REFUSING),
                    new LinkFault.Expectation(RoleEffect.SUCCESSOR, Duration.ZERO, RESIGNS_AND_IS_FOLLOWED)),
            DegradedLink.toZooKeeper(
                    "slow-zookeeper",
                    "Delays all data between both nodes and ZooKeeper by 500 ms for 15 s.",
                    BOTH,
                    Disturbance.of(ProxyBehaviour.slow(Duration.ofMillis(500))),
                    unmoved(Duration.ofSeconds(15), A_SECOND)),
            DegradedLink.toZooKeeper(
                    "flapping-zookeeper",
                    "Resets every connection of both nodes with ZooKeeper ten times, every 500 ms.",
                    BOTH,
                    Disturbance.resets(10),
                    unmoved(Duration.ofSeconds(5), A_SECOND)));

    private static final List<Fault> OF_CLOCKS = List.of(
            ClockFaults.jump(FaultTarget.MASTER, AN_HOUR),
            ClockFaults.jump(FaultTarget.MASTER, AN_HOUR.negated()),
            ClockFaults.jump(FaultTarget.STANDBY, AN_HOUR),
            ClockFaults.STROBE,
            ClockFaults.skewedSuccessor(AN_HOUR),
            ClockFaults.skewedSuccessor(AN_HOUR.negated()));

    private static final List<Fault> OF_REPLICAS = List.of(
            ReplicaFaults.PROMOTE_REPLICA,
            ReplicaFaults.SWITCH_PRIMARY,
            new HangSyncStandby(),
            ReplicaFaults.LOSE_SYNC_STANDBY,
            new TwoPrimaries(),
            ReplicaFaults.PROMOTE_LAGGING_REPLICA,
            new LosePrimaryAndMaster());

    private static final List<Fault> ON_DISK = List.of(
            new PinnedSnapshot(PinnedSnapshot.SHORT, PinnedSnapshot.RATE),
            new KillUnderOldSnapshot(PinnedSnapshot.SHORT, PinnedSnapshot.RATE));

    public static final List<Fault> ALL = Stream.of(
                    ANYWHERE, TO_OWN_SERVERS, IN_NAMESPACES, THROUGH_PROXIES, OF_CLOCKS, OF_REPLICAS, ON_DISK)
            .flatMap(List::stream)
            .toList();

    private Faults() {}

    public static Optional<Fault> named(String name) {
        return ALL.stream().filter(fault -> fault.name().equals(name)).findFirst();
    }

    /** Whether one fault may strike before the other is repaired. */
    public static boolean areCombinable(Fault one, Fault other) {
        return CombinedFault.isPossible(one, other);
    }

    /** Combines both faults at random moments. */
    public static Fault together(Fault first, Fault second, SplittableRandom random) {
        return CombinedFault.at(first, second, random);
    }

    /** The partitions of a link in each direction. */
    private static List<Fault> cuts(List<FaultTarget> from, OtherEnd otherEnd, LinkFault.Expectation expectation) {
        return Stream.of(DroppedDirection.values())
                .<Fault>map(direction -> new Partition(from, otherEnd, direction, expectation))
                .toList();
    }

    private static LinkFault.Expectation followed(Duration quietAtMost) {
        return new LinkFault.Expectation(RoleEffect.SUCCESSOR, Duration.ZERO, quietAtMost);
    }

    private static LinkFault.Expectation unmoved(Duration lasts, Duration quietAtMost) {
        return new LinkFault.Expectation(RoleEffect.SAME_MASTER, lasts, quietAtMost);
    }
}
