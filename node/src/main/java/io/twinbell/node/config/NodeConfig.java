package io.twinbell.node.config;

import io.twinbell.ops.jmx.JmxSecurity;
import io.twinbell.persistence.database.DatabaseUrl;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Everything that one node is told. {@link ConfigReader} fills it in; {@link ConfigKeys} has the names, the bounds and
 * the defaults.
 */
public record NodeConfig(
        String cluster,
        String nodeId,
        Listeners listeners,
        Database database,
        ZooKeeper zooKeeper,
        Workers workers,
        Retention retention,
        Handlers handlers) {
    /** The passwords of this node itself. */
    public List<String> passwords() {
        JmxSecurity security = listeners.security();
        return Stream.of(
                        database.password(),
                        handlers.sql().login() == null
                                ? null
                                : handlers.sql().login().password(),
                        security.keys() == null ? null : security.keys().password(),
                        security.trusted() == null ? null : security.trusted().password())
                .filter(Objects::nonNull)
                .toList();
    }

    /**
     * @param security who may come in over JMX
     * @param httpAllowedHosts further names and addresses by which clients may call the HTTP API
     */
    public record Listeners(Endpoint http, Endpoint jmx, JmxSecurity security, List<String> httpAllowedHosts) {
        public Listeners(Endpoint http, Endpoint jmx, JmxSecurity security) {
            this(http, jmx, security, List.of());
        }

        /** JMX is for the node's own user and root on this machine. */
        public Listeners(Endpoint http, Endpoint jmx) {
            this(http, jmx, JmxSecurity.NONE);
        }
    }

    /**
     * Where a listener is.
     *
     * @param port 0 for any that is free
     * @param isEnabled false if nothing listens at all
     */
    public record Endpoint(String host, int port, boolean isEnabled) {
        public Endpoint(String host, int port) {
            this(host, port, true);
        }

        /** {@code host:port} as configured; empty if nothing listens. */
        public String address() {
            return isEnabled ? host + ":" + port : "";
        }
    }

    /**
     * @param url a {@code jdbc:postgresql:} URL
     * @param password null for none
     */
    public record Database(String url, String user, String password) {
        /** Leaves the password out, because configurations get logged. */
        @Override
        public String toString() {
            return "Database[url=" + DatabaseUrl.masked(url) + ", user=" + user + "]";
        }
    }

    /** @param connect {@code host:port}, several separated by commas */
    public record ZooKeeper(String connect, Duration sessionTimeout) {}

    /**
     * @param size how many handlers run at once
     * @param maxInFlight how many claimed executions may wait or run
     * @param drain how long running handlers may go on after a stop
     */
    public record Workers(int size, int maxInFlight, Duration drain) {}

    /**
     * What tasks may do on this node.
     *
     * @param plugins the directory of jars with java handlers; null for none
     * @param secrets by name
     */
    public record Handlers(
            HttpHandler http, Path plugins, SqlHandler sql, ShellHandler shell, Map<String, Secret> secrets) {
        public static final Handlers DEFAULT =
                new Handlers(HttpHandler.DEFAULT, null, SqlHandler.DEFAULT, ShellHandler.DEFAULT, Map.of());
    }

    /**
     * Calls of http tasks and alerts.
     *
     * @param allow the only hosts that may be called; empty for every host
     * @param ports of other protocols that may be called all the same
     */
    public record HttpHandler(HostList allow, Set<Integer> ports) {
        public static final HttpHandler DEFAULT = new HttpHandler(HostList.EMPTY, Set.of());
    }

    /**
     * A secret that tasks may name.
     *
     * @param hosts the only receivers; empty for every one
     * @param apps the only apps whose tasks may use it; empty for every app, and for alerts
     */
    public record Secret(String value, HostList hosts, Set<String> apps) {
        /** For every receiver and app. */
        public Secret(String value) {
            this(value, HostList.EMPTY, Set.of());
        }

        /** Leaves the value out, because configurations get logged. */
        @Override
        public String toString() {
            return "Secret[hosts=" + hosts + ", apps=" + apps + "]";
        }
    }

    /**
     * Statements on the scheduler's own database.
     *
     * @param connections how many may run at once, those of transactional java handlers among them
     * @param login the database role that statements run as; null if none is configured
     */
    public record SqlHandler(boolean isEnabled, int connections, Login login) {
        static final SqlHandler DEFAULT = new SqlHandler(false, 8, null);
    }

    /**
     * A database role that logs in.
     *
     * @param password null for none
     */
    public record Login(String user, String password) {
        /** Leaves the password out. */
        @Override
        public String toString() {
            return "Login[user=" + user + "]";
        }
    }

    /**
     * Commands on the node's host.
     *
     * @param processes how many may run at once
     * @param user the operating system's user that they run as; null for that of the node
     */
    public record ShellHandler(boolean isEnabled, int processes, String user) {
        static final ShellHandler DEFAULT = new ShellHandler(false, 16, null);

        /** As the node's own user. */
        public ShellHandler(boolean isEnabled, int processes) {
            this(isEnabled, processes, null);
        }
    }

    /**
     * How long the ledger keeps what became of a slot, by its outcome.
     *
     * @param executions the longest: whole days are dropped by it
     * @param skipped also of what was missed
     * @param finishedTasks how long a task that is FINISHED can be read
     */
    public record Retention(
            Duration executions, Duration succeeded, Duration failed, Duration skipped, Duration finishedTasks) {}
}
