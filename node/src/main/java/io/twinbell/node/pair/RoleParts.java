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
     * @param duties the work that starts and stops with the master role: the engine, or a wrapper around it
     * @param drain how long handlers may run on after a hand-over
     * @param warmUps work that a standby repeats besides the engine's warm-ups, so that it is prepared for a promotion
     * @param checkSchema throws {@code WrongSchemaException} if the schema no longer allows this build
     * @param readHold reads whether automatic takeover is on hold
     * @param takeoverPorts the ports by which fast takeover examines the master
     * @param ended completed exceptionally if the node must not run
     */
    static RoleParts of(
            FastTakeover.LocalNode self,
            RoleRecord roles,
            Engine engine,
            MasterDuties duties,
            Duration drain,
            List<Runnable> warmUps,
            EpochRegister register,
            DatabaseHealthProbe healthProbe,
            NodeLock nodeLock,
            Runnable checkSchema,
            Runnable readHold,
            Latch latch,
            Peers peers,
            BooleanSupplier isZooKeeperConnected,
            TakeoverPorts takeoverPorts,
            Consumer<OwnerVerdict> onVerdict,
            Consumer<RuntimeException> onTakeoverFailure,
            Ticker ticker,
            Signals<NodeEvent> signals,
            CompletableFuture<Void> ended) {
        PeerReach reach =
                new PeerReach(self.incarnation(), peers, healthProbe::isReached, isZooKeeperConnected, ticker);
        Leadership leadership = new Leadership(
                self.node(),
                self.incarnation(),
                latch,
                register,
                duties,
                roles,
                new Leadership.LeadershipContext(ticker, reach, drain));
        NodeRefusal refusal = new NodeRefusal(self.node(), leadership, signals, ended);
        RoleTasks tasks = new RoleTasks(
                leadership,
                roles,
                engine,
                register,
                healthProbe,
                ticker,
                () -> refusal.refuseUnlessMayRun(nodeLock, checkSchema),
                readHold,
                Stream.concat(engine.warmUps().stream(), warmUps.stream()).toList());
        FastTakeover takeover =
                new FastTakeover(self, leadership, roles, takeoverPorts, ticker, onVerdict, onTakeoverFailure);
        return new RoleParts(leadership, refusal, tasks, takeover);
    }

    /** What the system tasks of this node do. */
    SystemTasks.Work systemWork(PairMembership membership) {
        return new SystemTasks.Work(membership::join, tasks::heartbeat, tasks::changeMasterCheck, tasks::settle);
    }
}
