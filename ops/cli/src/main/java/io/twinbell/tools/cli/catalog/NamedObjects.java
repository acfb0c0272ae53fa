package io.twinbell.tools.cli.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.PagedList;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.cli.option.ReasonOption;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * The operations that the commands for all named objects share.
 *
 * @param parent the path of their kind
 * @param plural for messages, such as "alerts"
 * @param writeLimit the time limit of a change
 */
record NamedObjects(String parent, String plural, Duration writeLimit) {

    int list(CommandSpec spec, CommandOutput output, NodeAddresses nodes, Function<JsonNode, String> line)
            throws NodeException {
        ArrayNode found = JsonNodeFactory.instance.arrayNode();
        PagedList.read(nodes, () -> new QueryString(parent), Integer.MAX_VALUE, found::add);
        output.lines(spec.commandLine(), found, "No " + plural + " found", line);
        return 0;
    }

    static String read(CommandSpec spec, Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new ParameterException(spec.commandLine(), "Can't read " + file + " as UTF-8: " + e.getMessage());
        }
    }

    JsonNode put(NodeAddresses nodes, String pathAndQuery, String type, String text) throws NodeException {
        return nodes.repeatable(writeLimit, node -> node.put(pathAndQuery, type, text));
    }

    int remove(NodeAddresses nodes, String name, ReasonOption reason) throws NodeException {
        nodes.repeatable(writeLimit, node -> node.delete(reason.on(path(name))));
        return 0;
    }

    String path(String name) {
        return parent + "/" + QueryString.encoded(name);
    }
}
