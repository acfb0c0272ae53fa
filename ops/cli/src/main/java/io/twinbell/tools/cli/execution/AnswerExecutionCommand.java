package io.twinbell.tools.cli.execution;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.CommandInput;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Base of the commands by which a receiver answers the call of a parked execution. */
abstract class AnswerExecutionCommand implements Callable<Integer> {
    private static final String TOKEN = "TWINBELL_CALLBACK_TOKEN";
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @Spec
    private CommandSpec spec;

    @Parameters(paramLabel = "ID", description = "The id in the call's header Twinbell-Callback.")
    private String id;

    @Option(
            names = "--callback-token-file",
            paramLabel = "FILE",
            description = "File with the token of the call's header Twinbell-Callback-Token; - is standard input."
                    + " Default: the variable " + TOKEN
                    + ".")
    private String tokenFile;

    @Option(
            names = "--checkpoint",
            paramLabel = "JSON|@FILE",
            description = "State for the next attempt, at most 64 KiB.")
    private String checkpoint;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    private final String action;

    /** @param action what is posted, the last part of the path */
    AnswerExecutionCommand(String action) {
        this.action = action;
    }

    /** Adds the members of this command. */
    abstract void add(ObjectNode body, CommandInput input);

    /** What happened, for people. */
    abstract String line(JsonNode answer);

    @Override
    public final Integer call() throws NodeException {
        CommandInput input = new CommandInput(spec.commandLine());
        ObjectNode body = JsonNodeFactory.instance.objectNode();
        add(body, input);
        if (checkpoint != null) {
            body.set("checkpoint", input.json("--checkpoint", checkpoint));
        }
        String token = token(input);
        String path = ExecutionsCommand.EXECUTIONS + "/" + QueryString.encoded(id) + "/" + action;
        JsonNode answer = nodes.once(LIMIT, node -> node.answerCallback(path, token, body));
        if (output.isDocument()) {
            output.document(spec.commandLine().getOut(), answer);
        } else {
            spec.commandLine().getOut().println(line(answer));
        }
        return 0;
    }

    /** The token is no option, because other users of the machine can read the arguments of a command. */
    private String token(CommandInput input) {
        if (tokenFile == null) {
            String token = System.getenv(TOKEN);
            if (token == null || token.isBlank()) {
                throw new ParameterException(
                        spec.commandLine(), "Set " + TOKEN + " or --callback-token-file to the token of the call");
            }
            return token.strip();
        }
        String token = input.read(tokenFile).strip();
        if (token.isEmpty() || token.lines().count() > 1) {
            throw new ParameterException(
                    spec.commandLine(), "--callback-token-file: " + tokenFile + " must have one line, the token");
        }
        return token;
    }
}
