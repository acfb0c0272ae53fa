package io.twinbell.ops.drill;

import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;

/** The pair that {@code scripts/pair} keeps in a run directory of this machine: its addresses and its processes. */
final class LocalPair {
    static final List<String> NODES = List.of("a", "b");

    /** A pid file is read by the scripts' own rule: a process that only inherited the pid is not the node. */
    private static final String PID_OF = ". \"$1\" && running \"$2\" && printf %s \"$pid\"";

    private final Path run;
    private final Map<String, URI> addresses;

    private LocalPair(Path run, Map<String, URI> addresses) {
        this.run = run;
        this.addresses = addresses;
    }

    static LocalPair in(Path directory) throws IOException, DrillException.Refused {
        Path settings = directory.resolve("settings");
        if (!Files.isReadable(settings)) {
            throw new DrillException.Refused(
                    "no pair was started in " + directory + " (scripts/pair up starts one, --run names another place)");
        }
        Path run = directory.toRealPath();
        if (!Files.isExecutable(scripts(run).resolve("pair"))) {
            throw new DrillException.Refused(run + " is not the run directory of a project: no scripts/pair beside it");
        }
        Properties ports = new Properties();
        try (var reader = Files.newBufferedReader(settings)) {
            ports.load(reader);
        }
        Map<String, URI> addresses = new LinkedHashMap<>();
        NODES.forEach(node -> addresses.put(node, URI.create("http://127.0.0.1:" + ports.getProperty("http_" + node))));
        return new LocalPair(run, addresses);
    }

    Path run() {
        return run;
    }

    URI address(String node) {
        return addresses.get(node);
    }

    List<URI> addresses() {
        return List.copyOf(addresses.values());
    }

    static String other(String node) {
        return NODES.get(1 - NODES.indexOf(node));
    }

    /** @throws DrillException.Refused if they are not those that {@code scripts/pair} started */
    LocalServers servers() throws IOException, DrillException.Refused {
        return new LocalServers(
                run,
                process("services")
                        .orElseThrow(() -> new DrillException.Refused(
                                "PostgreSQL and ZooKeeper are not the processes that " + run + " names")));
    }

    /** The process of a node, or of the {@code services}, if it runs. */
    Optional<ProcessHandle> process(String node) throws IOException {
        Process asked = new ProcessBuilder(
                        "bash",
                        "-c",
                        PID_OF,
                        "drill",
                        scripts(run).resolve("parts/process.sh").toString(),
                        run.resolve(node + ".pid").toString())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String pid = new String(asked.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        return asked.onExit().join().exitValue() == 0 ? ProcessHandle.of(Long.parseLong(pid)) : Optional.empty();
    }

    /** Starts a node that does not run, and returns when it is ready. */
    void start(String node) throws IOException, DrillException.Failed {
        Process starting = new ProcessBuilder(scripts(run).resolve("pair").toString(), "start", node)
                .redirectErrorStream(true)
                .start();
        starting.getOutputStream().close();
        String said = new String(starting.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (starting.onExit().join().exitValue() != 0) {
            throw new DrillException.Failed("node " + node + " does not start: "
                    + String.join(" / ", Arrays.asList(said.strip().split("\n"))));
        }
    }

    private static Path scripts(Path run) {
        return run.resolveSibling("scripts");
    }
}
