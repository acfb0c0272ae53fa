package io.twinbell;

import io.twinbell.handler.TaskHandler;
import io.twinbell.node.config.ConfigReader;
import io.twinbell.node.pair.SchedulerNode;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
    private final SchedulerNode node;

    private final Tasks tasks;

    private Twinbell(SchedulerNode node) {
        this.node = node;
        tasks = new Tasks(node.tasks(), node.clock(), node::calendars);
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
     * Empty once it has joined.
     */
    public Optional<String> joinObstacle() {
        return node.joinObstacle();
    }

    /** Returns the tasks of the whole pair, whichever node is master. */
    public Tasks tasks() {
        return tasks;
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
        private final List<String> sets = new ArrayList<>();
        private final Map<String, TaskHandler> handlers = new HashMap<>();
        private MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
        private Path file;

        private Builder() {}

        /** Sets the YAML configuration file, which is read before the single keys. */
        public Builder config(Path yaml) {
            file = yaml;
            return this;
        }

        /** Sets a configuration key; this overrides the file. */
        public Builder set(String key, String value) {
            sets.add(key + "=" + value);
            return this;
        }

        /**
         * Registers the handler of tasks with {@code "handler": {"type": "java", "key": key}}.
         *
         * @throws IllegalArgumentException if the key already has a handler
         */
        public Builder handler(String key, TaskHandler handler) {
            if (handlers.putIfAbsent(key, handler) != null) {
                throw new IllegalArgumentException("a handler with the key \"" + key + "\" is already registered");
            }
            return this;
        }

        /** Sets the MBean server, instead of the platform's. Two nodes in one program each need their own. */
        public Builder beanServer(MBeanServer server) {
            beans = server;
            return this;
        }

        /**
         * Starts the node and returns. The node joins the pair in the background and keeps trying until the servers
         * answer.
         *
         * @throws ConfigurationException if the configuration is invalid
         * @throws StartException if a port is in use
         */
        public Twinbell start() {
            return Failures.translated(() -> {
                SchedulerNode node = new SchedulerNode(ConfigReader.read(file, Map.of(), sets), handlers, beans);
                node.start();
                return new Twinbell(node);
            });
        }
    }
}
