package io.twinbell.daemon.command;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.latch.EnsembleSurvey;
import io.twinbell.ha.latch.ZooKeeperAccess;
import io.twinbell.ha.role.Role;
import io.twinbell.node.config.ConfigReader;
import io.twinbell.node.pair.SchedulerNode;
import io.twinbell.persistence.testing.RestorablePostgres;
import io.twinbell.tools.cli.TwinbellCommand;
import io.twinbell.tools.cli.TypedCommand;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.management.MBeanServerFactory;
import javax.net.SocketFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** What the runbook tells people to type does what it says, and every alert is answered there. */
@Timeout(180)
class RunbookTest {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Path OPS = Path.of("..", "..", "ops");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^```(sh[a-z-]*)\\n(.*?)^```$");
    private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|(\\S+)");
    private static final CommandLine COMMANDS = TwinbellCommand.commandLine();
    private static final Map<String, String> NOT_RUN = Map.of(
            "sh-server", "it needs PostgreSQL's own tools beside a real server",
            "sh-pair", "it needs the pair of scripts/pair");

    @TempDir
    private Path folder;

    private final Deque<SchedulerNode> nodes = new ArrayDeque<>();
    private final Set<String> done = new TreeSet<>();
    private TestServers servers;

    /** Commands of the page under one mark, line by line. */
    private record Block(String mark, List<String> lines) {}

    /** As the scripts do. */
    @BeforeEach
    void nameAdminToken() {
        System.setProperty("twinbell.adminToken", adminToken());
    }

    private String adminToken() {
        return folder.resolve("admin-token").toString();
    }

    @AfterEach
    void stop() throws IOException {
        System.clearProperty("twinbell.adminToken");
        nodes.forEach(SchedulerNode::close);
        if (servers != null) {
            servers.close();
        }
    }

    @Test
    void every_command_runs_or_the_page_says_where_it_would() throws Exception {
        servers = TestServers.start();
        Path config = config();
        SchedulerNode a = start("a");
        await().atMost(PATIENCE).until(() -> a.role() == Role.MASTER);
        SchedulerNode b = start("b");
        await().atMost(PATIENCE).until(() -> b.role() == Role.STANDBY);
        List<String> urls = List.of(a.url(), b.url());
        List<Block> blocks = blocks(Files.readString(OPS.resolve("docs/RUNBOOK.md")));
        for (Block block : blocks) {
            if (block.mark().equals("sh")) {
                for (String line : block.lines()) {
                    runOnce(line, config, urls);
                }
            } else if (!block.mark().equals("sh-stopped")) {
                assertTrue(NOT_RUN.containsKey(block.mark()), "no block is marked " + block.mark());
                System.out.println("not run: " + block.lines() + ": " + NOT_RUN.get(block.mark()));
            }
        }
        stopNodes();
        for (Block block : blocks) {
            if (block.mark().equals("sh-stopped")) {
                block.lines().forEach(line -> run(line, config, urls));
            }
        }
        assertTrue(done.size() > 15, done.toString());
    }

    @Test
    void the_steps_after_a_restore_to_a_point_in_time_bring_the_pair_back() throws Exception {
        try (RestorablePostgres server = RestorablePostgres.start(folder.resolve("server"))) {
            servers = TestServers.start(server.database());
            Path config = config();
            SchedulerNode a = start("a");
            await().atMost(PATIENCE).until(() -> a.role() == Role.MASTER);
            awaitMarkInZooKeeper();
            stopNodes();
            server.backUp();
            server.recover();
            // As if the backup had been made a minute earlier: a copy that lacks seconds could be a promoted replica.
            await().ignoreExceptions()
                    .until(() -> sql(
                                    server,
                                    "select setval('twinbell.history_mark', last_value - 60000) from twinbell.history_mark")
                            != null);
            SchedulerNode refused = start("a");
            await().atMost(PATIENCE)
                    .until(() -> refused.joinObstacle().orElse("").contains("lacks all commits after"));
            stopNodes();

            String page = Files.readString(OPS.resolve("docs/RUNBOOK.md"));
            String section = page.substring(page.indexOf("\n## Back up and restore"), page.indexOf("\n## Move"));
            StringBuilder said = new StringBuilder();
            for (Block block : blocks(section)) {
                if (block.mark().equals("sh-stopped")) {
                    block.lines().forEach(line -> said.append(run(line, config, List.of())));
                }
            }
            assertTrue(
                    said.toString().contains("FAIL  history         the database lacks the commits after "),
                    said::toString);
            assertTrue(said.toString().contains("\nremoved from ZooKeeper: timeline 1 until "), said::toString);
            SchedulerNode adopted = start("a");
            await().atMost(PATIENCE).until(() -> adopted.role() == Role.MASTER);
            assertEquals("0", sql(server, "select count(*) from twinbell.firing_pause where resumed_at is null"));
        }
    }

    private void awaitMarkInZooKeeper() {
        try (EnsembleSurvey survey = new EnsembleSurvey(
                servers.zooKeeper().getConnectString(),
                "twinbell",
                Duration.ofSeconds(10),
                ZooKeeperAccess.OPEN,
                SocketFactory.getDefault())) {
            assertTrue(survey.connect());
            await().atMost(PATIENCE).until(() -> survey.timeline().stream().anyMatch(used -> used.markMillis() > 0));
        }
    }

    private static String sql(RestorablePostgres server, String query) throws SQLException {
        try (Connection connection = server.database().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        }
    }

    private void stopNodes() {
        nodes.forEach(SchedulerNode::close);
        nodes.clear();
    }

    @Test
    void every_alert_is_answered_and_nothing_else_is() throws IOException {
        assertEquals(
                found("(?m)^ +- alert: (\\w+)$", OPS.resolve("dist/src/main/dist/monitoring/prometheus-rules.yaml")),
                found("(?m)^### (Twinbell\\w+)$", OPS.resolve("docs/RUNBOOK.md")));
    }

    private static Set<String> found(String pattern, Path file) throws IOException {
        Set<String> found = new TreeSet<>();
        Pattern.compile(pattern).matcher(Files.readString(file)).results().forEach(match -> found.add(match.group(1)));
        assertTrue(found.size() > 20, file + " has " + found);
        return found;
    }

    /** The page says some of them many times. */
    private void runOnce(String line, Path config, List<String> urls) {
        if (done.add(line)) {
            run(line, config, urls);
        }
    }

    /** In this process, with the nodes' addresses and this machine's paths in the place of the page's. */
    private String run(String line, Path config, List<String> urls) {
        List<String> words = words(line.replaceFirst(" > \\S+$", ""));
        assertEquals("twinbell", words.get(0), line);
        List<String> arguments = new ArrayList<>(words.subList(1, words.size()));
        arguments.replaceAll(word -> word.equals("conf/twinbell.yaml") ? config.toString() : word);
        if (asksNodes(arguments)) {
            urls.forEach(url -> arguments.addAll(List.of("--url", url)));
        }
        TypedCommand typed = TypedCommand.twinbell(arguments.toArray(String[]::new));
        // The tests' servers are neither durable nor three, and the doctor says so.
        boolean isExpected = arguments.get(0).equals("doctor") && !arguments.contains("--adopt")
                ? Stream.of("OK ", "WARN ").allMatch(typed.out()::contains)
                : typed.exitCode() == 0;
        assertTrue(isExpected, line + " ended with " + typed.exitCode() + "\n" + typed.out() + typed.err());
        return typed.out();
    }

    private static boolean asksNodes(List<String> arguments) {
        CommandLine command = COMMANDS;
        for (String word : arguments) {
            CommandLine below = command.getSubcommands().get(word);
            if (below == null) {
                break;
            }
            command = below;
        }
        return command.getCommandSpec().optionsMap().containsKey("--url");
    }

    private static List<String> words(String line) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(line);
        while (word.find()) {
            words.add(word.group(1) != null ? word.group(1) : word.group(2));
        }
        return words;
    }

    private static List<Block> blocks(String page) {
        return BLOCK.matcher(page)
                .results()
                .map(block -> new Block(block.group(1), block.group(2).lines().toList()))
                .toList();
    }

    private Path config() throws IOException {
        StringBuilder yaml = new StringBuilder();
        for (String set : servers.sets()) {
            String[] pair = set.split("=", 2);
            yaml.append(pair[0]).append(": \"").append(pair[1]).append("\"\n");
        }
        return Files.writeString(folder.resolve("twinbell.yaml"), yaml);
    }

    private SchedulerNode start(String id) {
        List<String> sets = new ArrayList<>(servers.sets());
        sets.add("node.id=" + id);
        sets.add("http.adminToken=" + adminToken());
        SchedulerNode node = new SchedulerNode(
                ConfigReader.read(null, Map.of(), sets), Map.of(), MBeanServerFactory.newMBeanServer());
        nodes.push(node);
        node.start();
        return node;
    }
}
