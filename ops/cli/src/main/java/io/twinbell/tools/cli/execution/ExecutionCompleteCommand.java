package io.twinbell.tools.cli.execution;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.CommandInput;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** The command {@code twinbell executions complete}: posts the outcome of a parked execution. */
@Command(
        name = "complete",
        description =
                "Posts the outcome of an execution that waits for a callback. A receiver uses it with the token of the"
                        + " call. The first outcome counts; a later one is refused.",
        footer = {
            "  TWINBELL_CALLBACK_TOKEN=tbc_… twinbell executions complete 42-1767571200000 --state SUCCEEDED --result \"42"
                    + " files\"",
            "  twinbell executions complete 42-1767571200000 --state FAILED --error @stderr.txt --callback-token-file token",
        })
final class ExecutionCompleteCommand extends AnswerExecutionCommand {
    /** The outcomes that a receiver can post. */
    enum CallbackOutcome {
        SUCCEEDED,
        FAILED
    }

    @Option(names = "--state", required = true, paramLabel = "STATE", description = "The outcome: SUCCEEDED or FAILED.")
    private CallbackOutcome state;

    @Option(
            names = "--result",
            paramLabel = "TEXT|@FILE",
            description = "The output of the execution; its first 8192 characters are kept.")
    private String result;

    @Option(names = "--error", paramLabel = "TEXT|@FILE", description = "Why it FAILED.")
    private String error;

    @Option(
            names = "--error-code",
            paramLabel = "CODE",
            description = "The kind of the error, such as NO_STOCK. Default: CALLBACK_FAILED.")
    private String errorCode;

    ExecutionCompleteCommand() {
        super("complete");
    }

    @Override
    void add(ObjectNode body, CommandInput input) {
        body.put("state", state.name());
        if (result != null) {
            body.put("output", input.text(result));
        }
        if (error != null) {
            body.put("error", input.text(error));
        }
        if (errorCode != null) {
            body.put("errorCode", errorCode);
        }
    }

    @Override
    String line(JsonNode answer) {
        return answer.path("id").asText() + " is completed: "
                + answer.path("state").asText();
    }
}
