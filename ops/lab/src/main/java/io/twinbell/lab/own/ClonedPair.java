package io.twinbell.lab.own;

import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.ConditionPoll;
import io.twinbell.tools.drill.DrillException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A clone of another pair: a copy of its PostgreSQL with an ensemble and two nodes of its own, like a staging machine.
 */
public final class ClonedPair implements Closeable {
    private static final Duration ANSWER = Duration.ofSeconds(1);

    private final Deque<Closeable> started = new ArrayDeque<>();
    private final Map<String, OwnNode> nodes = new LinkedHashMap<>();
    private final OwnDatabase database;

    private ClonedPair(OwnDatabase database) {
        this.database = database;
    }

    static ClonedPair start(Path home, Backup backup, ComponentHosts hosts, PortBlock ports, ConditionPoll poll)
            throws IOException, DrillException {
        Files.createDirectories(home.resolve("logs"));
        OwnDatabase database = new OwnDatabase(home, hosts, ports.database(), poll);
        ClonedPair clone = new ClonedPair(database);
        try {
            OwnEnsemble ensemble = new OwnEnsemble(home, hosts, ports);
            clone.started.push(ensemble::close);
            ensemble.start();
            backup.putInto(home);
            clone.started.push(database::close);
            database.start();
            for (String node : DrilledPair.NODES) {
                OwnNode.NodeSite nodeSite = new OwnNode.NodeSite(
                        node, hosts.address(node), ports.http(node), ports.jmx(node), hosts.on(node));
                String url = "jdbc:postgresql://" + database + "/twinbell";
                OwnNode started = new OwnNode(home, nodeSite, new OwnNode.Servers(url, ensemble.connect()), poll);
                clone.started.push(started::close);
                clone.nodes.put(node, started);
                started.start();
            }
            return clone;
        } catch (IOException | DrillException | RuntimeException e) {
            clone.close();
            throw e;
        }
    }

    /** Why the clone's node does not fire, by its own report; empty if firing is not paused. */
    public String pause() throws NodeException {
        return nodes.values()
                .iterator()
                .next()
                .client(ANSWER)
                .get("/api/v1/cluster")
                .path("pause")
                .path("reason")
                .asText("");
    }

    /** The number of executions under epochs that the clone opened. */
    public long runsAfter(long epoch) throws IOException {
        return database.operator().runsAfter(epoch);
    }

    /** Closes everything in the reverse order of its start. */
    @Override
    public void close() throws IOException {
        while (!started.isEmpty()) {
            started.pop().close();
        }
    }
}
