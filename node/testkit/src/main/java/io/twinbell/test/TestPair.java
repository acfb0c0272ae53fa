package io.twinbell.test;

import io.twinbell.TaskEntry;
import io.twinbell.Twinbell;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExecutionFilter;
import io.twinbell.node.execution.store.ExecutionQueries.ExecutionPage;
import io.twinbell.node.execution.store.JdbcExecutionQueries;
import io.twinbell.node.execution.store.JdbcExecutionRequests;
import io.twinbell.persistence.ledger.Slot;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Two nodes in this JVM on real servers and in real time: for what virtual time does not have, such as the application's
 * own database, and for a last test of the whole. Node {@code a} begins as master.
 *
 * <pre>{@code
 * try (TestPair pair = TestPair.builder(() -> Twinbell.builder()
 *         .handler("invoice.close", context -> invoices.close())).start()) {
 *     pair.tasks().put("billing", "close", "{\"schedule\":{\"in\":\"PT1S\"},"
 *             + "\"handler\":{\"type\":\"java\",\"key\":\"invoice.close\"}}");
 *     pair.await("billing", "close", task -> task.firedTimes(1).succeeded());
 * }
 * }</pre>
 */
public final class TestPair implements TwinbellFixture {
    private static final int MOST_ROWS = 1000;

    private final PairServers.Lease servers;
    private final Builder settings;
    private final List<PairNode> nodes;
    private final JdbcExecutionQueries ledger;
    private final JdbcExecutionRequests requests;

    private TestPair(PairServers.Lease servers, Builder settings) {
        this.servers = servers;
        this.settings = settings;
        Supplier<Twinbell.Builder> application = () -> settings.application.apply(servers.database());
        nodes = List.of(new PairNode("a", servers, application), new PairNode("b", servers, application));
        ledger = new JdbcExecutionQueries(servers.database().dataSource());
        requests = new JdbcExecutionRequests(servers.database().dataSource());
    }

    /**
     * Begins with what the application registers for its real node.
     *
     * @param application called for each node and each start, because a builder starts one node
     */
    public static Builder builder(Supplier<Twinbell.Builder> application) {
        return builder(database -> application.get());
    }

    /** As {@link #builder(Supplier)}, for an application that works in the database of the pair. */
    public static Builder builder(Function<TestDatabase, Twinbell.Builder> application) {
        return new Builder(application);
    }

    /** Returns the node that is master. */
    @Override
    public Twinbell twinbell() {
        return master().twinbell();
    }

    /** Returns the database of the pair, in which the application may have tables of its own. */
    public TestDatabase database() {
        return servers.database();
    }

    /** Returns the id of the master, {@code a} or {@code b}. */
    public String masterId() {
        return master().id();
    }

    /** The latest 1000 rows of a task's ledger. */
    @Override
    public List<TestExecution> executions(String app, String name) {
        ExecutionFilter ofTask = new ExecutionFilter(
                new ExecutionFilter.OfTask(null, app, name, null), Set.of(), null, null, null, null, null, false);
        List<TestExecution> rows = ledger.list(ofTask, new ExecutionPage(null, MOST_ROWS, false, false)).stream()
                .map(this::withEarlierAttempts)
                .map(TestExecution::of)
                .collect(Collectors.toList());
        Collections.reverse(rows);
        return rows;
    }

    /** A list has no earlier attempts. */
    private Execution withEarlierAttempts(Execution row) {
        return row.claim().attempt() == 1
                ? row
                : ledger.find(new Slot(row.slots().taskId(), row.slots().fireMillis()))
                        .orElse(row);
    }

    /**
     * Waits until the assertions about a task hold. They are tried again with the ledger of the moment.
     *
     * @throws AssertionError that of the last try, if they do not hold within the patience of the pair
     */
    public void await(String app, String name, Consumer<TaskAssert> assertions) {
        await(app, name, assertions, settings.patience);
    }

    void await(String app, String name, Consumer<TaskAssert> assertions, Duration patience) {
        AssertionError[] last = new AssertionError[1];
        boolean hold = RealTime.await(
                () -> {
                    try {
                        assertions.accept(assertThat(app, name));
                        return true;
                    } catch (AssertionError e) {
                        last[0] = e;
                        return false;
                    }
                },
                patience);
        if (!hold) {
            throw last[0];
        }
    }

    @Override
    public Instant trigger(String app, String name, String data) {
        String id = tasks().trigger(app, name, null, data).orElseThrow(() -> noTask(app, name));
        return Instant.ofEpochMilli(ExecutionJson.slot(id).orElseThrow().fireTimeMillis());
    }

    @Override
    public boolean cancel(String app, String name, Instant fireTime, String reason) {
        return requests.cancel(slot(app, name, fireTime), reason)
                .filter(answer -> answer.refusal() == null)
                .isPresent();
    }

    @Override
    public boolean rerun(String app, String name, Instant fireTime, String reason) {
        return requests.rerun(slot(app, name, fireTime), reason)
                .filter(answer -> answer.refusal() == null)
                .isPresent();
    }

    private Slot slot(String app, String name, Instant fireTime) {
        TaskEntry task = tasks().find(app, name).orElseThrow(() -> noTask(app, name));
        return new Slot(task.id(), fireTime.toEpochMilli());
    }

    private static IllegalArgumentException noTask(String app, String name) {
        return new IllegalArgumentException("there is no task \"" + name + "\" of app \"" + app + "\"");
    }

    /**
     * Cuts the master off from both servers until the other node is master, as a failed network does. A handler that runs
     * goes on, but its outcome no longer counts. Takes about the ZooKeeper session timeout. Returns when the former master
     * is standby.
     *
     * @throws IllegalStateException if the role has not moved within the patience of the pair
     */
    @Override
    public void failover() {
        PairNode master = master();
        PairNode other = nodes.get(0) == master ? nodes.get(1) : nodes.get(0);
        master.cutAll();
        try {
            RealTime.require(() -> "node " + other.id() + " was to become master", other::isMaster, settings.patience);
        } finally {
            master.heal();
        }
        RealTime.require(
                () -> "node " + master.id() + " was to become standby, and is "
                        + master.twinbell().role(),
                master::isStandby,
                settings.patience);
        awaitDatabase(master);
    }

    /**
     * Stops both nodes in order, and starts them again after this time. What came due meanwhile follows the misfire
     * policies.
     */
    @Override
    public void nodeDown(Duration duration) {
        stop();
        RealTime.pass(duration);
        start();
    }

    /** Cuts both nodes off from the database for this time. Returns when both reach it again. */
    @Override
    public void databaseAway(Duration duration) {
        nodes.forEach(PairNode::cutDatabase);
        RealTime.pass(duration);
        nodes.forEach(PairNode::heal);
        nodes.forEach(this::awaitDatabase);
    }

    /** A node's pool may still wait for a connection that it tried before the link was healed. */
    private void awaitDatabase(PairNode node) {
        RealTime.require(
                () -> "node " + node.id() + " was to reach the database again",
                node::reachesDatabase,
                settings.patience);
    }

    /** Stops both nodes, and drops their database. */
    @Override
    public void close() {
        try {
            nodes.forEach(PairNode::heal);
            stop();
        } finally {
            nodes.forEach(PairNode::closeLinks);
            servers.end().run();
        }
    }

    private void start() {
        nodes.get(0).start(settings.sessionTimeout, settings.patience);
        master();
        nodes.get(1).start(settings.sessionTimeout, settings.patience);
    }

    /** The standby stops first, so that it is not promoted for nothing. */
    private void stop() {
        nodes.stream()
                .filter(node -> node.twinbell() != null)
                .sorted(Comparator.comparing(PairNode::isMaster))
                .forEach(PairNode::stop);
    }

    /** Waits until a node is master. After a cut both may believe so for a moment: the higher epoch is right. */
    private PairNode master() {
        RealTime.require(() -> "a node was to become master", () -> current().isPresent(), settings.patience);
        return current().orElseThrow();
    }

    private Optional<PairNode> current() {
        return nodes.stream()
                .filter(node -> node.twinbell() != null && node.isMaster())
                .max(Comparator.comparingLong(PairNode::epoch));
    }

    /** Collects the settings of a pair. */
    public static final class Builder {
        private final Function<TestDatabase, Twinbell.Builder> application;
        private PairServers servers = PairServers.embedded();
        private Duration patience = Duration.ofMinutes(1);
        private Duration sessionTimeout = Duration.ofSeconds(2);

        private Builder(Function<TestDatabase, Twinbell.Builder> application) {
            this.application = application;
        }

        /** Sets the servers. Default: {@link PairServers#embedded()}. */
        public Builder on(PairServers servers) {
            this.servers = servers;
            return this;
        }

        /** Sets how long the pair waits for an assertion, a role or a start. Default: one minute. */
        public Builder patience(Duration patience) {
            this.patience = patience;
            return this;
        }

        /**
         * Sets the ZooKeeper session timeout, from 1 s to 5 minutes: how long a failover takes. Default: 2 s. A busy machine
         * may need more.
         */
        public Builder sessionTimeout(Duration timeout) {
            sessionTimeout = timeout;
            return this;
        }

        /**
         * Starts both nodes; one of them is master when this returns.
         *
         * @throws IllegalStateException if servers or nodes do not start
         */
        public TestPair start() {
            TestPair pair = new TestPair(servers.open(), this);
            try {
                pair.start();
                return pair;
            } catch (RuntimeException e) {
                pair.close();
                throw e;
            }
        }
    }
}
