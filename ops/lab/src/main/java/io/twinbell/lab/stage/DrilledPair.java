package io.twinbell.lab.stage;

import io.twinbell.lab.server.DatabaseOperator;
import io.twinbell.lab.server.ElectionOperator;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.PairSnapshot;
import io.twinbell.tools.client.TokenSource;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** The pair under drill: its addresses, processes and servers, all on this machine. */
public interface DrilledPair {
    List<String> NODES = List.of("a", "b");

    static String other(String node) {
        return NODES.get(1 - NODES.indexOf(node));
    }

    /** The pair's run directory, which also names it in messages. */
    Path run();

    URI address(String node);

    default List<URI> addresses() {
        return NODES.stream().map(this::address).toList();
    }

    /** Where the admin token of the pair is found. */
    TokenSource tokens();

    /**
     * A client of a node.
     *
     * @param limit how long an answer may take
     */
    default NodeClient client(String node, Duration limit) {
        return new NodeClient(address(node), limit, tokens());
    }

    /** The states of both nodes, each from the node's own view. */
    default PairSnapshot snapshot() {
        return PairSnapshot.of(addresses(), tokens());
    }

    /** The host name at which the nodes reach this process. */
    String receiverHost();

    /** @throws DrillException.Refused if the servers are not those that were started with the pair */
    LocalServers servers() throws IOException, DrillException.Refused;

    /** The process of a node, if it runs. */
    Optional<ProcessHandle> process(String node) throws IOException;

    /** Starts a node that is not running; returns when it is ready. */
    void start(String node) throws IOException, DrillException;

    /** Administers the database as its superuser. */
    DatabaseOperator database() throws IOException;

    /** Administers the election, with the rights of any ZooKeeper client. */
    ElectionOperator election();
}
