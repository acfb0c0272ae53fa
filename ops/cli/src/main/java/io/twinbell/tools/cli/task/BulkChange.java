package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.cli.option.TaskFilterOptions;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.time.Duration;
import java.util.function.Supplier;
import picocli.CommandLine;

/**
 * Applies one change to all tasks that a filter selects. A node changes as many as it can in some seconds and returns a
 * cursor. This class repeats the request until all are changed, and shows the count on standard error meanwhile.
 */
final class BulkChange {
    /** Above a node's own limit of 10 s for a part, plus its running transaction. */
    static final Duration PART = Duration.ofMinutes(1);

    private final CommandLine line;
    private final CommandOutput output;
    private final String done;

    /** @param done the past participle for reports, such as "removed" */
    BulkChange(CommandLine line, CommandOutput output, String done) {
        this.line = line;
        this.output = output;
        this.done = done;
    }

    /** Requests one part. */
    interface Part {
        JsonNode ask(String path) throws NodeException;
    }

    /** @return the number of tasks that were left out because their definitions cannot be read */
    long run(TaskFilterOptions filter, String path, Part part) throws NodeException {
        return run(() -> filter.of(path), part);
    }

    /** @param query builds the request's path without the cursor */
    long run(Supplier<QueryString> query, Part part) throws NodeException {
        long changed = 0;
        long unreadable = 0;
        String after = null;
        do {
            JsonNode answer = ask(query.get().with("after", after).path(), part, changed);
            changed +=
                    answer.path("changed").asLong() + answer.path("triggered").asLong();
            unreadable += answer.path("unreadable").asLong();
            after = answer.path("next").asText(null);
            if (after != null) {
                line.getErr().println(tasks(changed) + " so far");
                line.getErr().flush();
            }
        } while (after != null);
        if (output.isDocument()) {
            output.document(line.getOut(), JsonNodeFactory.instance.objectNode().put("changed", changed));
        } else {
            line.getOut().println(tasks(changed));
        }
        if (unreadable > 0) {
            line.getErr().println("left out, because the definition cannot be read: " + unreadable);
        }
        return unreadable;
    }

    private JsonNode ask(String path, Part part, long changed) throws NodeException {
        try {
            return part.ask(path);
        } catch (NodeException e) {
            if (changed > 0) {
                line.getErr().println(tasks(changed) + " before the error; repeat the command for the rest");
            }
            throw e;
        }
    }

    private String tasks(long changed) {
        return changed + (changed == 1 ? " task " : " tasks ") + done;
    }
}
