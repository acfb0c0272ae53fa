package io.twinbell.tools.cli;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;

/** Does the same with several things: each is told of by itself, and one that fails keeps no other from being done. */
final class BulkAction {
    private final CommandLine line;
    private final CommandOutput output;

    BulkAction(CommandLine line, CommandOutput output) {
        this.line = line;
        this.output = output;
    }

    /** Does it with one of them. */
    interface Deed<T> {
        Done to(T thing) throws NodeException;
    }

    /** What a node answered, for programs and for people. */
    record Done(JsonNode answer, String told) {}

    /**
     * @return the exit code: that of the first failure, or 0
     * @throws NodeException if no node answers: then none of the others would be done either
     */
    <T> int each(List<T> things, Deed<T> deed) throws NodeException {
        ArrayNode answers = JsonNodeFactory.instance.arrayNode();
        PrintWriter out = line.getOut();
        int exitCode = 0;
        for (T thing : things) {
            try {
                Done done = deed.to(thing);
                answers.add(done.answer());
                if (!output.isDocument()) {
                    out.println(done.told());
                    out.flush();
                }
            } catch (NodeException.Unreachable e) {
                throw e;
            } catch (NodeException e) {
                TwinbellCommand.tell(e, line.getErr());
                exitCode = exitCode == 0 ? e.exitCode() : exitCode;
            }
        }
        if (output.isDocument()) {
            output.document(out, answers);
        }
        return exitCode;
    }
}
