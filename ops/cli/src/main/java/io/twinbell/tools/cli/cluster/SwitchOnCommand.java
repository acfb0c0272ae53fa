package io.twinbell.tools.cli.cluster;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.RequestedBy;
import io.twinbell.tools.cli.option.UntilOption;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that pauses or holds something for the whole pair, with a reason and an optional end. */
abstract class SwitchOnCommand implements Callable<Integer> {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final String name;
    private final Function<JsonNode, String> line;

    @Spec
    private CommandSpec spec;

    @Mixin
    private NodeAddresses nodes;

    @Mixin
    private RequestedBy requestedBy;

    @Mixin
    private UntilOption until;

    @Mixin
    private CommandOutput output;

    /**
     * @param name the last part of the request's path, and the member of the answer
     * @param line renders the resulting state for people
     */
    SwitchOnCommand(String name, Function<JsonNode, String> line) {
        this.name = name;
        this.line = line;
    }

    @Override
    public final Integer call() throws NodeException {
        ObjectNode body = requestedBy.body();
        until.into(body);
        JsonNode state = nodes.repeatable(LIMIT, node -> send(node, body));
        output.println(spec.commandLine().getOut(), state, () -> line.apply(state));
        return 0;
    }

    /** Sends the request; returns the resulting state. */
    JsonNode send(NodeClient node, ObjectNode body) throws NodeException {
        return node.post("/api/v1/cluster/" + name, body).path(name);
    }
}
