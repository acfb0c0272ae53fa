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
import io.twinbell.persistence.cluster.NodeIdInUseException;
import io.twinbell.persistence.cluster.NodeLock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.WrongSchemaException;
import io.twinbell.persistence.epoch.EpochRegister;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

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

    /** Stops this node for a reason that an operator must resolve before it may run. */
    static final class NodeRefusal {
        private static final Logger LOG = LoggerFactory.getLogger(NodeRefusal.class);

        private final String nodeId;
        private final Leadership leadership;
        private final Signals<NodeEvent> signals;
        private final CompletableFuture<Void> ended;
        private volatile String reason;

        /** @param ended completed exceptionally by a refusal */
        NodeRefusal(String nodeId, Leadership leadership, Signals<NodeEvent> signals, CompletableFuture<Void> ended) {
            this.nodeId = nodeId;
            this.leadership = leadership;
            this.signals = signals;
            this.ended = ended;
        }

        void refuse(RuntimeException because) {
            if (reason != null) {
                return; // Another attempt to join had begun before the first refusal.
            }
            LOG.error("node {} stops: {}", nodeId, because.getMessage());
            reason = because.getMessage();
            leadership.retire();
            signals.raise(NodeEvent.REFUSED);
            ended.completeExceptionally(because);
        }

        /**
         * Checks that this process still holds the lock of its node id and that the schema still allows this build. If
         * another process had the same node id, each would be mistaken for the other, so this one stops. A build that
         * is too old for the schema must not write to it.
         *
         * @param checkSchema throws {@link WrongSchemaException} if the schema no longer allows this build
         */
        void refuseUnlessMayRun(NodeLock lock, Runnable checkSchema) {
            try {
                if (!lock.acquire()) {
                    refuse(new NodeIdInUseException("node.id \"" + nodeId + "\" is now in use by " + lock.holder()));
                }
                checkSchema.run();
            } catch (WrongSchemaException e) {
                refuse(e);
            } catch (DatabaseUnavailableException e) {
                // The lock was released with its connection; it is taken again within three seconds.
                LOG.debug("the lock of the node id is not held: {}", e.getMessage());
            }
        }

        /** Why this node must not run; empty if no reason was found. */
        Optional<String> reason() {
            return Optional.ofNullable(reason);
        }
    }
}
