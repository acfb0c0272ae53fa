package io.twinbell.tools.cli.option;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import picocli.CommandLine.Option;

/** The option for the reason of a change, which the audit records. */
public final class ReasonOption {
    @Option(names = "--reason", paramLabel = "TEXT", description = "The reason; the audit records it.")
    private String reason;

    /** Null if none was given. */
    public String text() {
        return reason;
    }

    /** A request body that contains the reason, if one was given. */
    public ObjectNode body() {
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        return reason == null ? body : body.put("reason", reason);
    }

    /** The path of a request without a body. */
    public String on(String path) {
        return new QueryString(path).with("reason", reason).path();
    }
}
