package io.twinbell.tools.verify.command;

import io.twinbell.tools.bench.BenchSite;
import io.twinbell.tools.bench.database.BenchDatabase;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.devpair.DevPassword;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.IOException;
import java.io.Reader;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Collectors;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that name the pair to measure, its database if it is known, and the output format. */
final class BenchTarget {
    private static final String PASSWORD = "TWINBELL_DATABASE_PASSWORD";

    @Mixin
    private NodeAddresses nodes;

    @Mixin
    private CommandOutput output;

    @Option(
            names = "--database",
            paramLabel = "URL",
            description =
                    "JDBC URL of the pair's database, whose schema is twinbell. Default: the database of the pair that"
                            + " scripts/pair runs, if that pair is measured. Without a database, loading tasks is slower, WAL and commits are not"
                            + " counted, and the executions are not removed.")
    private String url;

    @Option(
            names = "--database-user",
            paramLabel = "NAME",
            defaultValue = "twinbell",
            description = "The role of the nodes. Its password comes from " + PASSWORD + " or " + PASSWORD
                    + "_FILE. Default: ${DEFAULT-VALUE}.")
    private String user;

    @Option(
            names = "--run",
            paramLabel = "DIR",
            defaultValue = "${sys:twinbell.top:-.}/run",
            description = "The directory of the pair that scripts/pair runs. Default: ${DEFAULT-VALUE}.")
    private Path run;

    CommandOutput output() {
        return output;
    }

    /** @throws NodeException if none of the nodes answers */
    List<URI> addresses() throws NodeException {
        nodes.answering();
        return nodes.addresses();
    }

    /** Empty if the database is not known. */
    Optional<BenchDatabase> database() throws IOException {
        if (url != null) {
            return Optional.of(BenchDatabase.connect(url, user, password()));
        }
        Path settings = run.resolve("settings");
        if (!Files.isReadable(settings)) {
            return Optional.empty();
        }
        Properties ports = new Properties();
        try (Reader reader = Files.newBufferedReader(settings)) {
            ports.load(reader);
        }
        Set<URI> theirs = Set.of("http_a", "http_b").stream()
                .map(name ->
                        URI.create(ports.getProperty("scheme", "http") + "://127.0.0.1:" + ports.getProperty(name)))
                .collect(Collectors.toSet());
        if (!theirs.containsAll(nodes.addresses())) {
            return Optional.empty();
        }
        String local = "jdbc:postgresql://127.0.0.1:" + ports.getProperty("postgres_port") + "/twinbell";
        return Optional.of(BenchDatabase.connect(local, "twinbell", DevPassword.in(run)));
    }

    private static String password() throws IOException {
        String file = System.getenv(PASSWORD + "_FILE");
        return file == null
                ? System.getenv(PASSWORD)
                : Files.readString(Path.of(file)).strip();
    }

    /** A warning about tasks that a killed run left behind, because they distort the next run. */
    static Optional<String> leftovers(BenchDatabase database) throws IOException {
        List<String> apps = database.apps(BenchSite.APP_PREFIX);
        return apps.isEmpty()
                ? Optional.empty()
                : Optional.of("a killed run left tasks behind; remove them with DELETE /api/v1/tasks?app=NAME: "
                        + String.join(", ", apps));
    }
}
