package io.twinbell.node.config;

import io.twinbell.ha.latch.ZooKeeperAccess;
import io.twinbell.node.access.RoleMapping;
import io.twinbell.node.access.oidc.OidcProvider;
import io.twinbell.node.handler.config.CallProfile;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.jmx.LocalUsers;
import io.twinbell.node.limit.store.AppQuota;
import io.twinbell.node.settings.EffectiveSetting;
import io.twinbell.node.settings.Login;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DatabaseUrl;
import io.twinbell.persistence.database.SchemaName;
import io.twinbell.persistence.database.ServerHistory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.stream.Stream;

/**
 * The configuration of one node. {@link ConfigReader} creates it; {@link ConfigKeys} has the names, the bounds and the
 * defaults.
 *
 * @param settings what the configuration was read from, key by key, with secrets masked; empty if it was not read from a
 *     file or an environment
 */
public record NodeConfig(
        String cluster,
        String nodeId,
        Listeners listeners,
        Database database,
        ZooKeeper zooKeeper,
        WorkerConfig workers,
        Retention retention,
        HandlerConfig handlers,
        AppQuota quota,
        List<EffectiveSetting> settings) {
    /** A configuration without quotas of apps that was not read from a file. */
    public NodeConfig(
            String cluster,
            String nodeId,
            Listeners listeners,
            Database database,
            ZooKeeper zooKeeper,
            WorkerConfig workers,
            Retention retention,
            HandlerConfig handlers) {
        this(cluster, nodeId, listeners, database, zooKeeper, workers, retention, handlers, AppQuota.NONE, List.of());
    }

    /** Returns the same configuration with the settings that it was read from. */
    public NodeConfig with(List<EffectiveSetting> readFrom) {
        return new NodeConfig(
                cluster,
                nodeId,
                listeners,
                database,
                zooKeeper,
                workers,
                retention,
                handlers,
                quota,
                List.copyOf(readFrom));
    }

    /** Returns the node's own passwords. */
    public List<String> passwords() {
        Stream<String> own = Stream.of(
                        database.password(),
                        database.owner() == null ? null : database.owner().password(),
                        handlers.sql().login() == null
                                ? null
                                : handlers.sql().login().password(),
                        listeners.encryption().tls().password(),
                        listeners.access().clientSecret(),
                        zooKeeper.access().password(),
                        zooKeeper.access().tls().password())
                .filter(Objects::nonNull);
        return Stream.concat(own, handlers.http().profiles().values().stream().flatMap(CallProfile::passwords))
                .toList();
    }

    /**
     * @param jmxUsers who may connect over JMX
     * @param httpAllowedHosts further names and addresses that clients may use for the HTTP API
     * @param access who may use the HTTP API
     * @param encryption how the HTTP API is encrypted
     */
    public record Listeners(
            Endpoint http,
            Endpoint jmx,
            LocalUsers jmxUsers,
            List<String> httpAllowedHosts,
            HttpAccess access,
            HttpEncryption encryption) {
        /** The API is open and not encrypted; JMX accepts only the node's own user and root. */
        public Listeners(Endpoint http, Endpoint jmx) {
            this(http, jmx, LocalUsers.NONE, List.of(), HttpAccess.OPEN, HttpEncryption.NONE);
        }
    }

    /**
     * How the HTTP API is encrypted.
     *
     * @param tls the files for TLS; the API uses it if they have a certificate
     * @param health a second port for health checks only, without TLS
     */
    public record HttpEncryption(TlsFiles tls, Endpoint health) {
        /** Neither TLS nor a port for health checks. */
        public static final HttpEncryption NONE =
                new HttpEncryption(TlsFiles.NONE, new Endpoint("127.0.0.1", 0, false));
    }

    /**
     * Who may use the HTTP API.
     *
     * @param adminToken the file with the token of the node's administrator; null for none
     * @param requiresAdminToken whether the node must not run without that file
     * @param opensMetrics whether {@code /metrics} needs no token
     * @param provider the OpenID Connect provider whose tokens are accepted; null for none
     * @param certificates what the common names of clients' certificates permit
     */
    public record HttpAccess(
            Mode mode,
            Path adminToken,
            boolean requiresAdminToken,
            boolean opensMetrics,
            OidcProvider provider,
            List<RoleMapping> certificates) {
        /** The secret with which the console authenticates to the provider; null for none. */
        String clientSecret() {
            return provider == null || provider.client() == null
                    ? null
                    : provider.client().secret();
        }

        /** Everybody may do everything. */
        public static final HttpAccess OPEN = new HttpAccess(Mode.OPEN, null, false, true, null, List.of());

        /** What a request without a token may do. */
        public enum Mode {
            /** Everything. */
            OPEN,
            /** Read. */
            READ,
            /** Nothing but health checks. */
            TOKENS
        }
    }

    /**
     * The address of a listener.
     *
     * @param port 0 for any free port
     * @param isEnabled false if the listener is disabled
     */
    public record Endpoint(String host, int port, boolean isEnabled) {
        public Endpoint(String host, int port) {
            this(host, port, true);
        }

        /** Returns {@code host:port} as configured; empty if the listener is disabled. */
        public String address() {
            return isEnabled ? address(host, Integer.toString(port)) : "";
        }

        /** Returns {@code host:port}, with an IPv6 address in brackets, because its own colons would be ambiguous. */
        public static String address(String host, String port) {
            return (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
        }
    }

    /**
     * @param url a {@code jdbc:postgresql:} URL
     * @param password null for none
     * @param schema of the node's tables
     * @param owner the role that owns the schema, which only {@code init-db} uses; null if it is the node's
     */
    public record Database(String url, String user, String password, SchemaName schema, Login owner) {
        public Database(String url, String user, String password) {
            this(url, user, password, SchemaName.DEFAULT, null);
        }

        /** The settings of a process that has not connected yet. */
        public DatabaseSettings settings(String nodeId, UUID incarnation) {
            return new DatabaseSettings(url, user, password, schema, nodeId, incarnation, new ServerHistory());
        }

        /** Leaves the password out, because configurations are logged. */
        @Override
        public String toString() {
            return "Database[url=" + DatabaseUrl.masked(url) + ", user=" + user + "]";
        }
    }

    /**
     * @param connect {@code host:port}, several separated by commas
     * @param access how the node proves who it is, and who may use what it creates
     */
    public record ZooKeeper(String connect, Duration sessionTimeout, ZooKeeperAccess access) {
        public ZooKeeper(String connect, Duration sessionTimeout) {
            this(connect, sessionTimeout, ZooKeeperAccess.OPEN);
        }
    }

    /**
     * @param size the maximum number of concurrently running handlers
     * @param maxInFlight the maximum number of claimed executions that wait or run
     * @param drain how long running handlers may continue after a stop
     */
    public record WorkerConfig(int size, int maxInFlight, Duration drain) {}

    /**
     * How long the ledger keeps executions, by their outcome.
     *
     * @param executions the longest retention: whole days are dropped after it
     * @param skipped also for missed slots
     * @param finishedTasks how long a FINISHED task is kept
     * @param audit how long entries of the audit are kept
     */
    public record Retention(
            Duration executions,
            Duration succeeded,
            Duration failed,
            Duration skipped,
            Duration finishedTasks,
            AuditConfig audit) {
        /** Keeps the audit for a year, and repeats it in the log. */
        public Retention(
                Duration executions, Duration succeeded, Duration failed, Duration skipped, Duration finishedTasks) {
            this(executions, succeeded, failed, skipped, finishedTasks, AuditConfig.DEFAULT);
        }
    }

    /**
     * @param retention how long the database keeps entries
     * @param isLogged whether the master repeats entries in its log
     */
    public record AuditConfig(Duration retention, boolean isLogged) {
        static final AuditConfig DEFAULT = new AuditConfig(Duration.ofDays(365), true);

        /** The audit is dropped by the day. */
        public int days() {
            return Math.toIntExact(Math.max(1, retention.toDays()));
        }
    }
}
