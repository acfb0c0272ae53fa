package io.twinbell.node.pair;

import io.twinbell.ha.latch.Latch;
import io.twinbell.ha.latch.Peers;
import io.twinbell.ha.role.Leadership;
import io.twinbell.ha.role.MasterDuties;
import io.twinbell.ha.role.PeerReach;
import io.twinbell.ha.role.RoleRecord;
import io.twinbell.ha.takeover.FastTakeover;
import io.twinbell.ha.takeover.OwnerVerdict;
import io.twinbell.ha.takeover.TakeoverPorts;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.loop.Signals;
import io.twinbell.node.pair.database.DatabaseHealthProbe;
import io.twinbell.node.pair.role.RoleTasks;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.cluster.NodeLock;
import io.twinbell.persistence.epoch.EpochRegister;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * The parts that decide this node's role and act on it. They own no thread, so a simulation can assemble the same parts
 * and step them by itself.
 */
record RoleParts(Leadership leadership, NodeRefusal refusal, RoleTasks tasks, FastTakeover takeover) {
    /**
     * The dependencies of the parts.
     *
     * @param drain how long handlers may run on after a hand-over
     * @param warmUps work that a standby repeats besides the engine's warm-ups, so that it is prepared for a promotion
     */
    record Ports(
            FastTakeover.LocalNode self,
            Ticker ticker,
            Duration drain,
            Database database,
            ZooKeeper zooKeeper,
            Takeover takeover,
            List<Runnable> warmUps) {}

    /**
     * The database.
     *
     * @param checkSchema throws {@code WrongSchemaException} if the schema no longer allows this build
     * @param readHold reads whether automatic takeover is on hold
     */
    record Database(
            EpochRegister register,
            DatabaseHealthProbe healthProbe,
            NodeLock nodeLock,
            Runnable checkSchema,
            Runnable readHold) {}

    record ZooKeeper(Latch latch, Peers peers, BooleanSupplier isConnected) {}

    /** The ports by which fast takeover examines the master, and the receivers of its verdicts and failures. */
    record Takeover(TakeoverPorts ports, Consumer<OwnerVerdict> onVerdict, Consumer<RuntimeException> onFailure) {}

    /**
     * @param duties the work that starts and stops with the master role: the engine, or a wrapper around it
     * @param ended completed exceptionally if the node must not run
     */
    static RoleParts of(
            Ports ports,
            RoleRecord roles,
            Engine engine,
            MasterDuties duties,
            Signals<NodeEvent> signals,
            CompletableFuture<Void> ended) {
        String id = ports.self().node();
        Leadership leadership = leadership(ports, roles, duties);
        NodeRefusal refusal = new NodeRefusal(id, leadership, signals, ended);
        RunPreconditions lockCheck = new RunPreconditions(
                id, ports.database().nodeLock(), ports.database().checkSchema(), refusal);
        RoleTasks.PeriodicWork periodicWork = new RoleTasks.PeriodicWork(
                lockCheck::check,
                ports.database().readHold(),
                Stream.concat(engine.warmUps().stream(), ports.warmUps().stream())
                        .toList());
        RoleTasks tasks = new RoleTasks(
                leadership,
                roles,
                engine,
                ports.database().register(),
                ports.database().healthProbe(),
                ports.ticker(),
                periodicWork);
        FastTakeover takeover = new FastTakeover(
                ports.self(),
                leadership,
                roles,
                ports.takeover().ports(),
                ports.ticker(),
                ports.takeover().onVerdict(),
                ports.takeover().onFailure());
        return new RoleParts(leadership, refusal, tasks, takeover);
    }

    private static Leadership leadership(Ports ports, RoleRecord roles, MasterDuties duties) {
        FastTakeover.LocalNode self = ports.self();
        PeerReach reach = new PeerReach(
                self.incarnation(),
                ports.zooKeeper().peers(),
                ports.database().healthProbe()::isReached,
                ports.zooKeeper().isConnected(),
                ports.ticker());
        return new Leadership(
                self.node(),
                self.incarnation(),
                ports.zooKeeper().latch(),
                ports.database().register(),
                duties,
                roles,
                new Leadership.LeadershipContext(ports.ticker(), reach, ports.drain()));
    }

    /** What the system tasks of this node do. */
    SystemTasks.Work systemWork(PairMembership membership) {
        return new SystemTasks.Work(membership::join, tasks::heartbeat, tasks::changeMasterCheck, tasks::settle);
    }
}
