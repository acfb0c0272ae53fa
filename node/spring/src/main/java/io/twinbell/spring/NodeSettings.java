package io.twinbell.spring;

import io.twinbell.spring.TwinbellProperties.Listener;
import io.twinbell.spring.TwinbellProperties.NodeIdSource;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.core.env.Environment;

/** Turns the application's properties into the keys of a node's configuration. */
final class NodeSettings {
    private static final Duration MARGIN = Duration.ofSeconds(5);
    private static final int LONGEST_ID = 63;
    private static final int GENERATED_DIGITS = 8;

    private final TwinbellProperties properties;
    private final Environment environment;

    NodeSettings(TwinbellProperties properties, Environment environment) {
        this.properties = properties;
        this.environment = environment;
    }

    /** The app of the application's tasks. */
    String app() {
        return first(properties.app(), environment.getProperty("spring.application.name"), properties.cluster());
    }

    /**
     * The keys with their values, in the order in which they are set.
     *
     * @param dataSource null if there is none
     */
    Map<String, String> keys(DataSource dataSource) {
        String ensemble = properties.zookeeper().connect();
        if (ensemble == null || ensemble.isBlank()) {
            throw InvalidProperty.of(
                    "zookeeper.connect",
                    ensemble,
                    "a node needs it: host:port of the ZooKeeper servers, with commas. An application that only"
                            + " enqueues sets twinbell.mode=client");
        }
        DatabaseLogin login = DatabaseLogin.of(properties.database(), dataSource);
        if (properties.database().url() == null) {
            login.requireOtherSchema(dataSource, schema());
        }
        Map<String, String> keys = new LinkedHashMap<>();
        keys.put("cluster", properties.cluster());
        keys.put("node.id", nodeId());
        keys.put("zookeeper.connect", ensemble);
        put(keys, "zookeeper.sessionTimeout", properties.zookeeper().sessionTimeout());
        keys.put("database.url", login.url());
        put(keys, "database.user", login.user());
        put(keys, "database.password", login.password());
        listen(keys, "http", properties.http());
        listen(keys, "jmx", properties.jmx());
        keys.put("shutdown.drain", drain().toString());
        // The application's own log is not a record of who changed what.
        keys.put("audit.log", "false");
        keys.putAll(properties.config());
        return keys;
    }

    String schema() {
        return properties.config().getOrDefault("database.schema", "twinbell");
    }

    /** Names what sets a key of {@link #keys}, for messages about its value. */
    String source(String key) {
        if (properties.config().containsKey(key)) {
            return "twinbell.config." + key;
        } else if (key.startsWith("database.") && properties.database().url() == null) {
            return "the DataSource, or twinbell." + key;
        }
        return switch (key) {
            case "node.id" -> properties.nodeId() == null ? "twinbell.node-id-source" : "twinbell.node-id";
            case "zookeeper.sessionTimeout" -> "twinbell.zookeeper.session-timeout";
            case "shutdown.drain" ->
                properties.drain() == null ? "spring.lifecycle.timeout-per-shutdown-phase" : "twinbell.drain";
            default -> "twinbell." + key;
        };
    }

    private static void listen(Map<String, String> keys, String name, Listener listener) {
        keys.put(name + ".enabled", Boolean.toString(listener.enabled()));
        put(keys, name + ".host", listener.host());
        put(keys, name + ".port", listener.port());
    }

    private static void put(Map<String, String> keys, String key, Object value) {
        if (value != null) {
            keys.put(key, value.toString());
        }
    }

    private String nodeId() {
        if (properties.nodeId() != null) {
            return properties.nodeId();
        }
        if (properties.nodeIdSource() == NodeIdSource.HOST_NAME) {
            return hostName();
        }
        String readable = app().replaceAll("[^A-Za-z0-9_.-]", "-").replaceAll("^[^A-Za-z0-9]+", "");
        String suffix = UUID.randomUUID().toString().substring(0, GENERATED_DIGITS);
        int room = LONGEST_ID - GENERATED_DIGITS - 1;
        return readable.isEmpty()
                ? "node-" + suffix
                : readable.substring(0, Math.min(room, readable.length())) + "-" + suffix;
    }

    private String hostName() {
        try {
            return first(
                    environment.getProperty("HOSTNAME"),
                    InetAddress.getLocalHost().getHostName());
        } catch (UnknownHostException e) {
            throw InvalidProperty.of(
                    "node-id-source", "host-name", "this machine's name is not known: " + e.getMessage());
        }
    }

    private Duration drain() {
        if (properties.drain() != null) {
            return properties.drain();
        }
        Duration phase = Binder.get(environment)
                .bind("spring.lifecycle.timeout-per-shutdown-phase", Duration.class)
                .orElse(Duration.ofSeconds(30));
        Duration left = phase.minus(MARGIN);
        Duration half = phase.dividedBy(2);
        return left.compareTo(half) < 0 ? half : left;
    }

    private static String first(String... candidates) {
        for (String candidate : candidates) {
            if (candidate != null && !candidate.isBlank()) {
                return candidate;
            }
        }
        throw new IllegalStateException("no name is set");
    }
}
