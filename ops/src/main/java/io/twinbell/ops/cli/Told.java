package io.twinbell.ops.cli;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.ops.terminal.Output;
import picocli.CommandLine;

/** How many tasks something was done to. */
record Told(CommandLine line, Output output) {
    void count(long tasks, String done, ObjectNode document) {
        if (output.isDocument()) {
            output.document(line.getOut(), document.put("changed", tasks));
        } else {
            line.getOut().println(tasks + (tasks == 1 ? " task " : " tasks ") + done);
        }
    }
}
