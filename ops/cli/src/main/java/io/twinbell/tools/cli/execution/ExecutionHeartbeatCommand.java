package io.twinbell.tools.cli.execution;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.CommandInput;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code twinbell executions heartbeat}: restarts the timeout of a parked execution. */
@Command(
        name = "heartbeat",
        description =
                "Reports the progress of an execution that waits for a callback, and restarts its timeout. A receiver"
                        + " uses it with the token of the call.",
        footer = {
            "  TWINBELL_CALLBACK_TOKEN=tbc_… twinbell executions heartbeat 42-1767571200000 --progress 0.5 --message \"21"
                    + " files\"",
        })
final class ExecutionHeartbeatCommand extends AnswerExecutionCommand {
    @Option(names = "--progress", paramLabel = "NUMBER", description = "The share of the work that is done: 0 to 1.")
    private Double progress;

    @Option(names = "--message", paramLabel = "TEXT", description = "What it is doing.")
    private String message;

    ExecutionHeartbeatCommand() {
        super("heartbeat");
    }

    @Override
    void add(ObjectNode body, CommandInput input) {
        if (progress != null) {
            body.put("progress", progress);
        }
        if (message != null) {
            body.put("message", message);
        }
    }

    @Override
    String line(JsonNode answer) {
        return answer.path("id").asText() + " times out at "
                + answer.path("expiresAt").asText() + " unless its outcome or another heartbeat arrives";
    }
}
