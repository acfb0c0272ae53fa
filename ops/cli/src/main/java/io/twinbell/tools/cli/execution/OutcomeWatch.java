package io.twinbell.tools.cli.execution;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.client.CommandClock;
import io.twinbell.tools.client.NodeException;
import java.time.Duration;
import java.util.Set;

/** Polls an execution until it has ended. */
public final class OutcomeWatch {
    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(100);
    private static final Duration LOOK = Duration.ofSeconds(5);
    private static final Set<String> UNDER_WAY = Set.of("PENDING", "CLAIMED", "RUNNING", "RETRYING");

    private final NodeAddresses nodes;
    private final CommandClock clock = new CommandClock();

    public OutcomeWatch(NodeAddresses nodes) {
        this.nodes = nodes;
    }

    /** The execution as last read; it may still be under way. */
    public JsonNode await(String id, Duration limit) throws NodeException {
        long began = clock.nanos();
        JsonNode seen = readExecution(id);
        while (UNDER_WAY.contains(seen.path("state").asText())
                && clock.since(began).compareTo(limit) < 0
                && !Thread.currentThread().isInterrupted()) {
            clock.sleep(BETWEEN_LOOKS);
            seen = readExecution(id);
        }
        return seen;
    }

    private JsonNode readExecution(String id) throws NodeException {
        return nodes.repeatable(LOOK, node -> node.get("/api/v1/executions/" + QueryString.encoded(id)));
    }
}
