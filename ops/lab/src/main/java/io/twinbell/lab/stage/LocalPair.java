package io.twinbell.lab.stage;

import io.twinbell.lab.server.DatabaseOperator;
import io.twinbell.lab.server.ElectionOperator;
import io.twinbell.tools.client.TokenSource;
import io.twinbell.tools.devpair.DevPassword;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Properties;

/** The pair that {@code scripts/pair} keeps in a run directory of this machine. */
public final class LocalPair implements DrilledPair {
    private static final String HOST = "127.0.0.1";

    /** Reads a pid file by the scripts' own rule: a process that merely reuses the pid is not the node. */
    private static final String PID_OF = ". \"$1\" && running \"$2\" && printf %s \"$pid\"";

    private final Path run;
    private final Properties ports;

    private LocalPair(Path run, Properties ports) {
        this.run = run;
        this.ports = ports;
    }

    public static LocalPair in(Path directory) throws IOException, DrillException.Refused {
        Path settings = directory.resolve("settings");
        if (!Files.isReadable(settings)) {
            throw new DrillException.Refused("no pair was started in " + directory
                    + " (start one with scripts/pair up, name another directory with --run, or use a temporary pair"
                    + " with --own)");
        }
        Path run = directory.toRealPath();
        if (!Files.isExecutable(scripts(run).resolve("pair"))) {
            throw new DrillException.Refused(
                    run + " is not the run directory of a project: there is no scripts/pair beside it");
        }
        Properties ports = new Properties();
        try (var reader = Files.newBufferedReader(settings)) {
            ports.load(reader);
        }
        return new LocalPair(run, ports);
    }

    @Override
    public Path run() {
        return run;
    }

    @Override
    public URI address(String node) {
        return URI.create(ports.getProperty("scheme", "http") + "://" + HOST + ":" + ports.getProperty("http_" + node));
    }

    @Override
    public TokenSource tokens() {
        return TokenSource.ofEnvironmentOr(run.resolve("admin-token"));
    }

    @Override
    public String receiverHost() {
        return HOST;
    }

    @Override
    public LocalServers servers() throws IOException, DrillException.Refused {
        ProcessHandle services = process("services")
                .orElseThrow(() -> new DrillException.Refused(
                        "PostgreSQL and ZooKeeper are not the processes recorded in " + run));
        // One process runs ZooKeeper and has started PostgreSQL, which does not stop while that process is frozen.
        return new LocalServers(run, List.of(services));
    }

    /** Also accepts {@code services}. */
    @Override
    public Optional<ProcessHandle> process(String node) throws IOException {
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

    @Override
    public void start(String node) throws IOException, DrillException.Failed {
        Process starting = new ProcessBuilder(scripts(run).resolve("pair").toString(), "start", node)
                .redirectErrorStream(true)
                .start();
        starting.getOutputStream().close();
        String said = new String(starting.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (starting.onExit().join().exitValue() != 0) {
            throw new DrillException.Failed("node " + node + " did not start: "
                    + String.join(" / ", Arrays.asList(said.strip().split("\n"))));
        }
    }

    @Override
    public DatabaseOperator database() throws IOException {
        return new DatabaseOperator(HOST, Integer.parseInt(ports.getProperty("postgres_port")), DevPassword.in(run));
    }

    @Override
    public ElectionOperator election() {
        return new ElectionOperator(HOST + ":" + ports.getProperty("zookeeper_port"));
    }

    private static Path scripts(Path run) {
        return run.resolveSibling("scripts");
    }
}
