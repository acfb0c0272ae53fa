package io.twinbell.node.config;

import io.twinbell.node.config.NodeConfig.Endpoint;
import io.twinbell.node.config.NodeConfig.HttpEncryption;
import io.twinbell.node.config.NodeConfig.Listeners;
import io.twinbell.node.config.NodeConfig.Retention;
import io.twinbell.node.config.NodeConfig.WorkerConfig;
import io.twinbell.node.config.NodeConfig.ZooKeeper;
import io.twinbell.node.handler.config.AddressRange;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.handler.config.HandlerConfig.HttpHandler;
import io.twinbell.node.handler.config.HandlerConfig.JavaHandler;
import io.twinbell.node.handler.config.HandlerConfig.ShellHandler;
import io.twinbell.node.handler.config.HandlerConfig.SqlHandler;
import io.twinbell.node.jmx.LocalUsers;
import io.twinbell.node.json.NearestName;
import io.twinbell.node.limit.store.AppQuota;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.node.settings.EffectiveSetting;
import io.twinbell.node.settings.Login;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.persistence.database.DatabaseUrl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.slf4j.event.Level;

/**
 * Reads a node's configuration from a YAML file, then the environment, then {@code --set}; later sources override
 * earlier ones.
 */
public final class ConfigReader {
    static final String PREFIX = "TWINBELL_";
    static final String FILE_SUFFIX = "_FILE";
    /** The prefix of the source of a setting from the environment. */
    static final String VARIABLE = "the variable ";

    private static final int MAX_PORT = 65_535;
    /**
     * The distance from the API's port to the default port for health checks. That port is above the API's port, or
     * below it if there is none above.
     */
    private static final int HEALTH_PORT_DISTANCE = 100;

    private static final String SECRET_VARIABLE = "SECRETS_";
    private static final String PROFILE_VARIABLE = "HANDLERS_HTTP_PROFILES_";

    private static final int MAX_QUOTA = 100_000_000;
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{0,62}");
    private static final Pattern HOST = Pattern.compile("[^\\s/]{1,255}");
    private static final Pattern TARGET =
            Pattern.compile("(\\*\\.)?([A-Za-z0-9_-]+\\.)*[A-Za-z0-9_-]*[A-Za-z_-][A-Za-z0-9_-]*");
    private static final Pattern SYSTEM_USER = Pattern.compile("[A-Za-z_][A-Za-z0-9_.-]{0,31}");
    private static final Pattern CONNECT = Pattern.compile("[^\\s,/]+:\\d+(,[^\\s,/]+:\\d+)*(/\\S*)?");

    private ConfigReader() {}

    /**
     * @param file null for none
     * @param environment as from {@link System#getenv()}
     * @param sets each {@code key=value}
     * @throws ConfigException naming every error, with its key and source
     */
    public static NodeConfig read(Path file, Map<String, String> environment, List<String> sets) {
        Settings settings = gather(file, environment, sets);
        NodeConfig config = config(settings);
        log(settings);
        settings.refuseErrors();
        return config;
    }

    /**
     * Reads the configuration of an embedded node: from a YAML file, then from the program. A listener of which neither
     * mentions a key is off.
     *
     * @param file null for none
     * @param sets by key; a later one overrides the file
     * @throws ConfigException naming every error, with its key and source
     */
    public static NodeConfig read(Path file, Map<String, Setting> sets) {
        Settings settings = ofFile(file, true);
        sets.forEach(settings::set);
        for (String enabled : List.of(ConfigKeys.HTTP_ENABLED, ConfigKeys.JMX_ENABLED)) {
            String listener = enabled.substring(0, enabled.indexOf('.') + 1);
            if (settings.below(listener).isEmpty()) {
                // A program does not expect that a library listens.
                settings.set(enabled, new Setting("false", "the default inside a program"));
            }
        }
        NodeConfig config = config(settings);
        log(settings);
        settings.refuseErrors();
        return config;
    }

    /**
     * Reads the logging configuration of the daemon; an embedded node uses the program's logging.
     *
     * @throws ConfigException as {@link #read}
     */
    public static LogConfig readLog(Path file, Map<String, String> environment, List<String> sets) {
        Settings settings = gather(file, environment, sets);
        LogConfig log = log(settings);
        settings.refuseErrors();
        return log;
    }

    /**
     * Returns every key with its effective value and source, sorted by key, with secrets masked.
     *
     * @throws ConfigException as {@link #read}
     */
    public static List<EffectiveSetting> effective(Path file, Map<String, String> environment, List<String> sets) {
        Settings settings = gather(file, environment, sets);
        config(settings);
        log(settings);
        settings.refuseErrors();
        return settings.effective();
    }

    private static Settings gather(Path file, Map<String, String> environment, List<String> sets) {
        Settings settings = ofFile(file, false);
        readEnvironment(environment, settings);
        sets.forEach(set -> readSet(set, settings));
        return settings;
    }

    private static Settings ofFile(Path file, boolean isProgram) {
        Settings settings = new Settings(file, isProgram);
        if (file != null) {
            YamlSettings.read(file, settings);
        }
        return settings;
    }

    private static NodeConfig config(Settings settings) {
        Endpoint http = new Endpoint(
                settings.text(ConfigKeys.HTTP_HOST, HOST, "a host name or an address"),
                settings.number(ConfigKeys.HTTP_PORT, 0, MAX_PORT),
                settings.bool(ConfigKeys.HTTP_ENABLED));
        return new NodeConfig(
                settings.text(ConfigKeys.CLUSTER, NAME, "a name of letters, digits, \".\", \"_\" and \"-\""),
                settings.text(ConfigKeys.NODE_ID, NAME, "a name of letters, digits, \".\", \"_\" and \"-\""),
                new Listeners(
                        http,
                        jmx(settings),
                        jmxUsers(settings),
                        httpAllowedHosts(settings),
                        AccessReader.read(settings),
                        encryption(settings, http.port())),
                DatabaseReader.read(settings),
                zooKeeper(settings),
                workers(settings),
                retention(settings),
                handlers(settings),
                quota(settings),
                List.of());
    }

    /** An empty value means standard output, which overrides a directory in the file. */
    private static Path logDirectory(Settings settings) {
        String value = settings.optional(ConfigKeys.LOG_DIRECTORY);
        return value == null || value.isBlank() ? null : settings.path(ConfigKeys.LOG_DIRECTORY);
    }

    private static LogConfig log(Settings settings) {
        return new LogConfig(
                settings.choice(ConfigKeys.LOG_FORMAT, LogConfig.Format.class),
                settings.choice(ConfigKeys.LOG_LEVEL, Level.class),
                logDirectory(settings),
                settings.number(ConfigKeys.LOG_FILE_MEGABYTES, 1, 10_000),
                settings.number(ConfigKeys.LOG_TOTAL_MEGABYTES, 1, 1_000_000),
                settings.number(ConfigKeys.LOG_DAYS, 1, 3650));
    }

    private static Endpoint jmx(Settings settings) {
        return new Endpoint(
                settings.text(
                        ConfigKeys.JMX_HOST,
                        host -> HOST.matcher(host).matches() && AccessReader.isLoopback(host),
                        "a loopback address such as 127.0.0.1 (from another machine, use /metrics or an SSH tunnel)"),
                settings.number(ConfigKeys.JMX_PORT, 0, MAX_PORT),
                settings.bool(ConfigKeys.JMX_ENABLED));
    }

    private static HttpEncryption encryption(Settings settings, int httpPort) {
        TlsFiles tls = new TlsFiles(
                settings.optionalPath(ConfigKeys.TLS_CERTIFICATE),
                settings.optionalPath(ConfigKeys.TLS_KEY),
                settings.optional(ConfigKeys.TLS_PASSWORD),
                settings.optionalPath(ConfigKeys.TLS_CA),
                settings.optionalPath(ConfigKeys.TLS_CLIENT_CA),
                settings.choice(ConfigKeys.TLS_CLIENTS, TlsFiles.Clients.class));
        tls.problems().forEach(problem -> settings.error("http.tls: " + problem));
        return new HttpEncryption(tls, health(settings, httpPort, tls.isServer()));
    }

    /** The node's own warm-up and the start scripts need a port without TLS. */
    private static Endpoint health(Settings settings, int httpPort, boolean isTls) {
        String host = settings.text(ConfigKeys.HEALTH_HOST, HOST, "a host name or an address");
        if (settings.optional(ConfigKeys.HEALTH_PORT) != null) {
            return new Endpoint(host, settings.number(ConfigKeys.HEALTH_PORT, 0, MAX_PORT));
        }
        int above = httpPort + HEALTH_PORT_DISTANCE;
        int port = above <= MAX_PORT ? above : httpPort - HEALTH_PORT_DISTANCE;
        return new Endpoint(host, httpPort == 0 ? 0 : port, isTls);
    }

    private static LocalUsers jmxUsers(Settings settings) {
        LocalUsers users = new LocalUsers(Settings.entries(settings.optional(ConfigKeys.JMX_LOCAL_USERS)));
        users.problems().forEach(settings::error);
        return users;
    }

    private static ZooKeeper zooKeeper(Settings settings) {
        return new ZooKeeper(
                settings.text(ConfigKeys.ZOOKEEPER_CONNECT, CONNECT, "host:port, several separated by commas"),
                settings.duration(ConfigKeys.ZOOKEEPER_SESSION_TIMEOUT, Duration.ofSeconds(1), Duration.ofMinutes(5)),
                ZooKeeperAccessReader.read(settings));
    }

    private static WorkerConfig workers(Settings settings) {
        return new WorkerConfig(
                settings.number(ConfigKeys.WORKERS_SIZE, 1, 1000),
                settings.number(ConfigKeys.WORKERS_MAX_IN_FLIGHT, 1, 1_000_000),
                settings.duration(ConfigKeys.SHUTDOWN_DRAIN, Duration.ZERO, Duration.ofHours(1)));
    }

    private static AppQuota quota(Settings settings) {
        return new AppQuota(
                settings.number(ConfigKeys.QUOTAS_TASKS, 0, MAX_QUOTA),
                settings.number(ConfigKeys.QUOTAS_ADDS, 0, MAX_QUOTA),
                1_000_000L * settings.number(ConfigKeys.QUOTAS_MEGABYTES, 0, 1_000_000),
                settings.number(ConfigKeys.QUOTAS_FIRES, 0, MAX_QUOTA));
    }

    private static HandlerConfig handlers(Settings settings) {
        return new HandlerConfig(
                new HttpHandler(
                        settings.hosts(ConfigKeys.HTTP_ALLOW, settings.optional(ConfigKeys.HTTP_ALLOW)),
                        ports(settings),
                        CallbackUrlsReader.read(settings),
                        CallProfilesReader.read(settings)),
                new JavaHandler(
                        plugins(settings),
                        settings.duration(ConfigKeys.JAVA_MISSING, Duration.ZERO, Duration.ofDays(7))),
                sql(settings),
                new ShellHandler(
                        settings.bool(ConfigKeys.SHELL_ENABLED),
                        settings.number(ConfigKeys.SHELL_PROCESSES, 1, 1000),
                        settings.optional(ConfigKeys.SHELL_USER) == null
                                ? null
                                : settings.text(ConfigKeys.SHELL_USER, SYSTEM_USER, "a user of this machine")),
                SecretsReader.read(settings));
    }

    private static List<String> httpAllowedHosts(Settings settings) {
        List<String> entries = Settings.entries(settings.optional(ConfigKeys.HTTP_ALLOWED_HOSTS));
        entries.stream()
                .filter(entry -> !TARGET.matcher(entry).matches()
                        && (entry.contains("/") || AddressRange.parse(entry).isEmpty()))
                .forEach(entry -> settings.error(ConfigKeys.HTTP_ALLOWED_HOSTS + ": \"" + entry
                        + "\" is not a host name, *.domain or address; write it without a port"));
        return entries;
    }

    private static SqlHandler sql(Settings settings) {
        boolean isEnabled = settings.bool(ConfigKeys.SQL_ENABLED);
        String user = settings.optional(ConfigKeys.SQL_USER);
        if (isEnabled && user == null) {
            settings.error(ConfigKeys.SQL_USER + ": is required if handlers.sql.enabled is true; statements of tasks"
                    + " log in as this role, which has few rights; 'twinbell init-db' creates it");
        } else if (user != null
                && (user.equals(settings.optional(ConfigKeys.DATABASE_USER))
                        || user.equals(settings.optional(ConfigKeys.DATABASE_OWNER)))) {
            settings.error(ConfigKeys.SQL_USER + ": must not be the role of the node or of the schema's owner, \""
                    + user + "\"");
        }
        return new SqlHandler(
                isEnabled,
                settings.number(ConfigKeys.SQL_CONNECTIONS, 1, 100),
                user == null ? null : new Login(user, settings.optional(ConfigKeys.SQL_PASSWORD)));
    }

    /**
     * Without a file the relative default has no base. The default directory need not exist; a configured one must.
     */
    private static Path plugins(Settings settings) {
        if (settings.isSet(ConfigKeys.JAVA_PLUGINS)) {
            return settings.path(ConfigKeys.JAVA_PLUGINS);
        }
        Path usual = settings.hasFile() ? settings.path(ConfigKeys.JAVA_PLUGINS) : null;
        return usual != null && Files.exists(usual, LinkOption.NOFOLLOW_LINKS) ? usual : null;
    }

    private static Set<Integer> ports(Settings settings) {
        Set<Integer> ports = new TreeSet<>();
        String given = settings.optional(ConfigKeys.HTTP_PORTS);
        for (String entry : given == null ? new String[0] : given.split(",", -1)) {
            try {
                int port = Integer.parseInt(entry.strip());
                if (1 <= port && port <= 65_535) {
                    ports.add(port);
                    continue;
                }
            } catch (NumberFormatException e) {
                // Reported below, like a number out of bounds.
            }
            settings.error(ConfigKeys.HTTP_PORTS + ": \"" + entry.strip() + "\" is not a port from 1 to 65535");
        }
        return ports;
    }

    /** An outcome without a retention of its own is kept for {@code retention.executions}. */
    private static Retention retention(Settings settings) {
        Duration day = Duration.ofDays(1);
        Duration longest = settings.duration(ConfigKeys.RETENTION_EXECUTIONS, day, Duration.ofDays(3650));
        return new Retention(
                longest,
                settings.duration(ConfigKeys.RETENTION_SUCCEEDED, day, longest, longest),
                settings.duration(ConfigKeys.RETENTION_FAILED, day, longest, longest),
                settings.duration(ConfigKeys.RETENTION_SKIPPED, day, longest, longest),
                settings.duration(ConfigKeys.RETENTION_FINISHED_TASKS, Duration.ZERO, Duration.ofDays(3650)),
                new NodeConfig.AuditConfig(
                        settings.duration(ConfigKeys.RETENTION_AUDIT, day, Duration.ofDays(3650)),
                        settings.bool(ConfigKeys.AUDIT_LOG)));
    }

    private static void readSet(String set, Settings settings) {
        int equals = set.indexOf('=');
        if (equals < 1) {
            settings.error("--set " + DatabaseUrl.masked(set) + ": write --set key=value");
        } else {
            settings.set(set.substring(0, equals), new Setting(set.substring(equals + 1), "--set"));
        }
    }

    /**
     * Unknown variables with the prefix are ignored, because service discovery and start scripts set some. A variable
     * that is similar to a key is reported as a typing error.
     */
    private static void readEnvironment(Map<String, String> environment, Settings settings) {
        Map<String, String> keys = ConfigKeys.byVariable();
        environment.forEach((variable, value) -> {
            if (!variable.startsWith(PREFIX)) {
                return;
            }
            String name = variable.substring(PREFIX.length());
            String key = chosenByUser(name).orElseGet(() -> keys.get(name));
            String secret = name.endsWith(FILE_SUFFIX)
                    ? keys.get(name.substring(0, name.length() - FILE_SUFFIX.length()))
                    : null;
            if (key != null) {
                settings.set(key, new Setting(value, VARIABLE + variable));
            } else if (ConfigKeys.SECRETS.contains(secret == null ? "" : secret)) {
                readSecret(secret, variable, value, environment, settings);
            } else if (name.startsWith(PROFILE_VARIABLE)) {
                settings.error("unknown variable " + variable + ": it ends with no key of a profile, such as PROXY");
            } else {
                NearestName.of(name, keys.keySet())
                        .ifPresent(near -> settings.error(
                                "unknown variable " + variable + "; did you mean " + PREFIX + near + "?"));
            }
        });
    }

    /** Returns the key of a variable that contains a name of the user's choice. */
    private static Optional<String> chosenByUser(String name) {
        if (name.startsWith(SECRET_VARIABLE)) {
            return Optional.of(ConfigKeys.SECRETS_PREFIX + name.substring(SECRET_VARIABLE.length()));
        }
        return name.startsWith(PROFILE_VARIABLE)
                ? CallProfilesReader.keyOfVariable(name.substring(PROFILE_VARIABLE.length()))
                        .map(ConfigKeys.PROFILES_PREFIX::concat)
                : Optional.empty();
    }

    private static void readSecret(
            String key, String variable, String path, Map<String, String> environment, Settings settings) {
        if (environment.containsKey(PREFIX + ConfigKeys.variable(key))) {
            settings.error(key + " is set twice, by " + variable + " and by the variable without " + FILE_SUFFIX);
            return;
        }
        try {
            settings.set(key, new Setting(settings.read(path), "the file " + path));
        } catch (IOException | InvalidPathException e) {
            settings.error(variable + " names the file " + path + ", which can't be read: " + e.getMessage());
        }
    }
}
