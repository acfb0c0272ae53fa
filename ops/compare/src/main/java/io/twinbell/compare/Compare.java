package io.twinbell.compare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * Compares Twinbell with other schedulers: runs every workload with every contender, each in a fresh process and a
 * fresh database, round by round.
 */
@Command(
        name = "compare",
        mixinStandardHelpOptions = true,
        description = "Gives the same work to Twinbell and other schedulers, and prints a Markdown table.")
public final class Compare implements Callable<Integer> {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final int CHILD_LIMIT_SECONDS = 400;

    /** More tasks would take minutes for a scheduler that does some hundred a second, with the same result. */
    private static final int MOST_FOR_QUARTZ = 5000;

    private static final int MOST_FOR_JOBRUNR = 10_000;

    @Parameters(
            paramLabel = "WORK",
            arity = "0..*",
            description = "drain, log, overdue, lateness, recurring, insert, start, or all (default).")
    private List<String> works = List.of("all");

    @Option(names = "--contenders", split = ",", description = "The schedulers to compare. Default: ${DEFAULT-VALUE}.")
    private List<String> contenders = List.of("twinbell", "dbs-lock", "dbs-fetch", "quartz", "jobrunr");

    @Option(names = "--rounds", defaultValue = "3", description = "Number of rounds. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
            names = "--tasks",
            defaultValue = "20000",
            description = "Number of tasks of drain, log, overdue and insert. Default: ${DEFAULT-VALUE}.")
    private int tasks;

    @Option(
            names = "--rates",
            split = ",",
            defaultValue = "100,1000,5000",
            description = "Fires per second. Default: ${DEFAULT-VALUE}.")
    private List<Integer> rates;

    @Option(names = "--seconds", defaultValue = "15", description = "Duration of each rate. Default: ${DEFAULT-VALUE}.")
    private int seconds;

    @Option(
            names = "--recurring",
            defaultValue = "1000",
            description = "Number of tasks that fire every second. Default: ${DEFAULT-VALUE}.")
    private int recurring;

    @Option(
            names = "--backlog",
            defaultValue = "100000",
            description = "Number of waiting tasks at a start. Default: ${DEFAULT-VALUE}.")
    private int backlog;

    @Option(
            names = "--postgres-port",
            defaultValue = "28490",
            description = "Port of PostgreSQL. Default: ${DEFAULT-VALUE}.")
    private int postgresPort;

    @Option(
            names = "--zookeeper-port",
            defaultValue = "28491",
            description = "Port of ZooKeeper. Default: ${DEFAULT-VALUE}.")
    private int zooKeeperPort;

    @Option(
            names = "--dir",
            defaultValue = "target/compare",
            description = "Where the servers keep their data. Default: ${DEFAULT-VALUE}.")
    private Path folder;

    @Option(
            names = "--jvm",
            paramLabel = "OPTIONS",
            split = " ",
            defaultValue = "-XX:TieredStopAtLevel=1",
            description = "Options of every contender's JVM. Default, as in Twinbell's package: ${DEFAULT-VALUE}.")
    private List<String> jvm;

    @Option(
            names = "--results",
            paramLabel = "FILE",
            description = "Keeps every result in this file, one per line, and includes the results of earlier runs.")
    private Path results;

    private final Table table = new Table();
    private int databasesMade;

    public static void main(String[] arguments) {
        System.exit(new CommandLine(new Compare()).execute(arguments));
    }

    @Override
    public Integer call() throws Exception {
        Files.createDirectories(folder);
        try (ComparisonServers servers = ComparisonServers.start(folder.toRealPath(), postgresPort, zooKeeperPort)) {
            int before = readKept();
            for (int round = before; round < before + rounds; round++) {
                for (List<String> work : plan()) {
                    round(servers, work, round);
                }
            }
            System.out.println(table.markdown());
            System.out.println(surroundings(servers));
        }
        return 0;
    }

    /** Name, size, seconds and title of each workload. */
    private List<List<String>> plan() {
        List<List<String>> plan = new ArrayList<>();
        boolean all = works.contains("all");
        if (all || works.contains("drain")) {
            plan.add(List.of("drain", "" + tasks, "0", "drain of " + tasks + ", tasks/s"));
        }
        if (all || works.contains("log")) {
            plan.add(List.of("log", "" + tasks, "0", "write-ahead log of " + tasks + " one-shots, bytes each"));
        }
        if (all || works.contains("overdue")) {
            plan.add(List.of("overdue", "" + tasks, "0", "drain of " + tasks + " overdue, young process, tasks/s"));
        }
        if (all || works.contains("lateness")) {
            for (int rate : rates) {
                plan.add(List.of("lateness", "" + rate, "" + seconds, "lateness at " + rate + "/s, ms"));
            }
        }
        if (all || works.contains("recurring")) {
            String title = "lateness of " + recurring + " tasks every second, ms";
            plan.add(List.of("recurring", "" + recurring, "" + seconds, title));
        }
        if (all || works.contains("insert")) {
            plan.add(List.of("insert", "" + tasks, "0", "insert, tasks/s"));
        }
        if (all || works.contains("start")) {
            String title = "first fire after start() with " + backlog + " waiting, ms";
            plan.add(List.of("start", "" + backlog, "0", title));
        }
        if (plan.isEmpty()) {
            throw new IllegalArgumentException("no work has one of these names: " + works);
        }
        return plan;
    }

    /** The first contender changes with every round, so that none always runs after the same other one. */
    private void round(ComparisonServers servers, List<String> work, int round) throws Exception {
        List<String> order = new ArrayList<>(contenders);
        if (work.get(0).equals("drain")) {
            order.add("limit");
        }
        for (int i = 0; i < order.size(); i++) {
            String contender = order.get((i + round) % order.size());
            JsonNode result = work(servers, contender, work);
            System.err.println(work.get(3) + ", " + contender + ", round " + (round + 1) + ": " + result);
            table.add(work.get(3), contender, work.get(0), result);
            keep(work, contender, result);
        }
    }

    /** Reads the kept results; returns the number of rounds, that is, the largest number of results in a cell. */
    private int readKept() throws IOException {
        if (results == null || !Files.exists(results)) {
            return 0;
        }
        for (String line : Files.readAllLines(results)) {
            JsonNode kept = JSON.readTree(line);
            table.add(
                    kept.path("title").asText(),
                    kept.path("contender").asText(),
                    kept.path("work").asText(),
                    kept.path("result"));
        }
        return table.rounds();
    }

    private void keep(List<String> work, String contender, JsonNode result) throws IOException {
        if (results != null) {
            String line = JSON.createObjectNode()
                    .put("title", work.get(3))
                    .put("work", work.get(0))
                    .put("contender", contender)
                    .set("result", result)
                    .toString();
            Files.writeString(results, line + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        }
    }

    private JsonNode work(ComparisonServers servers, String contender, List<String> work) throws Exception {
        String name =
                "compare" + databasesMade++ + "_" + ProcessHandle.current().pid();
        servers.databases().create(name);
        try {
            String size = "" + size(contender, work.get(0), Integer.parseInt(work.get(1)));
            if (work.get(0).equals("start")) {
                JsonNode seeded = child(servers, List.of(contender, "seed", size, "0"), name);
                if (seeded.has("unsupported")) {
                    return seeded;
                }
                // Until the single task is due that the seeding scheduled slightly ahead.
                Thread.sleep(4000);
            }
            if (work.get(0).equals("overdue")) {
                JsonNode seeded = child(servers, List.of(contender, "seed-overdue", size, "0"), name);
                if (seeded.has("unsupported")) {
                    return seeded;
                }
                Thread.sleep(Math.max(0, seeded.path("dueMillis").asLong() - System.currentTimeMillis()));
            }
            return child(servers, List.of(contender, work.get(0), size, work.get(2)), name);
        } finally {
            servers.databases().drop(name);
        }
    }

    private static int size(String contender, String work, int size) {
        if (!List.of("drain", "log", "overdue", "insert").contains(work)) {
            return size;
        }
        return switch (contender) {
            case "quartz" -> Math.min(size, MOST_FOR_QUARTZ);
            case "jobrunr" -> Math.min(size, MOST_FOR_JOBRUNR);
            default -> size;
        };
    }

    private JsonNode child(ComparisonServers servers, List<String> work, String database) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-Xmx2g"));
        command.addAll(jvm);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Contestant.class.getName()));
        command.addAll(work);
        command.addAll(List.of("" + servers.postgresPort(), database, servers.zooKeeper()));
        Path log = folder.resolve("contestant.log");
        Process process = new ProcessBuilder(command)
                .redirectError(Redirect.appendTo(log.toFile()))
                .start();
        String result = null;
        try (BufferedReader out = process.inputReader()) {
            for (String line = out.readLine(); line != null; line = out.readLine()) {
                if (line.startsWith(Contestant.RESULT)) {
                    result = line.substring(Contestant.RESULT.length());
                }
            }
        } finally {
            if (!process.waitFor(CHILD_LIMIT_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        }
        if (result == null) {
            throw new IOException(String.join(" ", work) + " ended without a result; see " + log.toRealPath());
        }
        return JSON.readTree(result);
    }

    private String surroundings(ComparisonServers servers) throws Exception {
        var system = ManagementFactory.getOperatingSystemMXBean();
        String server = servers.databases()
                .named("postgres")
                .text("select string_agg(name || ' ' || current_setting(name), ', ') from pg_settings"
                        + " where name in ('server_version', 'fsync', 'synchronous_commit', 'shared_buffers')");
        return String.format(
                Locale.ROOT,
                "%d cores, load average %.1f; %s %s %s; PostgreSQL: %s",
                system.getAvailableProcessors(),
                system.getSystemLoadAverage(),
                System.getProperty("java.vm.name"),
                System.getProperty("java.version"),
                String.join(" ", jvm),
                server);
    }
}
