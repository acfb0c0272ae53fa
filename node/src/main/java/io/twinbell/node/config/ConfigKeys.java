package io.twinbell.node.config;

import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The names of all configuration keys, with their defaults. A key without a default is required, or its absence has a
 * meaning of its own.
 */
final class ConfigKeys {
    static final String CLUSTER = "cluster";
    static final String NODE_ID = "node.id";
    static final String HTTP_ENABLED = "http.enabled";
    static final String HTTP_HOST = "http.host";
    static final String HTTP_PORT = "http.port";
    static final String HTTP_ALLOWED_HOSTS = "http.allowedHosts";
    static final String HTTP_ACCESS = "http.access";
    static final String HTTP_INSECURE = "http.insecure";
    static final String HTTP_OPEN_METRICS = "http.openMetrics";
    static final String HTTP_ADMIN_TOKEN = "http.adminToken";
    static final String TLS_CERTIFICATE = "http.tls.certificate";
    static final String TLS_KEY = "http.tls.key";
    static final String TLS_PASSWORD = "http.tls.password";
    static final String TLS_CA = "http.tls.ca";
    static final String TLS_CLIENT_CA = "http.tls.clientCa";
    static final String TLS_CLIENTS = "http.tls.clientCertificates";
    static final String TLS_ROLES = "http.tls.roles";
    static final String OIDC_ISSUER = "http.oidc.issuer";
    static final String OIDC_AUDIENCE = "http.oidc.audience";
    static final String OIDC_JWKS = "http.oidc.jwks";
    static final String OIDC_NAME_CLAIM = "http.oidc.nameClaim";
    static final String OIDC_ROLES_CLAIM = "http.oidc.rolesClaim";
    static final String OIDC_ROLES = "http.oidc.roles";
    static final String OIDC_CA = "http.oidc.ca";
    static final String OIDC_CLIENT_ID = "http.oidc.clientId";
    static final String OIDC_CLIENT_SECRET = "http.oidc.clientSecret";
    static final String OIDC_SCOPES = "http.oidc.scopes";
    static final String OIDC_REDIRECT_URL = "http.oidc.redirectUrl";
    static final String HEALTH_HOST = "http.health.host";
    static final String HEALTH_PORT = "http.health.port";
    static final String JMX_ENABLED = "jmx.enabled";
    static final String JMX_HOST = "jmx.host";
    static final String JMX_PORT = "jmx.port";
    static final String JMX_LOCAL_USERS = "jmx.localUsers";
    static final String DATABASE_URL = "database.url";
    static final String DATABASE_USER = "database.user";
    static final String DATABASE_PASSWORD = "database.password";
    static final String DATABASE_SCHEMA = "database.schema";
    static final String DATABASE_OWNER = "database.owner.user";
    static final String DATABASE_OWNER_PASSWORD = "database.owner.password";
    static final String ZOOKEEPER_CONNECT = "zookeeper.connect";
    static final String ZOOKEEPER_SESSION_TIMEOUT = "zookeeper.sessionTimeout";
    static final String ZOOKEEPER_USER = "zookeeper.user";
    static final String ZOOKEEPER_PASSWORD = "zookeeper.password";
    static final String ZOOKEEPER_ACL = "zookeeper.acl";
    static final String ZOOKEEPER_TLS = "zookeeper.tls.enabled";
    static final String ZOOKEEPER_TLS_CERTIFICATE = "zookeeper.tls.certificate";
    static final String ZOOKEEPER_TLS_PASSWORD = "zookeeper.tls.password";
    static final String ZOOKEEPER_TLS_CA = "zookeeper.tls.ca";
    static final String WORKERS_SIZE = "workers.size";
    static final String WORKERS_MAX_IN_FLIGHT = "workers.maxInFlight";
    static final String SHUTDOWN_DRAIN = "shutdown.drain";
    static final String QUOTAS_TASKS = "quotas.tasks";
    static final String QUOTAS_ADDS = "quotas.addsPerMinute";
    static final String QUOTAS_MEGABYTES = "quotas.megabytes";
    static final String QUOTAS_FIRES = "quotas.firesPerMinute";
    static final String RETENTION_EXECUTIONS = "retention.executions";
    static final String RETENTION_SUCCEEDED = "retention.succeeded";
    static final String RETENTION_FAILED = "retention.failed";
    static final String RETENTION_SKIPPED = "retention.skipped";
    static final String RETENTION_FINISHED_TASKS = "retention.finishedTasks";
    static final String RETENTION_AUDIT = "retention.audit";
    static final String AUDIT_LOG = "audit.log";
    static final String HTTP_ALLOW = "handlers.http.allow";
    static final String HTTP_PORTS = "handlers.http.ports";
    static final String HTTP_CALLBACK_URLS = "handlers.http.callbackUrls";
    static final String JAVA_PLUGINS = "handlers.java.plugins";
    static final String JAVA_MISSING = "handlers.java.missing";
    static final String SHELL_ENABLED = "handlers.shell.enabled";
    static final String SHELL_PROCESSES = "handlers.shell.processes";
    static final String SHELL_USER = "handlers.shell.user";
    static final String SQL_ENABLED = "handlers.sql.enabled";
    static final String SQL_CONNECTIONS = "handlers.sql.connections";
    static final String SQL_USER = "handlers.sql.user";
    static final String SQL_PASSWORD = "handlers.sql.password";
    static final String LOG_FORMAT = "log.format";
    static final String LOG_LEVEL = "log.level";
    static final String LOG_DIRECTORY = "log.directory";
    static final String LOG_FILE_MEGABYTES = "log.fileMegabytes";
    static final String LOG_TOTAL_MEGABYTES = "log.totalMegabytes";
    static final String LOG_DAYS = "log.days";

    /** Followed by the name of a secret, which the user chooses. */
    static final String SECRETS_PREFIX = "secrets.";

    /** Followed by the name of a profile of http calls, which the user chooses, and one of its members. */
    static final String PROFILES_PREFIX = "handlers.http.profiles.";

    private static final Map<String, String> DEFAULTS = Map.ofEntries(
            Map.entry(CLUSTER, "twinbell"),
            Map.entry(HTTP_ENABLED, "true"),
            Map.entry(HTTP_HOST, "127.0.0.1"),
            Map.entry(HTTP_PORT, "8081"),
            Map.entry(HTTP_ALLOWED_HOSTS, ""),
            Map.entry(HTTP_INSECURE, "false"),
            Map.entry(HTTP_OPEN_METRICS, "false"),
            Map.entry(HTTP_ADMIN_TOKEN, "admin-token"),
            Map.entry(TLS_CLIENTS, "NONE"),
            Map.entry(HEALTH_HOST, "127.0.0.1"),
            Map.entry(OIDC_NAME_CLAIM, "sub"),
            Map.entry(OIDC_ROLES_CLAIM, "roles"),
            Map.entry(OIDC_SCOPES, "openid profile"),
            Map.entry(JMX_ENABLED, "true"),
            Map.entry(JMX_HOST, "127.0.0.1"),
            Map.entry(JMX_PORT, "9081"),
            Map.entry(JMX_LOCAL_USERS, ""),
            Map.entry(DATABASE_USER, "twinbell"),
            Map.entry(DATABASE_SCHEMA, "twinbell"),
            Map.entry(ZOOKEEPER_SESSION_TIMEOUT, "PT10S"),
            Map.entry(ZOOKEEPER_ACL, ""),
            Map.entry(ZOOKEEPER_TLS, "false"),
            Map.entry(WORKERS_SIZE, "16"),
            Map.entry(WORKERS_MAX_IN_FLIGHT, "10000"),
            Map.entry(SHUTDOWN_DRAIN, "PT30S"),
            Map.entry(QUOTAS_TASKS, "0"),
            Map.entry(QUOTAS_ADDS, "0"),
            Map.entry(QUOTAS_MEGABYTES, "0"),
            Map.entry(QUOTAS_FIRES, "0"),
            Map.entry(RETENTION_EXECUTIONS, "P30D"),
            Map.entry(RETENTION_FINISHED_TASKS, "P7D"),
            Map.entry(RETENTION_AUDIT, "P365D"),
            Map.entry(AUDIT_LOG, "true"),
            Map.entry(HTTP_ALLOW, ""),
            Map.entry(JAVA_PLUGINS, "plugins"),
            Map.entry(JAVA_MISSING, "PT15M"),
            Map.entry(SHELL_ENABLED, "false"),
            Map.entry(SHELL_PROCESSES, "16"),
            Map.entry(SQL_ENABLED, "false"),
            Map.entry(SQL_CONNECTIONS, "8"),
            Map.entry(LOG_FORMAT, "text"),
            Map.entry(LOG_LEVEL, "INFO"),
            Map.entry(LOG_FILE_MEGABYTES, "50"),
            Map.entry(LOG_TOTAL_MEGABYTES, "1000"),
            Map.entry(LOG_DAYS, "30"));

    static final List<String> ALL = Stream.concat(
                    DEFAULTS.keySet().stream(),
                    Stream.of(
                            NODE_ID,
                            TLS_CERTIFICATE,
                            TLS_KEY,
                            TLS_PASSWORD,
                            TLS_CA,
                            TLS_CLIENT_CA,
                            HEALTH_PORT,
                            TLS_ROLES,
                            OIDC_ISSUER,
                            OIDC_AUDIENCE,
                            OIDC_JWKS,
                            OIDC_ROLES,
                            OIDC_CA,
                            OIDC_CLIENT_ID,
                            OIDC_CLIENT_SECRET,
                            OIDC_REDIRECT_URL,
                            HTTP_ACCESS,
                            DATABASE_URL,
                            DATABASE_PASSWORD,
                            DATABASE_OWNER,
                            DATABASE_OWNER_PASSWORD,
                            ZOOKEEPER_CONNECT,
                            ZOOKEEPER_USER,
                            ZOOKEEPER_PASSWORD,
                            ZOOKEEPER_TLS_CERTIFICATE,
                            ZOOKEEPER_TLS_PASSWORD,
                            ZOOKEEPER_TLS_CA,
                            RETENTION_SUCCEEDED,
                            RETENTION_FAILED,
                            RETENTION_SKIPPED,
                            SQL_USER,
                            SQL_PASSWORD,
                            HTTP_PORTS,
                            HTTP_CALLBACK_URLS,
                            SHELL_USER,
                            LOG_DIRECTORY))
            .sorted()
            .toList();

    /**
     * Suffixes after the name of a secret: the only hosts that it may be sent to, and the only apps that may use it.
     */
    static final List<String> SECRET_SCOPES = List.of("hosts", "apps");

    /** A variable may name a file with the value of these keys, so that the value is not in the environment. */
    static final List<String> SECRETS = List.of(
            DATABASE_PASSWORD,
            DATABASE_OWNER_PASSWORD,
            SQL_PASSWORD,
            TLS_PASSWORD,
            OIDC_CLIENT_SECRET,
            ZOOKEEPER_PASSWORD,
            ZOOKEEPER_TLS_PASSWORD);

    private ConfigKeys() {}

    /** Returns null for a key without a default. */
    static String defaultOf(String key) {
        return DEFAULTS.get(key);
    }

    /**
     * Returns {@code ZOOKEEPER_SESSION_TIMEOUT} for {@code zookeeper.sessionTimeout}; the common prefix precedes it.
     */
    static String variable(String key) {
        return key.replaceAll("(?=[A-Z])", "_").replace('.', '_').toUpperCase(Locale.ROOT);
    }

    /** Returns every key by its variable, without the prefix. */
    static Map<String, String> byVariable() {
        return ALL.stream()
                .collect(Collectors.toMap(ConfigKeys::variable, key -> key, (one, other) -> one, TreeMap::new));
    }
}
