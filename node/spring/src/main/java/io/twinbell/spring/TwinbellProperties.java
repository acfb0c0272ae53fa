package io.twinbell.spring;

import io.twinbell.client.RetryPolicy;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of the application. {@link UnknownProperties} refuses others.
 *
 * @param enabled Whether the starter makes any beans
 * @param mode Whether this application runs a node, or only enqueues tasks
 * @param app The app of the tasks. Default: spring.application.name, or else the cluster
 * @param cluster The name of the pair; database and ZooKeeper folder belong to it permanently
 * @param nodeId The id of this node, unique in the pair. Default: by node-id-source
 * @param nodeIdSource Where the id comes from if node-id is not set
 * @param virtualThreads Whether handlers run on virtual threads (Java 21 and newer)
 * @param drain How long running handlers may continue at shutdown. Default: five seconds less than
 *     spring.lifecycle.timeout-per-shutdown-phase
 * @param joinTimeout How long the start of the application waits for the node to join the pair. Then the application
 *     starts anyway, and the node joins in the background
 * @param joinRequired Whether the start fails if the node has not joined by then, because the database or the ensemble
 *     does not answer
 * @param config Further keys of the node's configuration, for example twinbell.config.workers.size
 */
@ConfigurationProperties("twinbell")
public record TwinbellProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("node") Mode mode,
        String app,
        @DefaultValue("twinbell") String cluster,
        String nodeId,
        @DefaultValue("generated") NodeIdSource nodeIdSource,
        @DefaultValue("false") boolean virtualThreads,
        Duration drain,
        @DefaultValue("30s") Duration joinTimeout,
        @DefaultValue("false") boolean joinRequired,
        @DefaultValue ZooKeeper zookeeper,
        @DefaultValue Database database,
        @DefaultValue Listener http,
        @DefaultValue Listener jmx,
        @DefaultValue RecurringTasks recurring,
        @DefaultValue RetrySettings retry,
        @DefaultValue Client client,
        @DefaultValue Map<String, String> config) {
    /** What the application does. */
    public enum Mode {
        /** Runs a node: fires tasks, or stands by. */
        NODE,
        /** Only enqueues tasks. */
        CLIENT
    }

    /** Where a node gets its id. */
    public enum NodeIdSource {
        /** A new id at each start: for a Deployment. */
        GENERATED,
        /** The name of the host: for a StatefulSet, whose names are stable. */
        HOST_NAME
    }

    /**
     * The ensemble.
     *
     * @param connect The ZooKeeper servers, as host:port, several separated by commas
     * @param sessionTimeout The ZooKeeper session timeout. Without fast takeover, a dead master is replaced after it.
     *     Default: 10s
     */
    public record ZooKeeper(String connect, Duration sessionTimeout) {}

    /**
     * The database of the node's own connections.
     *
     * @param url The JDBC URL. Default: that of the DataSource
     * @param user The user. Default: that of the DataSource
     * @param password The password. Default: that of the DataSource
     */
    public record Database(String url, String user, String password) {
        /** Omits the password. */
        @Override
        public String toString() {
            return "Database[url=" + url + ", user=" + user + "]";
        }
    }

    /**
     * A port of the node.
     *
     * @param enabled Whether the node listens. Without HTTP, fast takeover is off
     * @param host The address that it listens at. Default: 127.0.0.1
     * @param port The port. Default: 8081 for HTTP, 9081 for JMX
     */
    public record Listener(@DefaultValue("false") boolean enabled, String host, Integer port) {}

    /**
     * Tasks of {@code @Recurring} methods.
     *
     * @param pauseUndeclared Whether the master pauses a recurring task that no running node declares any more
     * @param checkInterval How often the master looks for such tasks, at least one second
     */
    public record RecurringTasks(
            @DefaultValue("true") boolean pauseUndeclared,
            @DefaultValue("30s") Duration checkInterval) {}

    /**
     * The retry of tasks that this application stores for handlers, and that have none. A handler may say another one.
     *
     * @param maxAttempts The number of attempts, with the first one, 1 to 1000. Default: 1, or the default of the app
     * @param backoff The delay before the second attempt. Default: 1s
     * @param multiplier The factor for each further delay, 1 to 100. Default: 2
     * @param maxBackoff The longest delay. Default: 1m
     * @param jitter The share by which a delay varies at random, 0 to 1. Default: 0.1
     */
    public record RetrySettings(
            Integer maxAttempts, Duration backoff, Double multiplier, Duration maxBackoff, Double jitter) {
        /** Returns what is wrong; null if nothing is. */
        String problem() {
            if (maxAttempts == null) {
                return backoff == null && multiplier == null && maxBackoff == null && jitter == null
                        ? null
                        : "the number of attempts is missing";
            }
            if (maxAttempts < 1 || maxAttempts > 1000) {
                return "the number of attempts must be 1 to 1000, not " + maxAttempts;
            }
            if (isNegative(backoff) || isNegative(maxBackoff)) {
                return "a delay must not be negative";
            }
            if (multiplier != null && !(multiplier >= 1 && multiplier <= 100)) {
                return "the multiplier must be 1 to 100, not " + multiplier;
            }
            return jitter == null || jitter >= 0 && jitter <= 1 ? null : "the jitter must be 0 to 1, not " + jitter;
        }

        private static boolean isNegative(Duration delay) {
            return delay != null && delay.isNegative();
        }

        /** Returns null if the number of attempts is not given. */
        RetryPolicy policy() {
            if (maxAttempts == null) {
                return null;
            }
            RetryPolicy policy = RetryPolicy.attempts(maxAttempts);
            policy = backoff == null ? policy : policy.backoff(backoff);
            policy = multiplier == null ? policy : policy.multiplier(multiplier);
            policy = maxBackoff == null ? policy : policy.maxBackoff(maxBackoff);
            return jitter == null ? policy : policy.jitter(jitter);
        }
    }

    /**
     * The client over HTTP, a bean if urls are set.
     *
     * @param urls The URLs of both nodes
     * @param token The token for changes
     * @param ca A PEM file with the only certificates to trust. Default: those of the JVM
     * @param timeout The longest time of a call with all its tries
     */
    public record Client(
            @DefaultValue List<String> urls,
            String token,
            Path ca,
            @DefaultValue("15s") Duration timeout) {
        /** Omits the token. */
        @Override
        public String toString() {
            return "Client[urls=" + urls + "]";
        }
    }
}
