package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.ha.role.Role;
import io.twinbell.node.config.ConfigReader;
import io.twinbell.node.tls.TlsFiles;
import io.twinbell.node.tls.TlsInit;
import io.twinbell.node.tls.TlsMaterial;
import io.twinbell.persistence.testing.ReplicatedPostgres;
import io.twinbell.persistence.testing.TestZooKeeper;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a master tells a scraper, and that the page about it says the same. */
class MonitoringTest {
    private static final Path PAGE = Path.of("..", "ops", "docs", "METRICS-JMX.md");
    private static final Path MONITORING = Path.of("..", "ops", "dist", "src", "main", "dist", "monitoring");
    private static final Path STORIES = Path.of("src", "test", "resources", "monitoring", "rules-test.yaml");
    private static final Pattern ROW = Pattern.compile("\\| `(\\w+)` \\| (\\w+) \\| (?:`(\\w+)`)? ?\\| (.*) \\|");
    private static final Pattern SAMPLE = Pattern.compile("(\\w+)\\{(\\w+)=\"");

    @TempDir
    static Path directory;

    private static HttpClient client;
    private static ReplicatedPostgres servers;
    private static SchedulerNode node;
    private static String scraped;

    /** A row of the page. */
    private record MBeanText(String kind, String label, String help) {}

    @BeforeAll
    static void scrapeAMaster() throws Exception {
        servers = ReplicatedPostgres.start(directory.resolve("servers"));
        // With TLS there is one metric more, and with the client certificate of a profile another one.
        TlsInit authority = new TlsInit(directory, 30);
        authority.issue(List.of(new TlsInit.Request("a", List.of("127.0.0.1"), TlsInit.Use.NODE)), false);
        client = HttpClient.newBuilder()
                .sslContext(TlsMaterial.read(TlsFiles.forClient(authority.certificate("ca"), null, null))
                        .client())
                .build();
        node = new SchedulerNode(
                ConfigReader.read(
                        null,
                        Map.of(),
                        List.of(
                                "node.id=a",
                                "http.port=0",
                                "http.access=OPEN",
                                "http.tls.certificate=" + authority.certificate("a"),
                                "http.tls.key=" + authority.key("a"),
                                "http.tls.ca=" + authority.certificate("ca"),
                                "handlers.http.profiles.bank.certificate=" + authority.certificate("a"),
                                "handlers.http.profiles.bank.key=" + authority.key("a"),
                                "jmx.port=0",
                                "database.url=" + withAnotherName(servers.url()),
                                "database.user=postgres",
                                "zookeeper.connect=" + TestZooKeeper.freshFolder())),
                Map.of(),
                MBeanServerFactory.newMBeanServer());
        node.start();
        await().atMost(Duration.ofSeconds(30)).until(() -> node.role() == Role.MASTER);
        await().until(() -> scrape().contains("twinbell_rebuild_seconds "));
        client.send(
                HttpRequest.newBuilder(URI.create(node.url() + "/api/v1/tasks"))
                        .header("Content-Type", "application/json")
                        .POST(HttpRequest.BodyPublishers.ofString("{\"app\":\"shop\",\"name\":\"t\",\"schedule\":"
                                + "{\"in\":\"PT1S\"},\"handler\":{\"type\":\"log\"}}"))
                        .build(),
                HttpResponse.BodyHandlers.ofString());
        await().until(() -> scrape().contains("twinbell_app_executions_total{app=\"shop\""));
        scraped = scrape();
    }

    /** Names the first server twice, as a virtual address beside its servers does. */
    private static String withAnotherName(String url) {
        return url.replaceFirst("//[^:/]+(:\\d+),", "//localhost$1,127.0.0.1$1,");
    }

    @AfterAll
    static void stop() {
        node.close();
        servers.close();
    }

    private static String scrape() throws Exception {
        return client.send(
                        HttpRequest.newBuilder(URI.create(node.url() + "/metrics"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void the_page_describes_every_metric_that_there_is_and_no_other() throws IOException {
        Map<String, MBeanText> described = new TreeMap<>();
        for (String line : Files.readAllLines(PAGE)) {
            Matcher row = ROW.matcher(line);
            if (row.matches()) {
                described.put(row.group(1), new MBeanText(row.group(2), row.group(3), row.group(4)));
            }
        }
        assertEquals(table(told()), table(described));
    }

    private static Map<String, MBeanText> told() {
        Map<String, String> labels = new TreeMap<>();
        Matcher sample = SAMPLE.matcher(scraped);
        while (sample.find()) {
            if (!sample.group(2).equals("le")) {
                labels.put(sample.group(1).replaceFirst("_bucket$", ""), sample.group(2));
            }
        }
        Map<String, String> kinds = commented("TYPE");
        Map<String, MBeanText> told = new TreeMap<>();
        commented("HELP")
                .forEach((name, help) -> told.put(name, new MBeanText(kinds.get(name), labels.get(name), help)));
        return told;
    }

    private static Map<String, String> commented(String what) {
        Map<String, String> found = new TreeMap<>();
        Matcher line = Pattern.compile("(?m)^# " + what + " (\\w+) (.*)$").matcher(scraped);
        while (line.find()) {
            found.put(line.group(1), line.group(2));
        }
        return found;
    }

    private static String table(Map<String, MBeanText> metrics) {
        return metrics.entrySet().stream()
                .map(metric -> "| `%s` | %s | %s| %s |"
                        .formatted(
                                metric.getKey(),
                                metric.getValue().kind(),
                                metric.getValue().label() == null
                                        ? ""
                                        : "`" + metric.getValue().label() + "` ",
                                metric.getValue().help()))
                .collect(Collectors.joining("\n"));
    }

    @Test
    void promtool_finds_nothing_wrong_with_the_scrape() throws Exception {
        Promtool.ifThere().check(scraped, "check", "metrics");
    }

    @Test
    void dashboard_and_rules_speak_only_of_metrics_that_there_are() throws IOException {
        Set<String> there = new TreeSet<>(commented("TYPE").keySet());
        for (String file : List.of("grafana-dashboard.json", "prometheus-rules.yaml")) {
            Set<String> named = Pattern.compile("\\btwinbell_\\w+")
                    .matcher(Files.readString(MONITORING.resolve(file)))
                    .results()
                    .map(metric -> metric.group().replaceFirst("_seconds_bucket$", "_seconds"))
                    .collect(Collectors.toCollection(TreeSet::new));
            assertTrue(named.size() > 20, file + " names " + named);
            named.removeAll(there);
            assertEquals(Set.of(), named, file);
        }
    }

    @Test
    void the_dashboard_is_json_and_no_panel_covers_another() throws IOException {
        JsonNode dashboard = new ObjectMapper()
                .readTree(MONITORING.resolve("grafana-dashboard.json").toFile());
        Set<String> cells = new TreeSet<>();
        for (JsonNode panel : dashboard.get("panels")) {
            JsonNode at = panel.get("gridPos");
            for (int x = at.get("x").asInt();
                    x < at.get("x").asInt() + at.get("w").asInt();
                    x++) {
                for (int y = at.get("y").asInt();
                        y < at.get("y").asInt() + at.get("h").asInt();
                        y++) {
                    assertTrue(
                            x < 24 && cells.add(x + "," + y), panel.get("title").asText());
                }
            }
        }
    }

    @Test
    void the_dashboard_groups_by_labels_that_its_metrics_have() throws IOException {
        int grouped = 0;
        for (String expression : expressions()) {
            Matcher grouping =
                    Pattern.compile("by \\((\\w+)\\) .*?(twinbell_\\w+)").matcher(expression);
            while (grouping.find()) {
                grouped++;
                String sample = grouping.group(2) + "\\{(\\w+=\"[^\"]*\",)*" + grouping.group(1) + "=\"";
                assertTrue(Pattern.compile(sample).matcher(scraped).find(), expression);
            }
        }
        assertTrue(grouped > 5, "grouped " + grouped);
    }

    @Test
    void promtool_accepts_each_expression_of_the_dashboard() throws Exception {
        List<String> expressions = expressions();
        assertTrue(expressions.size() > 30, expressions.toString());
        StringBuilder rules = new StringBuilder("groups:\n- name: dashboard\n  rules:\n");
        for (int i = 0; i < expressions.size(); i++) {
            String expression = expressions.get(i).replace("$job", "twinbell").replace("$__rate_interval", "1m");
            rules.append("  - record: panel:")
                    .append(i)
                    .append("\n    expr: '")
                    .append(expression)
                    .append("'\n");
        }
        Path file = Files.writeString(directory.resolve("dashboard-rules.yaml"), rules);
        Promtool.ifThere().check("", "check", "rules", file.toString());
    }

    private static List<String> expressions() throws IOException {
        return new ObjectMapper()
                .readTree(MONITORING.resolve("grafana-dashboard.json").toFile())
                .findValuesAsText("expr");
    }

    @Test
    void promtool_accepts_the_rules() throws Exception {
        Promtool.ifThere()
                .check(
                        "",
                        "check",
                        "rules",
                        MONITORING.resolve("prometheus-rules.yaml").toString());
    }

    @Test
    void each_alert_rings_in_its_story_and_is_quiet_in_another() throws Exception {
        Set<String> alerts = new TreeSet<>(alerts());
        Set<String> ringing = new TreeSet<>();
        Set<String> quiet = new TreeSet<>();
        for (String line : Files.readAllLines(STORIES)) {
            Matcher name = Pattern.compile(" +- name: (\\w+) (rings|is quiet)").matcher(line);
            if (name.matches()) {
                (name.group(2).equals("rings") ? ringing : quiet).add(name.group(1));
            }
        }
        assertEquals(alerts, ringing);
        assertEquals(alerts, quiet);
        Promtool.ifThere().check("", "test", "rules", STORIES.toString());
    }

    @Test
    void servers_that_accept_writes_are_counted_and_named_and_not_the_hosts_that_lead_to_them() throws Exception {
        await().until(() -> scrape().contains("twinbell_database_primaries 1"));
        assertTrue(self().contains("\"warnings\":[]"), self());
        servers.promote();
        await().until(() -> scrape().contains("twinbell_database_primaries 2"));
        String warning = "\"warnings\":[\"2 servers of the database accept writes: localhost:"
                + servers.primary().getPortNumbers()[0] + ", 127.0.0.1:"
                + servers.replica().getPortNumbers()[0] + ";";
        assertTrue(self().contains(warning), self());
    }

    private static String self() throws Exception {
        return client.send(
                        HttpRequest.newBuilder(URI.create(node.url() + "/api/v1/cluster/self"))
                                .build(),
                        HttpResponse.BodyHandlers.ofString())
                .body();
    }

    /** What rings during a fault, and what Alertmanager sends of it by the shipped rules. */
    @Test
    void one_fault_is_one_page() throws IOException {
        String alone = " NodeDown StandbyMissing FailoverNotReady";
        String nothing = "MasterSilent NotFiring Lag LoopStalled FailoverNotReady ";
        assertEquals("NodeDown", sent("NodeDown StandbyMissing FailoverNotReady"), "a node is down");
        assertEquals("NoLeader", sent(nothing + "NoLeader" + alone), "nobody follows the master");
        assertEquals("NoData", sent(nothing + "NoLeader NoData" + alone), "both nodes are dead");
        assertEquals("MasterSilent", sent(nothing + "DatabaseUnreached StandbyMissing"), "the database is down");
        assertEquals("TakeoverHeldBack", sent(nothing + "NoLeader TakeoverHeldBack" + alone), "a hold");
        assertEquals("TwoPrimaries", sent("TwoPrimaries TwoLeaders"), "a split database");
        assertEquals("NoLeader TwoPrimaries", sent(nothing + "NoLeader TwoPrimaries" + alone), "an old primary stands");
        assertEquals("NodeDown TasksFail", sent("TasksFail" + alone), "failing tasks hide no other fault");
    }

    private static String sent(String ringing) throws IOException {
        Map<String, String> severities = new TreeMap<>();
        Pattern.compile("- alert: (\\w+)(?:(?!- alert:).)*?severity: (\\w+)", Pattern.DOTALL)
                .matcher(Files.readString(MONITORING.resolve("prometheus-rules.yaml")))
                .results()
                .forEach(alert -> severities.put(alert.group(1), alert.group(2)));
        Set<String> all =
                Stream.of(ringing.split(" ")).map("Twinbell"::concat).collect(Collectors.toCollection(TreeSet::new));
        assertTrue(severities.keySet().containsAll(all), all.toString());
        Set<String> sent = new TreeSet<>(all);
        Matcher rule = Pattern.compile("source_matchers: (.*)\n +target_matchers: (.*)\n +equal: \\[job]\n")
                .matcher(Files.readString(MONITORING.resolve("alertmanager-inhibit-rules.yaml")));
        assertTrue(rule.find(), "no rule");
        do {
            for (String source : all) {
                if (matches(rule.group(1), source, severities)) {
                    sent.removeIf(alert -> matches(rule.group(2), alert, severities));
                }
            }
        } while (rule.find());
        return sent.stream().map(alert -> alert.substring("Twinbell".length())).collect(Collectors.joining(" "));
    }

    private static boolean matches(String matchers, String alert, Map<String, String> severities) {
        Map<String, String> labels = Map.of("alertname", alert, "severity", severities.get(alert));
        Matcher matcher = Pattern.compile("'(\\w+)=~?\"([^\"]+)\"'").matcher(matchers);
        boolean isMatch = matcher.find();
        for (boolean isNext = isMatch; isNext; isNext = matcher.find()) {
            isMatch &= labels.get(matcher.group(1)).matches(matcher.group(2));
        }
        return isMatch;
    }

    private static List<String> alerts() throws IOException {
        List<String> alerts = Pattern.compile("(?m)^ +- alert: (\\w+)$")
                .matcher(Files.readString(MONITORING.resolve("prometheus-rules.yaml")))
                .results()
                .map(alert -> alert.group(1))
                .toList();
        assertTrue(alerts.size() > 20, alerts.toString());
        return alerts;
    }

    @Test
    void names_end_in_their_unit_and_none_is_told_twice() {
        Set<String> names = new TreeSet<>(commented("TYPE").keySet());
        assertTrue(names.size() > 40, names.toString());
        assertEquals(
                List.of(),
                names.stream()
                        .filter(name -> !name.startsWith("twinbell_")
                                || name.contains("millis")
                                || commented("TYPE").get(name).equals("counter") != name.endsWith("_total"))
                        .toList());
    }
}
