package io.twinbell.node.config;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.latch.ZooKeeperAccess;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Grant;
import io.twinbell.node.access.RoleMapping;
import io.twinbell.node.access.oidc.OidcProvider;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.handler.config.HostList;
import io.twinbell.node.jmx.LocalUsers;
import io.twinbell.node.limit.store.AppQuota;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.node.settings.Login;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.node.tls.TlsInit;
import io.twinbell.persistence.database.SchemaName;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.event.Level;

class ConfigReaderTest {
    private static final String REQUIRED = """
            node: {id: a}
            database: {url: "jdbc:postgresql://db/twinbell"}
            zookeeper: {connect: "zk:2181"}
            """;

    @TempDir
    Path folder;

    @Test
    void the_defaults_are_these() throws IOException {
        NodeConfig config = read(REQUIRED, Map.of());
        assertAll(
                () -> assertEquals("twinbell", config.cluster()),
                () -> assertEquals(
                        new NodeConfig.Endpoint("127.0.0.1", 8081),
                        config.listeners().http()),
                () -> assertEquals(
                        new NodeConfig.Endpoint("127.0.0.1", 9081),
                        config.listeners().jmx()),
                () -> assertEquals("twinbell", config.database().user()),
                () -> assertNull(config.database().password()),
                () -> assertEquals(Duration.ofSeconds(10), config.zooKeeper().sessionTimeout()),
                () -> assertEquals(new NodeConfig.WorkerConfig(16, 10_000, Duration.ofSeconds(30)), config.workers()),
                () -> assertEquals(retention(30, 30, 30, 30), config.retention()));
    }

    @Test
    void inside_a_program_a_node_listens_only_if_a_key_mentions_the_listener() throws IOException {
        assertEquals("false false", listeners(Map.of()));
        assertEquals("true false", listeners(Map.of("http.port", "0")));
        assertEquals("true true", listeners(Map.of("http.host", "127.0.0.1", "jmx.enabled", "true")));
        assertEquals("false true", listeners(Map.of("http.port", "0", "http.enabled", "false", "jmx.port", "0")));
        Path file = Files.writeString(folder.resolve("program.yaml"), REQUIRED + "jmx: {port: 9082}\n");
        NodeConfig.Listeners ofFile = ConfigReader.read(file, Map.of()).listeners();
        assertEquals(
                "false true", ofFile.http().isEnabled() + " " + ofFile.jmx().isEnabled());
    }

    @Test
    void a_program_is_told_how_a_program_sets_a_key() {
        ConfigException refusal = assertThrows(ConfigException.class, () -> ConfigReader.read(null, Map.of()));
        assertTrue(
                refusal.getMessage()
                        .contains("node.id is required: set it in the file, or in the program with"
                                + " set(\"node.id\", …)"),
                refusal.getMessage());
    }

    private static String listeners(Map<String, String> keys) {
        Map<String, Setting> sets = new HashMap<>();
        Map.of("node.id", "a", "database.url", "jdbc:postgresql://db/twinbell", "zookeeper.connect", "zk:2181")
                .forEach((key, value) -> sets.put(key, new Setting(value, "test")));
        keys.forEach((key, value) -> sets.put(key, new Setting(value, "test")));
        NodeConfig.Listeners read = ConfigReader.read(null, sets).listeners();
        return read.http().isEnabled() + " " + read.jmx().isEnabled();
    }

    private static NodeConfig.Retention retention(int executions, int succeeded, int failed, int skipped) {
        return new NodeConfig.Retention(
                Duration.ofDays(executions),
                Duration.ofDays(succeeded),
                Duration.ofDays(failed),
                Duration.ofDays(skipped),
                Duration.ofDays(7));
    }

    @Test
    void an_outcome_may_be_kept_for_less_than_the_ledger() throws IOException {
        String outcomes = REQUIRED + "retention: {executions: P10D, succeeded: P2D, skipped: P1D}\n";
        assertEquals(retention(10, 2, 10, 1), read(outcomes, Map.of()).retention());
    }

    @Test
    void an_outcome_may_not_be_kept_for_longer_than_the_ledger() {
        String failed = REQUIRED + "retention: {executions: P10D, failed: P11D}\n";
        ConfigException refusal = assertThrows(ConfigException.class, () -> read(failed, Map.of()));
        assertTrue(
                refusal.getMessage().contains("retention.failed must be a duration from PT24H to PT240H"),
                refusal.getMessage());
    }

    @Test
    void a_value_without_a_default_is_required() {
        ConfigException refusal = assertThrows(ConfigException.class, () -> read("{}", Map.of()));
        assertAll(
                () -> assertEquals(3, refusal.errors().size(), refusal.getMessage()),
                () -> assertTrue(refusal.getMessage().contains("node.id is required: set it in the file")),
                () -> assertTrue(refusal.getMessage().contains("TWINBELL_DATABASE_URL")),
                () -> assertTrue(refusal.getMessage().contains("zookeeper.connect")));
    }

    @Test
    void the_cluster_and_the_node_are_mapped() throws IOException {
        NodeConfig config = read(REQUIRED + "cluster: east\n", Map.of());
        assertEquals("east", config.cluster());
        assertEquals("a", config.nodeId());
    }

    @Test
    void the_http_section_is_mapped() throws IOException {
        NodeConfig config = read(REQUIRED + "http: {host: 0.0.0.0, port: 80, insecure: true}\n", Map.of());
        assertEquals(new NodeConfig.Endpoint("0.0.0.0", 80), config.listeners().http());
    }

    @Test
    void the_jmx_section_is_mapped() throws IOException {
        NodeConfig config = read(REQUIRED + "jmx: {host: \"::1\", port: 0}\n", Map.of());
        assertEquals(new NodeConfig.Endpoint("::1", 0), config.listeners().jmx());
    }

    @ParameterizedTest
    @ValueSource(strings = {"0.0.0.0", "::", "192.0.2.7", "no-such-host.invalid", ""})
    void jmx_beyond_loopback_is_refused_with_what_to_use_instead(String host) {
        String refusal = refusal(REQUIRED + "jmx: {host: \"" + host + "\"}\n", Map.of());
        assertTrue(
                refusal.contains("jmx.host must be a loopback address such as 127.0.0.1 (from another machine, use"
                        + " /metrics or an SSH tunnel), not \"" + host + "\" ("),
                refusal);
        assertTrue(refusal.contains("twinbell.yaml, line "), refusal);
    }

    @Test
    void the_database_section_is_mapped_and_its_password_is_not_printed() throws IOException {
        String file = REQUIRED.replace("url:", "user: bell, password: \"s3cret\", url:");
        NodeConfig config = read(file, Map.of());
        assertEquals(new NodeConfig.Database("jdbc:postgresql://db/twinbell", "bell", "s3cret"), config.database());
        assertFalse(config.toString().contains("s3cret"));
    }

    @Test
    void the_zookeeper_section_is_mapped() throws IOException {
        String file = REQUIRED.replace("zk:2181", "z1:2181,z2:2181/twinbell")
                .replace("{connect", "{sessionTimeout: PT4S, connect");
        assertEquals(
                new NodeConfig.ZooKeeper("z1:2181,z2:2181/twinbell", Duration.ofSeconds(4)),
                read(file, Map.of()).zooKeeper());
    }

    @Test
    void the_workers_shutdown_and_retention_sections_are_mapped() throws IOException {
        NodeConfig config = read(
                REQUIRED
                        + "workers: {size: 4, maxInFlight: 100}\nshutdown: {drain: PT5S}\nretention: {executions: P7D, finishedTasks: PT0S, audit: P90D}\naudit: {log: false}\n",
                Map.of());
        assertEquals(new NodeConfig.WorkerConfig(4, 100, Duration.ofSeconds(5)), config.workers());
        assertEquals(Duration.ZERO, config.retention().finishedTasks());
        assertEquals(
                new NodeConfig.AuditConfig(Duration.ofDays(90), false),
                config.retention().audit());
        assertEquals(Duration.ofDays(7), config.retention().executions());
    }

    @Test
    void every_key_can_be_set_by_a_variable_and_by_set() throws Exception {
        TlsInit authority = new TlsInit(folder.resolve("tls"), 30);
        authority.issue(List.of(new TlsInit.Request("n", List.of("h"), TlsInit.Use.NODE)), false);
        Map<String, String> values = Map.ofEntries(
                Map.entry("http.tls.certificate", authority.certificate("n").toString()),
                Map.entry("http.tls.key", authority.key("n").toString()),
                Map.entry("http.tls.password", "w"),
                Map.entry("http.tls.ca", authority.certificate("ca").toString()),
                Map.entry("http.tls.clientCa", authority.certificate("n").toString()),
                Map.entry("http.tls.clientCertificates", "optional"),
                Map.entry("http.tls.roles", "deploy=operator@shop"),
                Map.entry("http.oidc.issuer", "https://id.example/realm"),
                Map.entry("http.oidc.audience", "twinbell"),
                Map.entry("http.oidc.jwks", "https://id.example/keys"),
                Map.entry("http.oidc.nameClaim", "email"),
                Map.entry("http.oidc.rolesClaim", "realm_access.roles"),
                Map.entry("http.oidc.roles", "tb-admins=admin; tb-shop=Editor@shop, billing+sql+secrets"),
                Map.entry("http.oidc.ca", authority.certificate("ca").toString()),
                Map.entry("http.oidc.clientId", "console"),
                Map.entry("http.oidc.clientSecret", "s"),
                Map.entry("http.oidc.scopes", "openid email"),
                Map.entry("http.oidc.redirectUrl", "https://ops.example/back"),
                Map.entry("http.health.host", "i"),
                Map.entry("http.health.port", "3"),
                Map.entry("cluster", "c"),
                Map.entry("node.id", "n"),
                Map.entry("http.enabled", "false"),
                Map.entry("http.host", "h"),
                Map.entry("http.port", "1"),
                Map.entry("http.allowedHosts", "tb.example.com, *.svc, 10.0.0.9"),
                Map.entry("http.access", "tokens"),
                Map.entry("http.insecure", "true"),
                Map.entry("http.openMetrics", "true"),
                Map.entry("http.adminToken", "/etc/admin"),
                Map.entry("jmx.enabled", "false"),
                Map.entry("jmx.host", "127.0.0.2"),
                Map.entry("jmx.port", "2"),
                Map.entry("jmx.localUsers", "ops, 1000"),
                Map.entry("database.url", "jdbc:postgresql://x/y"),
                Map.entry("database.user", "u"),
                Map.entry("database.password", "p"),
                Map.entry("database.schema", "s"),
                Map.entry("database.owner.user", "o"),
                Map.entry("database.owner.password", "w"),
                Map.entry("zookeeper.connect", "z:1"),
                Map.entry("zookeeper.user", "pair"),
                Map.entry("zookeeper.password", "z"),
                Map.entry("zookeeper.acl", "sasl:twinbell; x509:CN=a,O=x"),
                Map.entry("zookeeper.tls.enabled", "true"),
                Map.entry(
                        "zookeeper.tls.certificate", authority.certificate("n").toString()),
                Map.entry("zookeeper.tls.password", "y"),
                Map.entry("zookeeper.tls.ca", authority.certificate("ca").toString()),
                Map.entry("zookeeper.sessionTimeout", "PT5S"),
                Map.entry("workers.size", "3"),
                Map.entry("workers.maxInFlight", "4"),
                Map.entry("shutdown.drain", "PT6S"),
                Map.entry("quotas.tasks", "7"),
                Map.entry("quotas.addsPerMinute", "8"),
                Map.entry("quotas.megabytes", "9"),
                Map.entry("quotas.firesPerMinute", "10"),
                Map.entry("retention.executions", "P7D"),
                Map.entry("retention.succeeded", "P1D"),
                Map.entry("retention.failed", "P6D"),
                Map.entry("retention.skipped", "P2D"),
                Map.entry("retention.finishedTasks", "P7D"),
                Map.entry("retention.audit", "P365D"),
                Map.entry("audit.log", "true"),
                Map.entry("handlers.http.allow", "*.example.com, 10.0.0.0/8"),
                Map.entry("handlers.http.ports", "25, 6379"),
                Map.entry("handlers.http.callbackUrls", "https://a.example.com, http://[::1]:8081/"),
                Map.entry("handlers.shell.user", "jobs"),
                Map.entry("handlers.java.plugins", "/opt/plugins"),
                Map.entry("handlers.java.missing", "PT1H"),
                Map.entry("handlers.sql.enabled", "true"),
                Map.entry("handlers.shell.enabled", "true"),
                Map.entry("handlers.shell.processes", "5"),
                Map.entry("handlers.sql.connections", "3"),
                Map.entry("handlers.sql.user", "app"),
                Map.entry("handlers.sql.password", "s"),
                Map.entry("log.format", "json"),
                Map.entry("log.level", "warn"),
                Map.entry("log.directory", "/var/log"),
                Map.entry("log.fileMegabytes", "8"),
                Map.entry("log.totalMegabytes", "9"),
                Map.entry("log.days", "10"));
        NodeConfig expected = new NodeConfig(
                "c",
                "n",
                new NodeConfig.Listeners(
                        new NodeConfig.Endpoint("h", 1, false),
                        new NodeConfig.Endpoint("127.0.0.2", 2, false),
                        new LocalUsers(List.of("ops", "1000")),
                        List.of("tb.example.com", "*.svc", "10.0.0.9"),
                        new NodeConfig.HttpAccess(
                                NodeConfig.HttpAccess.Mode.TOKENS,
                                Path.of("/etc/admin"),
                                true,
                                true,
                                new OidcProvider(
                                        "https://id.example/realm",
                                        "twinbell",
                                        "https://id.example/keys",
                                        "email",
                                        "realm_access.roles",
                                        List.of(
                                                new RoleMapping("tb-admins", AccessRole.ADMIN, Set.of(), Set.of()),
                                                new RoleMapping(
                                                        "tb-shop",
                                                        AccessRole.EDITOR,
                                                        Set.of("shop", "billing"),
                                                        Set.of(Grant.SQL, Grant.SECRETS))),
                                        authority.certificate("ca"),
                                        new OidcProvider.Client(
                                                "console", "s", "openid email", "https://ops.example/back")),
                                List.of(new RoleMapping("deploy", AccessRole.OPERATOR, Set.of("shop"), Set.of()))),
                        new NodeConfig.HttpEncryption(
                                new TlsFiles(
                                        authority.certificate("n"),
                                        authority.key("n"),
                                        "w",
                                        authority.certificate("ca"),
                                        authority.certificate("n"),
                                        TlsFiles.Clients.OPTIONAL),
                                new NodeConfig.Endpoint("i", 3))),
                new NodeConfig.Database("jdbc:postgresql://x/y", "u", "p", new SchemaName("s"), new Login("o", "w")),
                new NodeConfig.ZooKeeper(
                        "z:1",
                        Duration.ofSeconds(5),
                        new ZooKeeperAccess(
                                "pair",
                                "z",
                                List.of("sasl:twinbell", "x509:CN=a,O=x"),
                                new ZooKeeperAccess.Tls(
                                        true, authority.certificate("n"), "y", authority.certificate("ca")))),
                new NodeConfig.WorkerConfig(3, 4, Duration.ofSeconds(6)),
                retention(7, 1, 6, 2),
                new HandlerConfig(
                        new HandlerConfig.HttpHandler(
                                HostList.of("*.example.com", "10.0.0.0/8"),
                                Set.of(25, 6379),
                                List.of("https://a.example.com", "http://[::1]:8081"),
                                Map.of()),
                        new HandlerConfig.JavaHandler(Path.of("/opt/plugins"), Duration.ofHours(1)),
                        new HandlerConfig.SqlHandler(true, 3, new Login("app", "s")),
                        new HandlerConfig.ShellHandler(true, 5, "jobs"),
                        Map.of()),
                new AppQuota(7, 8, 9_000_000, 10),
                List.of());
        LogConfig log = new LogConfig(LogConfig.Format.JSON, Level.WARN, Path.of("/var/log"), 8, 9, 10);
        assertEquals(ConfigKeys.ALL, values.keySet().stream().sorted().toList());
        List<String> sets = values.entrySet().stream()
                .map(entry -> entry.getKey() + "=" + entry.getValue())
                .toList();
        assertEquals(log, ConfigReader.readLog(null, Map.of(), sets));
        assertEquals(expected, ConfigReader.read(null, Map.of(), sets));
        Map<String, String> variables = new java.util.HashMap<>();
        values.forEach((key, value) -> variables.put("TWINBELL_" + ConfigKeys.variable(key), value));
        assertEquals(expected, ConfigReader.read(null, variables, List.of()));
        assertTrue(variables.containsKey("TWINBELL_ZOOKEEPER_SESSION_TIMEOUT"));
    }

    @Test
    void a_variable_overrides_the_file_and_set_overrides_both() throws IOException {
        Map<String, String> variables = Map.of("TWINBELL_HTTP_PORT", "2", "TWINBELL_JMX_PORT", "3");
        NodeConfig config = read(REQUIRED + "http: {port: 1}\njmx: {port: 1}\n", variables, "jmx.port=4");
        assertEquals(2, config.listeners().http().port());
        assertEquals(4, config.listeners().jmx().port());
    }

    @Test
    void an_unknown_key_is_refused_with_its_line_and_the_nearest_one() {
        String refusal = refusal(REQUIRED + "htttp:\n  port: 1\n", Map.of());
        assertTrue(refusal.contains("unknown key \"htttp.port\""), refusal);
        assertTrue(refusal.contains("twinbell.yaml, line 5"), refusal);
        assertTrue(refusal.contains("did you mean \"http.port\"?"), refusal);
    }

    @Test
    void the_log_is_told_its_format_level_and_place_and_bad_ones_are_refused_by_name() throws IOException {
        LogConfig log = ConfigReader.readLog(
                null, Map.of("TWINBELL_LOG_FORMAT", "JSON"), List.of("log.level=debug", "log.directory=logs"));
        assertEquals(
                new LogConfig(
                        LogConfig.Format.JSON, Level.DEBUG, Path.of("logs").toAbsolutePath(), 50, 1000, 30),
                log);
        assertNull(ConfigReader.readLog(null, Map.of("TWINBELL_LOG_DIRECTORY", ""), List.of())
                .directory());
        String refusal = refusal(REQUIRED + "log: {format: xml, level: loud, days: 0}\n", Map.of());
        assertTrue(refusal.contains("log.format must be one of text, json, not \"xml\""), refusal);
        assertTrue(refusal.contains("log.level must be one of error, warn, info, debug, trace, not \"loud\""), refusal);
        assertTrue(refusal.contains("log.days must be a whole number from 1 to 3650"), refusal);
    }

    @Test
    void a_login_before_the_host_of_the_database_is_refused_without_showing_it() {
        for (String url : new String[] {"jdbc:postgresql://u:s3cr3t@db:5432/x", "jdbc:postgresql://s3cr3t@db/x"}) {
            String refusal = refusal(REQUIRED, Map.of("TWINBELL_DATABASE_URL", url));
            assertTrue(refusal.contains("database.url: the driver reads no login before the host"), refusal);
            assertFalse(refusal.contains("s3cr3t"), refusal);
        }
    }

    @Test
    void an_unknown_key_in_set_is_refused() {
        String refusal = assertThrows(
                        ConfigException.class, () -> read(REQUIRED, Map.of(), "worker.size=1", "nonsense"))
                .getMessage();
        assertTrue(refusal.contains("did you mean \"workers.size\"?"), refusal);
        assertTrue(refusal.contains("write --set key=value"), refusal);
    }

    @Test
    void a_bad_value_is_refused_with_its_place() {
        String refusal = refusal(
                REQUIRED + "http:\n  port: 70000\nworkers: {size: many}\nshutdown: {drain: 30s}\n",
                Map.of("TWINBELL_JMX_PORT", "-1", "TWINBELL_NODE_ID", "a b"));
        assertAll(
                () -> assertTrue(
                        refusal.contains("http.port must be a whole number from 0 to 65535, not \"70000\""), refusal),
                () -> assertTrue(refusal.contains("twinbell.yaml, line 5"), refusal),
                () -> assertTrue(refusal.contains("workers.size must be"), refusal),
                () -> assertTrue(refusal.contains("shutdown.drain must be a duration"), refusal),
                () -> assertTrue(refusal.contains("the variable TWINBELL_JMX_PORT"), refusal),
                () -> assertTrue(refusal.contains("node.id must be a name"), refusal));
    }

    @Test
    void a_variable_that_is_nearly_a_key_is_refused_and_others_with_the_prefix_are_left_alone() throws IOException {
        assertTrue(refusal(REQUIRED, Map.of("TWINBELL_DATABASE_ULR", "x")).contains("TWINBELL_DATABASE_URL"));
        read(REQUIRED, Map.of("TWINBELL_SERVICE_HOST", "10.0.0.1", "TWINBELL_HOME", "/opt/twinbell"));
    }

    @Test
    void the_password_may_stand_in_a_file_that_a_variable_names() throws IOException {
        Path secret = Files.writeString(folder.resolve("password"), "s3cret\n");
        NodeConfig config = read(REQUIRED, Map.of("TWINBELL_DATABASE_PASSWORD_FILE", secret.toString()));
        assertEquals("s3cret", config.database().password());
        String both = refusal(
                REQUIRED,
                Map.of("TWINBELL_DATABASE_PASSWORD_FILE", secret.toString(), "TWINBELL_DATABASE_PASSWORD", "x"));
        assertTrue(both.contains("set twice"), both);
        String missing = refusal(REQUIRED, Map.of("TWINBELL_DATABASE_PASSWORD_FILE", "/nowhere"));
        assertTrue(missing.contains("/nowhere"), missing);
    }

    @Test
    void secrets_stand_in_the_file_in_variables_or_in_files_of_their_own_and_in_no_text() throws IOException {
        Path secret = Files.writeString(folder.resolve("key"), "from-a-file\n");
        NodeConfig config = read(
                REQUIRED + "secrets:\n  ONE: from-yaml\n  TWO_FILE: " + secret + "\n",
                Map.of("TWINBELL_SECRETS_THREE", "from-a-variable", "TWINBELL_SECRETS_FOUR_FILE", secret.toString()));
        assertEquals(
                Map.of("ONE", "from-yaml", "TWO", "from-a-file", "THREE", "from-a-variable", "FOUR", "from-a-file"),
                secretValues(config));
        assertFalse(config.toString().contains("from-"), config.toString());
    }

    @Test
    void a_secret_may_be_limited_to_hosts_and_apps_in_the_file_or_by_variables() throws IOException {
        NodeConfig config = read(
                REQUIRED + "secrets:\n  ONE: x\n  ONE.hosts: a.example, 10.0.0.0/8\n  TWO_FILE: "
                        + Files.writeString(folder.resolve("two"), "y") + "\n  TWO: {apps: 'billing, shop'}\n",
                Map.of("TWINBELL_SECRETS_TWO_HOSTS", "b\u00fccher.example", "TWINBELL_SECRETS_MY_APPS", "a value"));
        Map<String, HandlerConfig.Secret> secrets = config.handlers().secrets();
        assertEquals(
                new HandlerConfig.Secret("x", HostList.of("a.example", "10.0.0.0/8"), Set.of()), secrets.get("ONE"));
        assertEquals(
                new HandlerConfig.Secret("y", HostList.of("xn--bcher-kva.example"), Set.of("billing", "shop")),
                secrets.get("TWO"));
        assertEquals(new HandlerConfig.Secret("a value"), secrets.get("MY_APPS"));
    }

    @Test
    void a_limit_of_a_secret_that_limits_nothing_is_refused() {
        String refusal = refusal(
                REQUIRED + "secrets: {A: x, A.hosts: '', B.apps: y, A.apps: ' ', A.host: z, C: x, C.hosts: 'a b'}\n",
                Map.of());
        assertTrue(refusal.contains("secrets.A.hosts") && refusal.contains("must name at least one"), refusal);
        assertTrue(refusal.contains("secrets.B.apps") && refusal.contains("there is no secret B"), refusal);
        assertTrue(refusal.contains("secrets.A.apps") && refusal.contains("secrets.A.host ("), refusal);
        assertTrue(refusal.contains("secrets.C.hosts: \"a b\""), refusal);
        assertTrue(
                refusal(REQUIRED + "handlers.http.ports: '25,x,0,'\n", Map.of()).contains("\"x\" is not a port"));
    }

    @Test
    void callbacks_go_to_the_nodes_own_address_by_default() throws IOException {
        assertEquals(
                List.of("http://127.0.0.1:8081"),
                read(REQUIRED, Map.of()).handlers().http().callbackUrls());
        assertTrue(refusal(REQUIRED + "handlers.http.callbackUrls: 'http://a/x'\n", Map.of())
                .contains("\"http://a/x\" is not a URL without a path"));
    }

    @Test
    void relative_paths_begin_beside_the_file_and_not_where_the_node_was_started() throws IOException {
        Files.writeString(folder.resolve("key"), "from-beside");
        assertNull(read(REQUIRED, Map.of()).handlers().java().plugins(), "the usual directory needs not be there");
        Files.createDirectory(folder.resolve("plugins"));
        NodeConfig config = read(REQUIRED + "secrets: {K_FILE: key}\n", Map.of());
        assertEquals(folder.resolve("plugins"), config.handlers().java().plugins());
        assertEquals(
                folder.resolve("other"),
                read(REQUIRED + "handlers: {java: {plugins: other}}\n", Map.of())
                        .handlers()
                        .java()
                        .plugins(),
                "one that is named has to be there, and is told to be missing");
        String url = "jdbc:postgresql://db/x?sslrootcert=my%20ca.pem&sslkey=/k.pk8&user=u";
        assertEquals(
                "jdbc:postgresql://db/x?sslrootcert=" + folder + "/my+ca.pem&sslkey=/k.pk8&user=u",
                read(REQUIRED, Map.of("TWINBELL_DATABASE_URL", url)).database().url());
        assertEquals("from-beside", config.handlers().secrets().get("K").value());
        Path file = Files.writeString(folder.resolve("log.yaml"), REQUIRED + "log.directory: logs\n");
        assertEquals(
                folder.resolve("logs"),
                ConfigReader.readLog(file, Map.of(), List.of()).directory());
        assertNull(ConfigReader.read(
                        null,
                        Map.of(),
                        List.of("node.id=a", "database.url=jdbc:postgresql://x/y", "zookeeper.connect=z:1"))
                .handlers()
                .java()
                .plugins());
    }

    @Test
    void a_configuration_that_everybody_can_write_is_refused() throws IOException {
        Path file = Files.writeString(folder.resolve("open.yaml"), REQUIRED);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        ConfigException refused =
                assertThrows(ConfigException.class, () -> ConfigReader.read(file, Map.of(), List.of()));
        assertTrue(refused.getMessage().contains("open.yaml can be written by everybody"), refused.getMessage());
    }

    @Test
    void a_secret_with_a_bad_name_or_said_twice_or_in_a_missing_file_is_refused() {
        String refusal = refusal(
                REQUIRED + "secrets: {lower: x, A: x, A_FILE: /nowhere}\n", Map.of("TWINBELL_SECRETS_B_FILE", "/gone"));
        assertTrue(refusal.contains("secrets.lower"), refusal);
        assertTrue(refusal.contains("secrets.A is set twice"), refusal);
        assertTrue(refusal.contains("/nowhere") && refusal.contains("/gone"), refusal);
    }

    @Test
    void an_owner_of_the_schema_is_another_role_and_has_a_name() {
        String file = REQUIRED.replace("url:", "user: bell, owner: {user: bell}, url:");
        assertTrue(refusal(file, Map.of()).contains("database.owner.user: must not be the node's own role"));
        file = REQUIRED.replace("url:", "owner: {password: x}, url:");
        assertTrue(refusal(file, Map.of()).contains("database.owner.password: needs database.owner.user"));
    }

    @Test
    void a_path_that_is_no_file_is_refused_with_its_key_and_with_what_stands_there() throws IOException {
        Path link = Files.createSymbolicLink(folder.resolve("link"), Path.of("/nowhere"));
        String refusal = refusal(
                REQUIRED + "secrets: {A_FILE: " + folder + ", B_FILE: /dev/zero, C_FILE: " + link + "}\n",
                Map.of(
                        "TWINBELL_DATABASE_PASSWORD_FILE",
                        folder.toString(),
                        "TWINBELL_DATABASE_URL",
                        "jdbc:postgresql://h/d?sslmode=verify-full&sslrootcert=" + link));
        for (String expected : List.of(
                "secrets.A_FILE names the file " + folder + ", which can't be read: it is a directory, not a file",
                "secrets.B_FILE names the file /dev/zero, which can't be read: it is a named pipe, a socket or a device",
                "secrets.C_FILE names the file " + link
                        + ", which can't be read: it is a symbolic link to /nowhere, which does not exist",
                "TWINBELL_DATABASE_PASSWORD_FILE names the file " + folder + ", which can't be read: it is a directory",
                "database.url: sslrootcert names " + link
                        + ", which can't be read: it is a symbolic link to /nowhere")) {
            assertTrue(refusal.contains(expected), refusal);
        }
    }

    @Test
    void a_place_where_no_log_can_be_written_is_said() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "");
        Path link = Files.createSymbolicLink(folder.resolve("away"), Path.of("/nowhere"));
        assertEquals(Optional.of(file + " is not a directory"), obstacleOfLogIn(file));
        assertEquals(Optional.of(file + " is not a directory"), obstacleOfLogIn(file.resolve("below/it")));
        assertEquals(Optional.of(link + " is a link that does not lead to a directory"), obstacleOfLogIn(link));
        assertEquals(Optional.empty(), obstacleOfLogIn(folder.resolve("to/be/made")));
    }

    private static Optional<String> obstacleOfLogIn(Path directory) {
        return ConfigReader.readLog(null, Map.of(), List.of("log.directory=" + directory))
                .obstacle();
    }

    @Test
    void a_list_of_targets_is_refused_where_it_is_neither_hosts_nor_addresses() {
        String refusal = refusal(REQUIRED + "handlers.http.allow: '10.0.0.0/8, a.b, *.c, 1.2.3, d e, *'\n", Map.of());
        assertTrue(refusal.contains("\"1.2.3\"") && refusal.contains("\"d e\"") && refusal.contains("\"*\""), refusal);
        assertFalse(
                refusal.contains("\"a.b\"") || refusal.contains("\"*.c\"") || refusal.contains("\"10.0.0.0/8"),
                refusal);
    }

    @Test
    void a_file_that_is_missing_or_no_yaml_or_says_a_thing_twice_is_refused() {
        Path missing = folder.resolve("missing.yaml");
        assertTrue(assertThrows(ConfigException.class, () -> ConfigReader.read(missing, Map.of(), List.of()))
                .getMessage()
                .contains("there is no file " + missing));
        assertTrue(refusal("a: [1", Map.of()).contains("is not YAML"));
        assertTrue(refusal(REQUIRED + "node.id: b\n", Map.of()).contains("node.id is set twice"));
        assertTrue(refusal(REQUIRED + "cluster: [a, b]\n", Map.of()).contains("single value"));
    }

    private static Map<String, String> secretValues(NodeConfig config) {
        Map<String, String> values = new TreeMap<>();
        config.handlers().secrets().forEach((name, secret) -> values.put(name, secret.value()));
        return values;
    }

    private String refusal(String yaml, Map<String, String> variables) {
        return assertThrows(ConfigException.class, () -> read(yaml, variables)).getMessage();
    }

    private NodeConfig read(String yaml, Map<String, String> variables, String... sets) throws IOException {
        Path file = Files.writeString(folder.resolve("twinbell.yaml"), yaml);
        return ConfigReader.read(file, variables, List.of(sets));
    }
}
