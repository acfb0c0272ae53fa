package io.twinbell.node.pair;

import io.twinbell.ha.latch.ClusterIdNode;
import io.twinbell.node.limit.store.FiringPauses;
import io.twinbell.node.pair.database.DatabaseHealthProbe;
import io.twinbell.node.pair.database.NodeDatabase;
import io.twinbell.node.pair.database.SystemIdentity;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.cluster.ClusterRegister;
import io.twinbell.persistence.cluster.NodeIdInUseException;
import io.twinbell.persistence.cluster.NodeLock;
import io.twinbell.persistence.cluster.WrongClusterException;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.Migrations;
import io.twinbell.persistence.database.SchemaBusyException;
import io.twinbell.persistence.database.SchemaVersion;
import io.twinbell.persistence.database.WrongSchemaException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The init task: makes this process a member of the pair. It waits for servers that do not answer, and ends the node if
 * an operator must decide something.
 */
final class JoinTask {
    private static final Logger LOG = LoggerFactory.getLogger(JoinTask.class);
    private static final Duration RETRY = Duration.ofMillis(200);
    private static final Duration RETRY_MIGRATION = Duration.ofSeconds(1);
    private static final Duration RETRY_ELECTION = Duration.ofSeconds(1);
    private static final Duration PREDECESSOR_MAY_TAKE = Duration.ofSeconds(5);
    private static final Duration REPEAT_WARNING_AFTER = Duration.ofMinutes(1);

    private final String clusterName;
    private final String nodeId;
    private final UUID incarnation;
    private final NodeDatabase database;
    private final DatabaseHealthProbe healthProbe;
    private final NodeLock nodeLock;
    private final ZooKeeperParts zooKeeper;
    private final Runnable opener;
    private final BooleanSupplier isListening;
    private final Supplier<String> url;
    private final Ticker ticker;
    private final ClusterRegister cluster;
    private final SystemIdentity system;
    private final FiringPauses pauses;
    private boolean isMoveLookedFor;
    private boolean isCopyLookedFor;
    private volatile SchemaVersion schema;
    private volatile String obstacle = "the node has not tried to join yet";
    private long lockWantedNanos;
    private boolean isLockWanted;
    private long warnedNanos;
    private boolean hasWarned;

    /**
     * @param opener opens further connections of the database, once the schema is there
     * @param isListening whether this node's own listeners have started. Members tell each other their addresses
     * @param url supplies the address of the node's API, once its listeners have started
     */
    JoinTask(
            String clusterName,
            String nodeId,
            UUID incarnation,
            NodeDatabase database,
            DatabaseHealthProbe healthProbe,
            NodeLock nodeLock,
            ZooKeeperParts zooKeeper,
            Runnable opener,
            BooleanSupplier isListening,
            Supplier<String> url,
            Ticker ticker) {
        this.clusterName = clusterName;
        this.nodeId = nodeId;
        this.incarnation = incarnation;
        this.database = database;
        this.healthProbe = healthProbe;
        this.nodeLock = nodeLock;
        this.zooKeeper = zooKeeper;
        this.opener = opener;
        this.isListening = isListening;
        this.url = url;
        this.ticker = ticker;
        cluster = new ClusterRegister(database.epoch());
        system = new SystemIdentity(database.epoch());
        pauses = new FiringPauses(database.epoch());
    }

    /** The version of the schema when this node joined; null before. */
    SchemaVersion schema() {
        return schema;
    }

    /**
     * Checks that the schema still allows this build to run.
     *
     * @throws WrongSchemaException if a newer build has changed it incompatibly
     */
    void checkSchema() {
        schema.refuseIfOlderThan(cluster.oldestBuild());
    }

    /**
     * Makes one attempt to join.
     *
     * @return how long to wait before the next; null if this node may take part now
     * @throws WrongClusterException if it must not
     * @throws NodeIdInUseException if another process has this node's id
     */
    Duration attempt() {
        try {
            Duration again = once();
            if (again == null) {
                obstacle = null;
            }
            return again;
        } catch (RuntimeException e) {
            obstacle = e.getMessage();
            throw e;
        }
    }

    /** Why the latest attempt failed; empty once one has succeeded. Any thread. */
    Optional<String> obstacle() {
        return Optional.ofNullable(obstacle);
    }

    private Duration once() {
        if (!healthProbe.isReached()) {
            healthProbe.refuseIfAPersonIsNeeded();
            obstacle = healthProbe.details();
            return RETRY;
        }
        if (schema == null && !migrate()) {
            return RETRY_MIGRATION;
        }
        UUID clusterId = cluster.check(clusterName);
        pauseFiringAfterMove();
        if (!nodeLock.acquire()) {
            obstacle = usedId();
            return waitForPredecessor();
        }
        if (!zooKeeper.link().isConnected()) {
            obstacle = "ZooKeeper does not answer at " + zooKeeper.link().address();
            warnOfZooKeeper();
            return RETRY;
        }
        if (!isListening.getAsBoolean()) {
            obstacle = "this node's own listeners have not started yet";
            return RETRY;
        }
        ClusterIdNode.check(zooKeeper.link(), clusterId);
        cluster.join(clusterName);
        if (!isCopyLookedFor) {
            zooKeeper.copied(nodeId, url.get()).ifPresent(this::pauseFiring);
            isCopyLookedFor = true;
        }
        Optional<String> elsewhere = zooKeeper.join(nodeId, url.get(), incarnation);
        if (elsewhere.isPresent()) {
            return waitForTheOther(elsewhere.get());
        }
        return null;
    }

    /**
     * Two nodes in different elections would take the role from each other. This node joins once the other has ended.
     */
    private Duration waitForTheOther(String elsewhere) {
        obstacle = elsewhere;
        if (mayWarn()) {
            LOG.error("waiting until the other node stops: {}", elsewhere);
        }
        return RETRY_ELECTION;
    }

    /**
     * Pauses firing if the database is on another server than before. The old server may still be in use, so an
     * operator must say whether this copy is the one that fires.
     */
    private void pauseFiringAfterMove() {
        if (isMoveLookedFor) {
            return;
        }
        system.lookForMove().ifPresent(this::pauseFiring);
        isMoveLookedFor = true;
    }

    private void pauseFiring(String move) {
        LOG.error("{}: firing is paused; to resume it, stop both nodes and run 'twinbell doctor --adopt'", move);
        pauses.pause(move + "; see 'twinbell doctor --adopt'", "node " + nodeId, OptionalLong.empty());
    }

    private boolean migrate() {
        try {
            DatabaseSettings settings = database.settings();
            schema = Migrations.migrate(settings.schema(), database.pool(), settings.forMigrations());
        } catch (SchemaBusyException e) {
            obstacle = "the schema is not migrated yet: " + e.getMessage();
            if (mayWarn()) {
                LOG.warn("the schema is not migrated yet, retrying: {}", e.getMessage());
            }
            return false;
        }
        opener.run();
        LOG.info("database schema version {}, this build knows {}", schema.database(), schema.known());
        return true;
    }

    /** After a quick restart the server may not have noticed yet that the previous process is gone. */
    private Duration waitForPredecessor() {
        if (!isLockWanted) {
            isLockWanted = true;
            lockWantedNanos = ticker.nanos();
        }
        if (ticker.nanos() - lockWantedNanos >= PREDECESSOR_MAY_TAKE.toNanos()) {
            throw new NodeIdInUseException(usedId() + ": each node of the pair needs its own id");
        }
        return RETRY;
    }

    private String usedId() {
        return "node.id \"" + nodeId + "\" is in use by " + nodeLock.holder() + " in cluster \"" + clusterName
                + "\" and database " + database.settings().maskedUrl();
    }

    private void warnOfZooKeeper() {
        if (mayWarn()) {
            LOG.warn(
                    "ZooKeeper does not answer at {}, retrying; 'twinbell doctor' checks each server",
                    zooKeeper.link().address());
        }
    }

    private boolean mayWarn() {
        if (hasWarned && ticker.nanos() - warnedNanos < REPEAT_WARNING_AFTER.toNanos()) {
            return false;
        }
        hasWarned = true;
        warnedNanos = ticker.nanos();
        return true;
    }
}
