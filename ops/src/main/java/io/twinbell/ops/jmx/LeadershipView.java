package io.twinbell.ops.jmx;

/**
 * MBean interface of the node's leadership: its role and the current master, as this node sees them. Every getter
 * answers from memory at once, also while the database or ZooKeeper is unreachable, because JMX clients poll it. Times
 * are ISO-8601 strings, or null if there is none. An unknown age or duration is -1.
 */
@Described("Who is master, as this node sees it. Reading never touches the network.")
public interface LeadershipView {
    @Described("This node's role: STANDBY, PROMOTING, MASTER, DEMOTING or STOPPED")
    String getRole();

    @Described(
            value = "1 if this node is master, else 0 (sum it over the nodes: anything but 1 is an alarm)",
            units = "masters")
    int getMaster();

    @Described(value = "The fencing number of the newest epoch that this node knows", units = "epoch number")
    long getEpoch();

    @Described("The id of the node that is master, or null if none is known")
    String getMasterNode();

    @Described("This node's id")
    String getNodeId();

    @Described("The id of the node that stands by, or null if none is known")
    String getStandbyNode();

    @Described("Whether this node holds the ZooKeeper latch")
    boolean isLatchHeld();

    @Described("Whether this node holds the PostgreSQL advisory lock of the master")
    boolean isDatabaseLockHeld();

    @Described("Whether this node's part in fast takeover is ready: armed, or off and why")
    String getFastTakeover();

    @Described("The connection to ZooKeeper: CONNECTED, SUSPENDED, RECONNECTED or LOST (also before the first)")
    String getZooKeeperState();

    @Described(
            value = "The session timeout that ZooKeeper granted, in milliseconds; 0 before the first session",
            units = "ms")
    long getZooKeeperNegotiatedTimeoutMillis();

    @Described("When this node's role changed last, ISO-8601 in UTC")
    String getLastTransitionTime();

    @Described("Why this node's role changed last")
    String getLastTransitionReason();

    @Described(value = "How long the last change of role took, in milliseconds", units = "ms")
    long getLastTransitionMillis();

    @Described(value = "How often this node's role has changed since it started", units = "changes")
    long getTransitionCount();

    @Described(
            value = "How many writes of this node were refused because its epoch was over, since it started",
            units = "writes")
    long getFencedWrites();

    @Described(value = "How many heartbeats this node has written as master since it started", units = "heartbeats")
    long getHeartbeatCount();

    @Described(
            value = "Age of the newest heartbeat of the master that this node knows, in milliseconds; -1 if none",
            units = "ms")
    long getLastHeartbeatAgeMillis();

    @Described(value = "How many change-master checks this node has made as standby since it started", units = "checks")
    long getChangeMasterCheckCount();

    @Described(value = "The database's clock minus this node's wall clock, in milliseconds", units = "ms")
    long getClockOffsetMillis();

    @Described("Whether firing is paused on the whole pair")
    boolean isPaused();

    @Described("Whether automatic takeover is on hold")
    boolean isOnHold();

    @Described("Hands the role of master over to the standby; says what was done")
    String resign();

    @Described("Pauses firing on the whole pair; says what was done")
    String pause(@Described(name = "reason", value = "Why, for the history; may be empty") String reason);

    @Described("Resumes firing on the whole pair; says what was done")
    String resume();
}
