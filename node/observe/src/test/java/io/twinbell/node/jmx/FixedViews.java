package io.twinbell.node.jmx;

/** A node's views with a value of its own for every attribute. */
final class FixedViews {
    private FixedViews() {}

    static NodeViews of(String nodeId) {
        return new NodeViews(new FixedLeadership(nodeId), new FixedHeap(), new FixedQueue(), new FixedPool());
    }

    private record FixedLeadership(String nodeId) implements NodeViews.LeadershipView {
        @Override
        public String getRole() {
            return "MASTER";
        }

        @Override
        public int getMaster() {
            return 1;
        }

        @Override
        public long getEpoch() {
            return 7;
        }

        @Override
        public String getMasterNode() {
            return nodeId;
        }

        @Override
        public String getNodeId() {
            return nodeId;
        }

        @Override
        public String getStandbyNode() {
            return null;
        }

        @Override
        public boolean isLatchHeld() {
            return true;
        }

        @Override
        public boolean isDatabaseLockHeld() {
            return false;
        }

        @Override
        public String getFastTakeover() {
            return "armed";
        }

        @Override
        public String getZooKeeperState() {
            return "CONNECTED";
        }

        @Override
        public long getZooKeeperNegotiatedTimeoutMillis() {
            return 4000;
        }

        @Override
        public String getLastTransitionTime() {
            return "2026-03-29T01:00:00.000Z";
        }

        @Override
        public String getLastTransitionReason() {
            return "latch won";
        }

        @Override
        public long getLastTransitionMillis() {
            return 31;
        }

        @Override
        public long getTransitionCount() {
            return 2;
        }

        @Override
        public long getFencedWrites() {
            return 0;
        }

        @Override
        public long getHeartbeatCount() {
            return 12;
        }

        @Override
        public long getLastHeartbeatAgeMillis() {
            return 900;
        }

        @Override
        public long getChangeMasterCheckCount() {
            return 5;
        }

        @Override
        public long getClockOffsetMillis() {
            return -3;
        }

        @Override
        public boolean isPaused() {
            return false;
        }

        @Override
        public boolean isOnHold() {
            return false;
        }

        @Override
        public String resign() {
            return "handed over";
        }

        @Override
        public String pause(String reason) {
            return "paused: " + reason;
        }

        @Override
        public String resume() {
            return "resumed";
        }
    }

    private record FixedHeap() implements NodeViews.TaskHeapView {
        @Override
        public long getSize() {
            return 3;
        }

        @Override
        public long getHeadLagMillis() {
            return 0;
        }

        @Override
        public long getLastRebuildMillis() {
            return 8;
        }
    }

    private record FixedQueue() implements NodeViews.ActionQueueView {
        @Override
        public long getDepth() {
            return 1;
        }

        @Override
        public long getCapacity() {
            return 1024;
        }
    }

    private record FixedPool() implements NodeViews.WorkerPoolView {
        @Override
        public long getSize() {
            return 8;
        }

        @Override
        public long getActive() {
            return 2;
        }

        @Override
        public long getQueued() {
            return 0;
        }
    }
}
