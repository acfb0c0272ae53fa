package io.twinbell.node.jmx;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import javax.management.DescriptorKey;

/** The views of one node that its MBeans show. */
public record NodeViews(
        LeadershipView leadership, TaskHeapView taskHeap, ActionQueueView actionQueue, WorkerPoolView workerPool) {
    /**
     * MBean interface of the node's leadership: its role and the current master, as this node sees them. Every getter
     * answers from memory at once, also while the database or ZooKeeper is unreachable, because JMX clients poll it.
     * Times are ISO-8601 strings, or null if there is none. An unknown age or duration is -1.
     */
    @Described("This node's role and the current master, as this node sees them. Reading an attribute uses no network.")
    public interface LeadershipView {
        @Described("This node's role: STANDBY, PROMOTING, MASTER, DEMOTING or STOPPED")
        String getRole();

        @Described(value = "1 if this node is master, else 0; the sum over the nodes should be 1", units = "masters")
        int getMaster();

        @Described(value = "The fencing number of the newest epoch that this node knows", units = "epoch number")
        long getEpoch();

        @Described("The id of the current master, or null if none is known")
        String getMasterNode();

        @Described("This node's id")
        String getNodeId();

        @Described("The id of the standby, or null if none is known")
        String getStandbyNode();

        @Described("Whether this node holds the ZooKeeper latch")
        boolean isLatchHeld();

        @Described("Whether this node holds the PostgreSQL advisory lock of the master")
        boolean isDatabaseLockHeld();

        @Described("Whether this node is ready for fast takeover: armed, or off and why")
        String getFastTakeover();

        @Described("State of the ZooKeeper connection: CONNECTED, SUSPENDED, RECONNECTED or LOST (also before the first"
                + " connection)")
        String getZooKeeperState();

        @Described(
                value = "The session timeout that ZooKeeper granted, in milliseconds; 0 before the first session",
                units = "ms")
        long getZooKeeperNegotiatedTimeoutMillis();

        @Described("Time of this node's last role change, ISO-8601 in UTC")
        String getLastTransitionTime();

        @Described("Reason for this node's last role change")
        String getLastTransitionReason();

        @Described(value = "Duration of this node's last role change, in milliseconds", units = "ms")
        long getLastTransitionMillis();

        @Described(value = "Role changes of this node since it started", units = "changes")
        long getTransitionCount();

        @Described(
                value = "Writes of this node that were refused because its epoch had ended, since it started",
                units = "writes")
        long getFencedWrites();

        @Described(value = "Heartbeats that this node has written as master since it started", units = "heartbeats")
        long getHeartbeatCount();

        @Described(
                value =
                        "Age of the newest heartbeat of the master that this node has seen, in milliseconds; -1 if none",
                units = "ms")
        long getLastHeartbeatAgeMillis();

        @Described(value = "Change-master checks that this node has made as standby since it started", units = "checks")
        long getChangeMasterCheckCount();

        @Described(value = "The database's clock minus this node's wall clock, in milliseconds", units = "ms")
        long getClockOffsetMillis();

        @Described("Whether firing is paused on the whole pair")
        boolean isPaused();

        @Described("Whether automatic takeover is on hold")
        boolean isOnHold();

        @Described("Hands the master role over to the standby; returns what was done")
        String resign();

        @Described("Pauses firing on the whole pair; returns what was done")
        String pause(@Described(name = "reason", value = "Reason for the history; may be empty") String reason);

        @Described("Resumes firing on the whole pair; returns what was done")
        String resume();
    }

    /** MBean interface of this node's task heap. Getters answer from memory. */
    @Described(
            "The heap of next fire times that the trigger thread owns: a cache of the task table, empty on a standby.")
    public interface TaskHeapView {
        @Described(value = "Entries in the heap, including system tasks", units = "entries")
        long getSize();

        @Described(
                value = "Age of the oldest slot that is due but not started, or ended but not recorded, in"
                        + " milliseconds; 0 if none",
                units = "ms")
        long getHeadLagMillis();

        @Described(
                value = "Duration of the last rebuild of the task heap, in milliseconds; -1 before the first",
                units = "ms")
        long getLastRebuildMillis();
    }

    /** MBean interface of this node's action queue. Getters answer from memory. */
    @Described("The queue of actions (add, update, remove, clear, start) that wait for the trigger thread.")
    public interface ActionQueueView {
        @Described(value = "Actions that wait in the queue", units = "actions")
        long getDepth();

        @Described(value = "Actions that the queue can hold", units = "actions")
        long getCapacity();
    }

    /** MBean interface of this node's worker pool. Getters answer from memory. */
    @Described("The threads that run handlers; one thread is reserved for system tasks.")
    public interface WorkerPoolView {
        @Described(value = "Threads in the pool", units = "threads")
        long getSize();

        @Described(value = "Threads that are running a handler", units = "threads")
        long getActive();

        @Described(value = "Claimed executions that wait for a thread", units = "executions")
        long getQueued();
    }

    /**
     * Description of an MBean, attribute, operation or parameter, as a JMX client shows it. Public because the platform
     * reads it.
     */
    @Retention(RetentionPolicy.RUNTIME)
    @Target({ElementType.TYPE, ElementType.METHOD, ElementType.PARAMETER})
    public @interface Described {
        @DescriptorKey(ManagementBeans.DESCRIPTION)
        String value();

        /**
         * The unit of a number, by JMX's standard descriptor field, such as {@code ms}. Clients show it beside the
         * value.
         */
        @DescriptorKey("units")
        String units() default "";

        /** The name of a parameter, which a client's dialog shows beside the input field. For parameters only. */
        @DescriptorKey(ManagementBeans.PARAMETER_NAME)
        String name() default "";
    }
}
