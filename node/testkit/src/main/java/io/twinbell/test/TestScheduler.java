package io.twinbell.test;

import io.twinbell.TaskEntry;
import io.twinbell.Twinbell;
import io.twinbell.client.HandlerKey;
import io.twinbell.client.JdbcTaskClient;
import io.twinbell.handler.TaskHandler;
import io.twinbell.handler.TaskInterceptor;
import io.twinbell.handler.TypedHandler;
import io.twinbell.node.virtual.VirtualNode;
import io.twinbell.node.virtual.VirtualSettings;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.limit.RunLimit;
import io.twinbell.persistence.task.Task;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * A scheduler in virtual time, with tables in memory. The engine, its policies and the interfaces for applications are those
 * of a real node; only servers and threads are missing.
 *
 * <pre>{@code
 * try (TestScheduler scheduler = TestScheduler.builder()
 *         .startingAt("2026-03-01T00:00:00Z")
 *         .handler("invoice.close", context -> invoices.close())
 *         .start()) {
 *     scheduler.tasks().put("billing", "close-day", "{\"schedule\":{\"cron\":\"30 2 * * *\"},"
 *             + "\"handler\":{\"type\":\"java\",\"key\":\"invoice.close\"}}");
 *     scheduler.clock().advance(Duration.ofDays(30));
 *     scheduler.assertThat("billing", "close-day").firedTimes(30).succeeded();
 * }
 * }</pre>
 */
public final class TestScheduler implements TwinbellFixture {
    private final Instant start;
    private final Runnable beforeTimePasses;
    private final TestClock clock = new TestClock(this);
    private volatile Running running;
    private VirtualNode.Mark mark;

    private record Running(Twinbell twinbell, VirtualNode node) {}

    private TestScheduler(Instant start, Runnable beforeTimePasses) {
        this.start = start;
        this.beforeTimePasses = beforeTimePasses;
    }

    public static Builder builder() {
        return builder(Twinbell.builder());
    }

    /**
     * Begins with what the application registers for its real node: handlers, interceptors and its app. The
     * configuration of servers is not used.
     */
    public static Builder builder(Twinbell.Builder application) {
        return new Builder(application);
    }

    /**
     * For frameworks, which inject a scheduler before they know the application's handlers. Until {@link #start} its clock
     * shows the start, and all other calls fail with an {@link IllegalStateException}.
     *
     * @param start when virtual time begins
     * @param beforeTimePasses called by each method that lets time pass; an exception keeps it from passing
     */
    public static TestScheduler unstarted(Instant start, Runnable beforeTimePasses) {
        return new TestScheduler(start, beforeTimePasses);
    }

    /**
     * Starts a scheduler that was made by {@link #unstarted}, and returns its node. It may be started again after the node
     * was closed. Then it has the tasks of the latest {@link #mark} again.
     *
     * @param settings except for its start
     * @throws IllegalStateException if it runs already
     */
    public Twinbell start(Builder settings) {
        if (isRunning()) {
            throw new IllegalStateException("this scheduler runs already");
        }
        Running started = settings.startingAt(start).launch();
        running = started;
        if (mark == null) {
            mark = started.node.mark();
        } else {
            started.node.reset(mark);
        }
        return started.twinbell;
    }

    /** Whether it was started and its node was not closed. */
    public boolean isRunning() {
        return running != null && !running.node.isClosed();
    }

    private VirtualNode node() {
        return running().node;
    }

    private Running running() {
        if (running == null) {
            throw new IllegalStateException(
                    "the scheduler in virtual time has not started yet: tasks can be stored when the"
                            + " application has started");
        }
        return running;
    }

    @Override
    public Twinbell twinbell() {
        return running().twinbell;
    }

    public TestClock clock() {
        return clock;
    }

    Instant now() {
        return running == null ? start : running.node.now();
    }

    void advance(Duration duration) {
        VirtualNode node = node();
        beforeTimePasses.run();
        node.advance(duration);
    }

    /**
     * Returns a client that stores tasks here, in place of one that calls the functions of a database. Its calls take effect
     * at once, or in a transactional handler when its transaction commits. Any thread may use it; all else here belongs to
     * the thread of the test.
     *
     * @param app of the tasks that name no other
     */
    public JdbcTaskClient client(String app) {
        return JdbcTaskClient.calling(
                new TaskTransaction.MemoryFunctions(() -> transactionOfHandler().orElseGet(this::transaction)), app);
    }

    /** Begins a transaction of the application, whose calls take effect when it commits. */
    public TaskTransaction transaction() {
        VirtualNode node = node();
        return new TaskTransaction(node, node.beginChanges(), false);
    }

    /**
     * Returns the transaction of the transactional handler that this thread runs; empty if it runs none. It commits by
     * itself.
     */
    public Optional<TaskTransaction> transactionOfHandler() {
        VirtualNode node = node();
        return node.changesOfHandler().map(changes -> new TaskTransaction(node, changes, true));
    }

    /** Remembers the tasks and the time of now, for {@link #reset}. Without a mark, a reset goes back to the start. */
    public void mark() {
        mark = node().mark();
    }

    /**
     * Goes back to the latest mark: its time and its tasks are back, and there are no executions. Handlers stay registered.
     *
     * @throws IllegalStateException if a handler calls this, or the node is closed
     */
    public void reset() {
        node().reset(mark);
    }

    @Override
    public List<TestExecution> executions(String app, String name) {
        return node().executionsOf(app, name).stream().map(TestExecution::of).toList();
    }

    /** The run begins as soon as time passes. */
    @Override
    public Instant trigger(String app, String name, String data) {
        Slot slot = node().trigger(stored(app, name), "triggered", data);
        return Instant.ofEpochMilli(slot.fireTimeMillis());
    }

    /** Takes effect as soon as time passes. */
    @Override
    public boolean cancel(String app, String name, Instant fireTime, String reason) {
        return node().cancel(new Slot(stored(app, name).id(), fireTime.toEpochMilli()), reason);
    }

    @Override
    public boolean rerun(String app, String name, Instant fireTime, String reason) {
        return node().rerun(new Slot(stored(app, name).id(), fireTime.toEpochMilli()), reason);
    }

    private Task stored(String app, String name) {
        TaskEntry entry = tasks().find(app, name)
                .orElseThrow(
                        () -> new IllegalArgumentException("there is no task \"" + name + "\" of app \"" + app + "\""));
        return node().tasks().find(entry.id()).orElseThrow();
    }

    /**
     * Kills the master, and makes the other node master. As soon as time passes, executions that were running are
     * dropped or run again, as their task's {@code orphan} says. An execution is running only if its handler has a
     * duration ({@link Builder#takes}).
     */
    @Override
    public void failover() {
        node().failOver();
    }

    /** Kills both nodes for a time, then starts one. What came due meanwhile follows the misfire policies. */
    @Override
    public void nodeDown(Duration duration) {
        VirtualNode node = node();
        beforeTimePasses.run();
        node.down(duration);
    }

    /** Lets time pass while the database does not answer: nothing is claimed, and outcomes are recorded afterwards. */
    @Override
    public void databaseAway(Duration duration) {
        VirtualNode node = node();
        beforeTimePasses.run();
        node.databaseAway(duration);
    }

    @Override
    public void close() {
        if (running != null) {
            running.twinbell.close();
        }
    }

    /** Collects the settings of a scheduler in virtual time. */
    public static final class Builder {
        private static final String CLUSTER = "test";

        private final Twinbell.Builder application;
        private final Map<String, TaskHandler> standIns = new HashMap<>();
        private final Map<String, Duration> durations = new HashMap<>();
        private final List<RunLimit> limits = new ArrayList<>();
        private final Map<String, String> calendars = new LinkedHashMap<>();
        private Instant start = Instant.parse("2026-01-01T00:00:00Z");
        private Duration retention = Duration.ofDays(30);
        private DataSource database;

        private Builder(Twinbell.Builder application) {
            this.application = application;
        }

        /** Sets when virtual time begins. Default: 2026-01-01T00:00:00Z. */
        public Builder startingAt(String instant) {
            return startingAt(Instant.parse(instant));
        }

        public Builder startingAt(Instant instant) {
            start = instant;
            return this;
        }

        /** Registers a handler, as {@link Twinbell.Builder#handler(String, TaskHandler)}. */
        public Builder handler(String key, TaskHandler handler) {
            application.handler(key, handler);
            return this;
        }

        /** Registers a typed handler, as {@link Twinbell.Builder#handler(HandlerKey, TypedHandler)}. */
        public <T> Builder handler(HandlerKey<T> key, TypedHandler<T> handler) {
            application.handler(key, handler);
            return this;
        }

        /** Registers an interceptor, as {@link Twinbell.Builder#intercept(TaskInterceptor)}. */
        public Builder intercept(TaskInterceptor interceptor) {
            application.intercept(interceptor);
            return this;
        }

        /**
         * Runs this handler for all tasks of a type that virtual time cannot run: {@code http}, {@code sql} or {@code shell}.
         * A task of such a type without a stand-in is refused.
         */
        public Builder standIn(String type, TaskHandler handler) {
            standIns.put(type, handler);
            return this;
        }

        /**
         * Lets the runs of a handler take virtual time. The handler's code runs at the start, and its outcome comes that much
         * later, unless a timeout or a cancellation comes first. Without this, a run takes no virtual time.
         *
         * @param handler the key of a java handler, or a type
         */
        public Builder takes(String handler, Duration duration) {
            durations.put(handler, duration);
            return this;
        }

        /**
         * Limits concurrent runs.
         *
         * @param key a concurrency key, {@code app:…}, {@code tag:…} or {@code handler:…}
         */
        public Builder limit(String key, int maxRunning) {
            limits.add(new RunLimit(key, maxRunning, null));
            return this;
        }

        /** Limits starts: at most {@code max} in any interval of this length. */
        public Builder rateLimit(String key, int max, Duration per) {
            limits.add(new RunLimit(key, RunLimit.UNLIMITED, new RunLimit.Rate(max, per)));
            return this;
        }

        /** Adds a calendar, in the JSON of the HTTP API. */
        public Builder calendar(String name, String json) {
            calendars.put(name, json);
            return this;
        }

        /** Sets how long the ledger keeps a row: an older fire time is MISSED after an outage. Default: 30 days. */
        public Builder retention(Duration retention) {
            this.retention = retention;
            return this;
        }

        /**
         * Sets the application's database, of any kind. A transactional handler runs in a transaction of it, which commits
         * if the handler returns. Its outcome is recorded in memory right after that. Without a database such a handler is
         * refused.
         */
        public Builder dataSource(DataSource applicationDatabase) {
            database = applicationDatabase;
            return this;
        }

        /**
         * Starts the scheduler, which is master.
         *
         * @throws UnsupportedOperationException if a handler needs a database
         * @throws IllegalArgumentException if a calendar is invalid
         */
        public TestScheduler start() {
            TestScheduler scheduler = new TestScheduler(start, () -> {});
            scheduler.start(this);
            return scheduler;
        }

        private Running launch() {
            VirtualSettings settings = new VirtualSettings(
                    start,
                    CLUSTER,
                    retention,
                    Map.copyOf(standIns),
                    Map.copyOf(durations),
                    List.copyOf(limits),
                    Map.copyOf(calendars));
            VirtualNode[] made = new VirtualNode[1];
            Twinbell twinbell = application.start(code -> made[0] = new VirtualNode(code, settings, database));
            return new Running(twinbell, made[0]);
        }
    }
}
