package io.twinbell.tools.cli.option;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;

/** Applies the same action to several items. Each is reported by itself, and a failure does not stop the others. */
public final class BulkAction {
    private final CommandLine line;
    private final CommandOutput output;

    public BulkAction(CommandLine line, CommandOutput output) {
        this.line = line;
        this.output = output;
    }

    /** Applies the action to one item. */
    public interface ItemAction<T> {
        ItemAnswer to(T thing) throws NodeException;
    }

    /** A node's answer, for programs and for people. */
    public record ItemAnswer(JsonNode answer, String text) {}

    /**
     * @return the exit code: that of the first failure, or 0
     * @throws NodeException if no node answers; all remaining items would fail, too
     */
    public <T> int each(List<T> things, ItemAction<T> itemAction) throws NodeException {
        ArrayNode answers = JsonNodeFactory.instance.arrayNode();
        PrintWriter out = line.getOut();
        int exitCode = 0;
        for (T thing : things) {
            try {
                ItemAnswer itemAnswer = itemAction.to(thing);
                answers.add(itemAnswer.answer());
                if (!output.isDocument()) {
                    out.println(itemAnswer.text());
                    out.flush();
                }
            } catch (NodeException.Unreachable e) {
                throw e;
            } catch (NodeException e) {
                e.print(line.getErr());
                exitCode = exitCode == 0 ? e.exitCode() : exitCode;
            }
        }
        if (output.isDocument()) {
            output.document(out, answers);
        }
        return exitCode;
    }
}
