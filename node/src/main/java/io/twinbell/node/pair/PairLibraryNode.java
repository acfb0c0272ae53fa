package io.twinbell.node.pair;

import io.twinbell.ha.role.Role;
import io.twinbell.node.api.cluster.PairState;
import io.twinbell.node.api.slot.TaskSlots;
import io.twinbell.node.defaults.DefaultsEdits;
import io.twinbell.node.limit.store.StandingPauses;
import io.twinbell.node.metrics.MetricSample;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.task.TaskStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A node of a real pair, as the library's interface uses it. */
public record PairLibraryNode(SchedulerNode node) implements LibraryNode {
    /**
     * Starts the node, and the only thread of it that is no daemon: a program that has nothing else to do lives until its
     * node has ended. A node that was refused is closed by that thread, because its open ports would keep the process, too.
     *
     * @throws RuntimeException if a port is taken; no part is left running then
     */
    public static PairLibraryNode start(SchedulerNode node) {
        node.start();
        PairLibraryNode started = new PairLibraryNode(node);
        Thread keeper = new Thread(
                () -> {
                    node.ended().handle((nothing, refusal) -> null).join();
                    started.close();
                },
                "node-" + node.status().self().id());
        keeper.setDaemon(false);
        keeper.start();
        return started;
    }

    @Override
    public Role role() {
        return node.role();
    }

    @Override
    public boolean awaitJoined(Duration bound) {
        return node.awaitJoined(bound);
    }

    @Override
    public Optional<String> joinObstacle() {
        return node.joinObstacle();
    }

    @Override
    public boolean hasEnded() {
        return node.ended().isDone();
    }

    @Override
    public String cluster() {
        return node.cluster();
    }

    @Override
    public String url() {
        return node.url();
    }

    @Override
    public TaskStore tasks() {
        return node.tasks();
    }

    @Override
    public DatabaseClock clock() {
        return node.clock();
    }

    @Override
    public Calendars calendars() {
        return node.calendars();
    }

    @Override
    public TaskSlots slots() {
        return node.slots();
    }

    @Override
    public DefaultsEdits defaults() {
        return node.defaults();
    }

    @Override
    public SelfReport self() {
        PairState.Node self = node.status().self();
        return new SelfReport(
                self.id(), self.electionState().epoch(), node.status().ready());
    }

    @Override
    public List<MetricSample> metrics() {
        return node.status().metricSamples();
    }

    @Override
    public StandingPauses standingPauses() {
        return node.status().standingPauses();
    }

    @Override
    public HandlerRegistry handlers() {
        return node.handlers();
    }

    /** If another thread closes the node, this waits until it has done so: a process must not end during a hand-over. */
    @Override
    public void close() {
        synchronized (node) {
            try {
                node.close();
            } finally {
                node.ended().complete(null);
            }
        }
    }
}
