package io.twinbell.lab.own;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.client.TokenSource;
import io.twinbell.tools.devpair.DevPassword;
import io.twinbell.tools.drill.ConditionPoll;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** A node of a drill's own pair. */
final class OwnNode implements AutoCloseable {
    private static final Duration POLL_INTERVAL = Duration.ofMillis(100);
    private static final Duration ANSWER = Duration.ofSeconds(1);

    private final Path log;
    private final Path configuration;
    private final NodeSite nodeSite;
    private final ConditionPoll poll;
    private BoundProcess boundProcess;

    /**
     * Where the node runs.
     *
     * @param before the prefix of its command
     */
    record NodeSite(String id, String address, int http, int jmx, List<String> before) {}

    /** The servers that the node connects to. */
    record Servers(String databaseUrl, String zooKeeper) {}

    OwnNode(Path home, NodeSite nodeSite, Servers servers, ConditionPoll poll) throws IOException {
        this.nodeSite = nodeSite;
        this.poll = poll;
        log = home.resolve("logs").resolve(nodeSite.id() + ".log");
        configuration = home.resolve(nodeSite.id() + ".yaml");
        Files.writeString(
                configuration,
                String.format(
                        Locale.ROOT,
                        """
                cluster: drill
                node:
                  id: %s
                http:
                  host: %s
                  port: %d
                  adminToken: admin-token
                  insecure: true
                jmx:
                  port: %d
                database:
                  url: %s
                  user: twinbell
                  password: %s
                zookeeper:
                  connect: %s
                """,
                        nodeSite.id(),
                        nodeSite.address(),
                        nodeSite.http(),
                        nodeSite.jmx(),
                        servers.databaseUrl(),
                        DevPassword.in(home),
                        servers.zooKeeper()));
    }

    /** The admin token that both nodes of a pair share. */
    static TokenSource tokens(Path home) {
        return TokenSource.in(home.resolve("admin-token"));
    }

    NodeClient client(Duration limit) {
        return new NodeClient(address(), limit, tokens(configuration.getParent()));
    }

    URI address() {
        return URI.create("http://" + nodeSite.address() + ":" + nodeSite.http());
    }

    Optional<ProcessHandle> process() {
        return Optional.ofNullable(boundProcess).flatMap(BoundProcess::process);
    }

    /** Starts the node without waiting for it. */
    void launch() throws IOException {
        close();
        List<String> command = new ArrayList<>(nodeSite.before());
        command.addAll(ProcessCommands.node(configuration));
        boundProcess = BoundProcess.start(log, command);
    }

    /**
     * Runs the command {@code doctor} with the node's configuration and returns its output; fails if the command fails.
     */
    String doctor(String... arguments) throws IOException {
        List<String> command = new ArrayList<>(nodeSite.before());
        command.addAll(ProcessCommands.doctor(configuration, List.of(arguments)));
        return SystemCommands.output(command);
    }

    /** Starts the node; returns when it is ready. */
    void start() throws IOException, DrillException {
        launch();
        NodeClient client = client(ANSWER);
        poll.until(
                "node " + nodeSite.id() + " is ready", POLL_INTERVAL, () -> !boundProcess.isAlive() || isReady(client));
        if (!boundProcess.isAlive()) {
            throw new DrillException.Failed("node " + nodeSite.id() + " ended during its start; see " + log);
        }
    }

    private static boolean isReady(NodeClient client) throws NodeException {
        JsonNode answer = client.get("/health/ready");
        return answer.hasNonNull("role");
    }

    @Override
    public void close() throws IOException {
        if (boundProcess != null) {
            boundProcess.close();
            boundProcess = null;
        }
    }
}
