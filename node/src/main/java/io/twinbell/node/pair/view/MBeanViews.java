package io.twinbell.node.pair.view;

import io.twinbell.node.engine.Engine;
import io.twinbell.node.jmx.JmxCaller;
import io.twinbell.node.jmx.NodeViews;
import io.twinbell.node.json.ControlCharacters;
import io.twinbell.node.metrics.NodeMetrics;
import io.twinbell.node.pair.database.PairRegisters;
import io.twinbell.persistence.actor.Actor;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.MoveRequest;
import java.time.Instant;
import java.util.OptionalLong;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** This node as shown over JMX. Reading attributes uses no network; only the operations do. */
public final class MBeanViews {
    private static final Logger LOG = LoggerFactory.getLogger(MBeanViews.class);

    private MBeanViews() {}

    public static NodeViews of(NodeState state, Engine engine, NodeMetrics metrics, PairRegisters registers) {
        return new NodeViews(
                new MasterParts(state, engine, metrics, registers),
                heap(state, engine),
                actions(engine),
                workers(engine));
    }

    private static NodeViews.TaskHeapView heap(NodeState state, Engine engine) {
        FiringSignal firing = new FiringSignal(state, engine);
        return new NodeViews.TaskHeapView() {
            @Override
            public long getSize() {
                return engine.heapSize();
            }

            @Override
            public long getHeadLagMillis() {
                return firing.lagMillis();
            }

            @Override
            public long getLastRebuildMillis() {
                return engine.lastRebuildMillis();
            }
        };
    }

    private static NodeViews.ActionQueueView actions(Engine engine) {
        return new NodeViews.ActionQueueView() {
            @Override
            public long getDepth() {
                return engine.actionDepth();
            }

            @Override
            public long getCapacity() {
                return engine.actionCapacity();
            }
        };
    }

    private static NodeViews.WorkerPoolView workers(Engine engine) {
        return new NodeViews.WorkerPoolView() {
            @Override
            public long getSize() {
                return engine.workers().size();
            }

            @Override
            public long getActive() {
                return engine.workers().active();
            }

            @Override
            public long getQueued() {
                return engine.workers().queued();
            }
        };
    }

    private record MasterParts(NodeState state, Engine engine, NodeMetrics metrics, PairRegisters registers)
            implements NodeViews.LeadershipView {
        @Override
        public String getRole() {
            return state.role().name();
        }

        @Override
        public int getMaster() {
            return state.isMaster() ? 1 : 0;
        }

        @Override
        public long getEpoch() {
            return state.epoch();
        }

        @Override
        public String getMasterNode() {
            return state.master();
        }

        @Override
        public String getNodeId() {
            return state.nodeIdentity().id();
        }

        @Override
        public String getStandbyNode() {
            return state.standby();
        }

        @Override
        public boolean isLatchHeld() {
            return state.leadership().isLatchHeld();
        }

        @Override
        public boolean isDatabaseLockHeld() {
            return state.takeover().isLockHeld();
        }

        @Override
        public String getFastTakeover() {
            return state.takeover().obstacle().map(reason -> "off: " + reason).orElse("armed");
        }

        @Override
        public String getZooKeeperState() {
            return state.zooKeeper().state();
        }

        @Override
        public long getZooKeeperNegotiatedTimeoutMillis() {
            return state.zooKeeper().negotiatedTimeoutMillis();
        }

        @Override
        public String getLastTransitionTime() {
            long at = state.roles().last().atMillis();
            return at == 0 ? null : Instant.ofEpochMilli(at).toString();
        }

        @Override
        public String getLastTransitionReason() {
            return state.roles().last().reason();
        }

        @Override
        public long getLastTransitionMillis() {
            return state.roles().last().tookMillis();
        }

        @Override
        public long getTransitionCount() {
            return state.roles().last().count();
        }

        @Override
        public long getFencedWrites() {
            return metrics.fencedWrites();
        }

        @Override
        public long getHeartbeatCount() {
            return state.tasks().heartbeats();
        }

        @Override
        public long getLastHeartbeatAgeMillis() {
            return state.heartbeatAgeMillis();
        }

        @Override
        public long getChangeMasterCheckCount() {
            return state.tasks().checks();
        }

        @Override
        public long getClockOffsetMillis() {
            return state.clock().aheadOfWallMillis();
        }

        @Override
        public boolean isPaused() {
            return engine.isPaused();
        }

        @Override
        public boolean isOnHold() {
            return state.hold().isOn();
        }

        @Override
        public String resign() {
            if (!state.isMaster()) {
                return "node " + state.nodeIdentity().id() + " is " + state.role() + ": only the master can resign";
            }
            actor("resign").perform(this::allowTheMove);
            state.leadership().resign("resigned over JMX");
            state.tasks().soon();
            return "node " + state.nodeIdentity().id() + " hands over";
        }

        /**
         * Records a request for the move, because during a hold on automatic takeover the standby does not follow a
         * master that resigned by itself.
         */
        private void allowTheMove() {
            try {
                registers.instructions().ask(getEpoch(), new MoveRequest(null, "JMX", "resigned over JMX"));
            } catch (DatabaseUnavailableException e) {
                LOG.warn(
                        "resigning, but no node can take over while automatic takeover is on hold: {}", e.getMessage());
            }
        }

        @Override
        public String pause(String reason) {
            String because = reason == null || reason.isBlank() ? "paused over JMX" : ControlCharacters.spaced(reason);
            AtomicBoolean isBegun = new AtomicBoolean();
            actor("pause")
                    .perform(() -> isBegun.set(
                            registers.pauses().pause(because, "node " + getNodeId(), OptionalLong.empty())));
            return isBegun.get() ? "firing is paused on the whole pair" : "firing was already paused";
        }

        @Override
        public String resume() {
            AtomicBoolean isResumed = new AtomicBoolean();
            actor("resume").perform(() -> isResumed.set(registers.pauses().resume()));
            return isResumed.get() ? "firing is resumed" : "firing was not paused";
        }

        private static Actor actor(String operation) {
            JmxCaller caller = JmxCaller.current();
            return new Actor(caller.name(), Actor.Channel.JMX, caller.address(), operation);
        }
    }
}
