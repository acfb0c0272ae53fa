package io.twinbell;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.opentelemetry.api.OpenTelemetry;
import io.twinbell.client.HandlerKey;
import io.twinbell.client.PayloadException;
import io.twinbell.handler.InterceptorScope;
import io.twinbell.handler.ScopedInterceptor;
import io.twinbell.handler.TaskContext;
import io.twinbell.handler.TaskFailedException;
import io.twinbell.handler.TaskHandler;
import io.twinbell.handler.TaskInterceptor;
import io.twinbell.handler.TypedHandler;
import io.twinbell.node.api.cluster.ClusterView.Readiness;
import io.twinbell.node.config.ConfigReader;
import io.twinbell.node.config.Setting;
import io.twinbell.node.engine.handler.ErrorCodes;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.pair.LibraryNode;
import io.twinbell.node.pair.RegisteredCode;
import io.twinbell.node.pair.SchedulerNode;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import javax.management.MBeanServer;

/**
 * A scheduler node that runs inside another Java program. It is the same node as the daemon, and it can also run the
 * program's own code.
 *
 * <pre>{@code
 * try (Twinbell node = Twinbell.builder()
 *         .set("node.id", "a")
 *         .set("database.url", "jdbc:postgresql://127.0.0.1:5432/jobs")
 *         .set("database.user", "jobs")
 *         .set("zookeeper.connect", "127.0.0.1:2181")
 *         .handler("invoice.close", context -> close(context.idempotencyKey()))
 *         .start()) {
 *     node.awaitJoined(Duration.ofMinutes(1));
 *     node.tasks().put("billing", "close-day", "{\"schedule\":{\"cron\":\"@daily\"},"
 *             + "\"handler\":{\"type\":\"java\",\"key\":\"invoice.close\"}}");
 *     ...
 * }
 * }</pre>
 */
public final class Twinbell implements AutoCloseable {
    private final LibraryNode node;

    private final Tasks tasks;

    private final Executions executions;

    private final TaskDefaults defaults;

    private final Pauses pauses;

    private final ScheduledCode.Registry codes;

    private Twinbell(LibraryNode node, String app) {
        this.node = node;
        tasks = new Tasks(node.tasks(), node.clock(), node::calendars, node.slots(), node.schema());
        executions = new Executions(() -> node.slots().writers());
        defaults = new TaskDefaults(node::defaults);
        pauses = new Pauses(node::standingPauses);
        codes = new ScheduledCode.Registry(app == null ? node.cluster() : app, tasks, node);
    }

    public static Builder builder() {
        return new Builder();
    }

    /** Returns STOPPED until the node has joined the pair, then STANDBY, PROMOTING, MASTER or DEMOTING. */
    public String role() {
        return node.role().name();
    }

    /**
     * Waits until the node has joined the pair, as master or standby. Its tasks can be written from then on.
     *
     * @return whether the node has joined; if not, {@link #joinObstacle} gives the reason
     */
    public boolean awaitJoined(Duration atMost) {
        return node.awaitJoined(atMost);
    }

    /**
     * Returns why the node has not joined the pair: what it waits for, or why it must not join and has stopped trying.
     * Empty while it takes part. After {@link #close} it says so.
     */
    public Optional<String> joinObstacle() {
        return node.joinObstacle();
    }

    /**
     * Returns whether this node has ended and never takes part in the pair again: it was closed, or it has found a
     * reason that an operator must resolve first. Such a node has the reason as its {@link #joinObstacle}. A node whose
     * servers do not answer has not ended: it keeps trying. A node that ends by itself also closes itself.
     */
    public boolean hasEnded() {
        return node.hasEnded();
    }

    /** Returns the tasks of the whole pair, whichever node is master. */
    public Tasks tasks() {
        return tasks;
    }

    /** Returns the state of this node, from memory. */
    public TwinbellStatus status() {
        Readiness readiness = node.readiness();
        List<String> reasons = new ArrayList<>(readiness.reasons());
        Optional<String> obstacle = node.joinObstacle();
        obstacle.ifPresent(reasons::add);
        return new TwinbellStatus(
                node.cluster(),
                node.nodeId(),
                readiness.role(),
                node.epoch(),
                readiness.ok() && obstacle.isEmpty(),
                List.copyOf(reasons));
    }

    /** Returns the current values of this node's metrics: those of {@code /metrics}. */
    public List<NodeMetric> metrics() {
        return node.metrics().stream()
                .map(sample -> new NodeMetric(
                        sample.name(),
                        NodeMetric.MetricKind.valueOf(sample.kind().name()),
                        sample.help(),
                        sample.labels(),
                        sample.value(),
                        sample.count()))
                .toList();
    }

    /**
     * Returns the keys of the java handlers of all running nodes, at most 10,000 for each node. A node counts as soon as it
     * has joined.
     *
     * @throws DatabaseException if the database does not answer
     */
    public Set<String> liveHandlerKeys() {
        return Failures.translated(() -> node.handlers().live());
    }

    /** Returns the executions of the whole pair, whichever node is master. */
    public Executions executions() {
        return executions;
    }

    /** Returns the defaults for members that tasks do not have, of apps and of the cluster. */
    public TaskDefaults defaults() {
        return defaults;
    }

    /** Returns the pauses of apps, tags and handlers. */
    public Pauses pauses() {
        return pauses;
    }

    /**
     * Runs the code at this interval, on whichever node is master:
     * {@code node.every(Duration.ofSeconds(5), "poll", context -> poll())}. The first run is one interval
     * after the call that creates the task. See {@link #schedule}, which this shortens.
     *
     * @param interval 10 ms to ten years, in whole milliseconds
     */
    public ScheduledCode every(Duration interval, String name, TaskHandler code) {
        return schedule(name, "{\"schedule\":{\"every\":\"" + interval + "\"}}", code);
    }

    /**
     * Runs the code at the times of a cron expression in UTC, or in the zone that the expression begins with, as in
     * {@code CRON_TZ=Europe/Berlin 30 2 * * *}. See {@link #schedule}, which this shortens.
     */
    public ScheduledCode cron(String expression, String name, TaskHandler code) {
        ObjectNode task = JsonNodeFactory.instance.objectNode();
        task.putObject("schedule").put("cron", expression);
        return schedule(name, StrictJson.write(task), code);
    }

    /**
     * Stores a task of this program's app ({@link Builder#app}) and runs the code for each of its slots. The definition
     * is kept in step with the program, which calls this at each start:
     *
     * <ul>
     *   <li><b>A restart</b> with the same definition changes nothing: the task keeps its id, its grid and its next fire
     *       time. Slots that came due meanwhile follow the misfire policy. A slot that is due before the program has
     *       called this again waits for it, 15 minutes by default ({@code handlers.java.missing}).
     *   <li><b>The second node</b> runs the same program and calls this too. There is one task for both; the master runs
     *       it. A master without the code leaves the slots waiting in the same way.
     *   <li><b>A changed definition</b> replaces the stored one, and takes effect within 100 ms on both nodes. An
     *       interval still counts from the start of the task. While two versions of a program run, the last call counts.
     *   <li><b>A paused task</b> stays paused: an operator paused it.
     *   <li><b>Code that is no longer scheduled</b> leaves its task behind, because the program of the other node may still
     *       have it. Remove it with {@link Tasks#remove} or {@code twinbell task rm}; until then its slots fail for want
     *       of a handler.
     *   <li><b>{@link #close}</b> removes nothing: the other node continues.
     * </ul>
     *
     * <p>Waits until the node has joined the pair, for a minute at most.
     *
     * @param name unique in this program's app
     * @param json the task as for {@link Tasks#put}, without a handler, for example
     *     {@code {"schedule": {"every": "PT15M", "align": "PT1H"}, "timeout": "PT1M"}}
     * @throws IllegalArgumentException if the task is invalid; the message names every invalid field
     * @throws IllegalStateException if this program has scheduled the name and not cancelled it, or if the node has not
     *     joined
     * @throws DatabaseException if the database does not answer; nothing is registered then
     */
    public ScheduledCode schedule(String name, String json, TaskHandler code) {
        return Failures.translated(() -> codes.schedule(name, json, code));
    }

    /**
     * Returns the base URL of the HTTP API, {@code http://host:port}.
     *
     * @throws IllegalStateException if {@code http.enabled} is false
     */
    public String url() {
        if (node.url().isEmpty()) {
            throw new IllegalStateException("this node has no API: http.enabled is false");
        }
        return node.url();
    }

    /**
     * Stops the node: hands over first if it is master, and waits up to {@code shutdown.drain} for running handlers.
     */
    @Override
    public void close() {
        node.close();
    }

    /** Collects the configuration and the handlers of a node. Both nodes of a pair should have the same handlers. */
    public static final class Builder {
        private final Map<String, Setting> sets = new LinkedHashMap<>();
        private final Map<String, TaskHandler> handlers = new HashMap<>();
        private final List<ScopedInterceptor> interceptors = new ArrayList<>();
        private Supplier<MBeanServer> beans = ManagementFactory::getPlatformMBeanServer;
        private OpenTelemetry telemetry;
        private Path file;
        private String app;

        private Builder() {}

        /** Sets the YAML configuration file, which is read before the single keys. */
        public Builder config(Path yaml) {
            file = yaml;
            return this;
        }

        /** Sets a configuration key; this overrides the file. */
        public Builder set(String key, String value) {
            return set(key, value, "set by the program");
        }

        /**
         * As {@link #set(String, String)}, for a value that a framework read from elsewhere.
         *
         * @param source where it was set, for messages about it: the name of a property
         */
        public Builder set(String key, String value, String source) {
            sets.put(Failures.required(key, "a key"), new Setting(value, source));
            return this;
        }

        /**
         * Registers the handler of tasks with {@code "handler": {"type": "java", "key": key}}.
         *
         * @throws IllegalArgumentException if the key already has a handler
         */
        public Builder handler(String key, TaskHandler handler) {
            Failures.required(key, "a key");
            if (handlers.putIfAbsent(key, Failures.required(handler, "a handler")) != null) {
                throw new IllegalArgumentException("a handler with the key \"" + key + "\" is already registered");
            }
            return this;
        }

        /**
         * Registers the handler of tasks with this key, which reads their data as the key's type. Data that it cannot
         * read fails the execution with the error code {@code UNREADABLE_PAYLOAD} and without further attempts.
         *
         * @throws IllegalArgumentException if the key already has a handler
         */
        public <T> Builder handler(HandlerKey<T> key, TypedHandler<T> handler) {
            return handler(
                    Failures.required(key, "a key").key(),
                    new TypedCode<>(key, Failures.required(handler, "a handler")));
        }

        /** Registers code that runs around every attempt on this node. See {@link TaskInterceptor} for the order. */
        public Builder intercept(TaskInterceptor interceptor) {
            return intercept(InterceptorScope.ALL, interceptor);
        }

        /**
         * Registers code that runs around the attempts of some tasks, for example {@code
         * intercept(InterceptorScope.app("shop"), interceptor)}. Both nodes of a pair should register the same.
         */
        public Builder intercept(InterceptorScope scope, TaskInterceptor interceptor) {
            interceptors.add(new ScopedInterceptor(
                    Failures.required(scope, "a scope"), Failures.required(interceptor, "an interceptor")));
            return this;
        }

        /**
         * Sets the app of the tasks that {@link Twinbell#schedule} stores. Default: the name of the cluster. The nodes of a
         * pair belong to one program: a node that finds another app at the other node says so.
         */
        public Builder app(String name) {
            app = name;
            return this;
        }

        /** Sets the OpenTelemetry that creates the spans of attempts. Default: the global one, if there is one. */
        public Builder openTelemetry(OpenTelemetry instance) {
            telemetry = instance;
            return this;
        }

        /** Sets the MBean server, instead of the platform's. Two nodes in one program each need their own. */
        public Builder beanServer(MBeanServer server) {
            beans = () -> server;
            return this;
        }

        /**
         * Starts the node and returns. The node joins the pair in the background and keeps trying until the servers
         * answer. It listens on a port only if the configuration has a key of {@code http} or {@code jmx}. The process
         * lives at least until the node has ended, so a program that has nothing else to do may let its main method return.
         *
         * @throws ConfigurationException if the configuration is invalid
         * @throws StartException if a port is in use
         */
        public Twinbell start() {
            return start(code -> new SchedulerNode(ConfigReader.read(file, sets), code, beans).startAndKeepAlive());
        }

        /**
         * Starts the node that the launcher makes and starts. Applications use {@link #start()}; the test kit starts a
         * node in virtual time.
         */
        public Twinbell start(Function<RegisteredCode, LibraryNode> launcher) {
            return Failures.translated(() -> {
                RegisteredCode code = new RegisteredCode(app == null ? "" : app, handlers, interceptors, telemetry);
                return new Twinbell(launcher.apply(code), app);
            });
        }
    }

    /**
     * The handler that runs typed code: before each attempt it reads the payload as the key's type. A payload that
     * cannot be read fails the execution without further attempts.
     */
    private record TypedCode<T>(HandlerKey<T> key, TypedHandler<T> code) implements TaskHandler {
        @Override
        public Object run(TaskContext context) throws Exception {
            T payload;
            try {
                payload = key.read(context.data());
            } catch (PayloadException e) {
                throw new TaskFailedException(ErrorCodes.UNREADABLE_PAYLOAD, e.getMessage(), e);
            }
            return code.run(payload, context);
        }
    }
}
