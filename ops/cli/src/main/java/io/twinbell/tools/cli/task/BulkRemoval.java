package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.client.NodeException;
import java.io.PrintWriter;

/**
 * Removes one part of the tasks that a filter selects. If a node stops answering, the other one gets the same request,
 * which removes what the first one left.
 */
record BulkRemoval(NodeAddresses nodes, PrintWriter err) implements BulkChange.Part {
    @Override
    public JsonNode ask(String path) throws NodeException {
        return nodes.repeatable(BulkChange.PART, this::unanswered, node -> node.delete(path));
    }

    private void unanswered(NodeException.Unreachable cause) {
        err.println(cause.getMessage() + "; the count leaves out what this node has removed since its last answer");
        err.flush();
    }
}
