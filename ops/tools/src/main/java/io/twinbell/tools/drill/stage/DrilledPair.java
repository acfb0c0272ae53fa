package io.twinbell.tools.drill.stage;

import io.twinbell.tools.devpair.DatabaseOperator;
import io.twinbell.tools.devpair.ElectionOperator;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The pair that a drill is made on: its addresses, its processes and its servers, all on this machine. */
public interface DrilledPair {
    List<String> NODES = List.of("a", "b");

    static String other(String node) {
        return NODES.get(1 - NODES.indexOf(node));
    }

    /** What it is called in messages. */
    Path run();

    URI address(String node);

    default List<URI> addresses() {
        return NODES.stream().map(this::address).toList();
    }

    /** Where the nodes reach what listens on this process's side. */
    String receiverHost();

    /** @throws DrillException.Refused if they are not those that were started with the pair */
    LocalServers servers() throws IOException, DrillException.Refused;

    /** The process of a node, if it runs. */
    Optional<ProcessHandle> process(String node) throws IOException;

    /** Starts a node that does not run, and returns when it is ready. */
    void start(String node) throws IOException, DrillException;

    /** The database, as its superuser. */
    DatabaseOperator database() throws IOException;

    /** The election, as whoever reaches ZooKeeper may see and change it. */
    ElectionOperator election();
}
