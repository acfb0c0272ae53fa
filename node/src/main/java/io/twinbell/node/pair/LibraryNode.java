package io.twinbell.node.pair;

import io.twinbell.ha.role.Role;
import io.twinbell.handler.TaskHandler;
import io.twinbell.node.api.cluster.ClusterView.Readiness;
import io.twinbell.node.api.slot.TaskSlots;
import io.twinbell.node.defaults.DefaultsEdits;
import io.twinbell.node.limit.store.StandingPauses;
import io.twinbell.node.metrics.MetricSample;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.database.SchemaName;
import io.twinbell.persistence.task.TaskStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * A node as the library's public API uses it: a node of a real pair, or one of the test kit that runs in virtual time.
 */
public interface LibraryNode extends AutoCloseable {
    /** The current role of this node. */
    Role role();

    /** Waits until this node has joined the pair, at most for {@code bound}; returns whether it has joined. */
    boolean awaitJoined(Duration bound);

    /** Why this node has not joined the pair; empty once it has joined. */
    Optional<String> joinObstacle();

    /** Whether this node has ended, by itself or by {@link #close}. It does not take part in the pair again. */
    boolean hasEnded();

    /** The name of the pair's cluster. */
    String cluster();

    /** The address of the API; empty if there is none. */
    String url();

    TaskStore tasks();

    DatabaseClock clock();

    /** The schema of the node's tables. */
    SchemaName schema();

    /** The current calendars. */
    Calendars calendars();

    /** The operations on the slots of a task. */
    TaskSlots slots();

    /** The defaults of tasks. */
    DefaultsEdits defaults();

    String nodeId();

    /** The newest epoch that this node knows; 0 if none. */
    long epoch();

    /** Whether this node can do its part now. */
    Readiness readiness();

    /** The current value of each metric of this node. */
    List<MetricSample> metrics();

    /** The pauses of apps, tags and handlers. */
    StandingPauses standingPauses();

    /** The java handlers of this node, and the keys that live nodes have. */
    HandlerRegistry handlers();

    @Override
    void close();

    /** The java handlers that the embedding program registers while its node runs. */
    interface HandlerRegistry {
        /** The keys of the java handlers of all running nodes. */
        Set<String> live();

        /** Registers the code under the key, in place of other code that the program registered under it. */
        void register(String key, TaskHandler code);

        /** Takes back {@link #register}. */
        void withdraw(String key);
    }
}
