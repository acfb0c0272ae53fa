package io.twinbell.tools.cli.option;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Option;

/** Options for the person who requests a change and the reason; both are recorded with the change. */
public final class RequestedBy {
    @Option(names = "--reason", paramLabel = "TEXT", description = "The reason; it is recorded.")
    private String reason;

    @Option(
            names = "--by",
            paramLabel = "NAME",
            defaultValue = "${sys:user.name}",
            description = "Who requests this. Default: ${DEFAULT-VALUE}.")
    private String by;

    /** A request body that contains them. */
    public ObjectNode body() {
        ObjectNode body = JsonNodeFactory.instance.objectNode().put("by", by);
        if (reason != null) {
            body.put("reason", reason);
        }
        return body;
    }
}
