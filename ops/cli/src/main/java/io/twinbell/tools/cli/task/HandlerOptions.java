package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.CommandInput;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Options for the handler of a new task. */
final class HandlerOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--http", paramLabel = "URL", description = "Call this URL.")
    private String url;

    @Option(
            names = "--method",
            paramLabel = "METHOD",
            description = "HTTP method of --http. Default: GET, or POST with a body.")
    private String method;

    @Option(names = "--header", paramLabel = "'NAME: VALUE'", description = "HTTP header of --http; repeatable.")
    private List<String> headers = List.of();

    @Option(names = "--body", paramLabel = "TEXT|@FILE", description = "HTTP body of --http.")
    private String body;

    @Option(
            names = "--sql",
            paramLabel = "STATEMENT|@FILE",
            description = "Run this statement in the pair's database, exactly once for each slot.")
    private String sql;

    @Option(names = "--shell", paramLabel = "COMMAND", description = "Run this command with /bin/sh on the node.")
    private String shell;

    @Option(names = "--java", paramLabel = "KEY", description = "Run the Java handler with this key.")
    private String java;

    @Option(
            names = "--log",
            paramLabel = "TEXT",
            arity = "0..1",
            fallbackValue = "",
            converter = AnyText.class,
            description = "Write a line to the node's log.")
    private String log;

    @Option(
            names = "--handler",
            paramLabel = "JSON|@FILE",
            description = "Any handler that the API accepts, such as"
                    + " '{\"type\":\"http\",\"url\":\"https://shop/x\",\"completion\":\"CALLBACK\"}'.")
    private String other;

    /** Accepts any text. Even an empty one has a meaning for this option. */
    static final class AnyText implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            return text;
        }
    }

    boolean isGiven() {
        return Stream.of(url, sql, shell, java, log, other).anyMatch(Objects::nonNull) || describesCall();
    }

    private boolean describesCall() {
        return method != null || body != null || !headers.isEmpty();
    }

    void into(ObjectNode task) {
        CommandInput input = new CommandInput(spec.commandLine());
        if (Stream.of(url, sql, shell, java, log, other)
                        .filter(Objects::nonNull)
                        .count()
                != 1) {
            throw new ParameterException(
                    spec.commandLine(), "Give one handler: --http, --sql, --shell, --java, --log or --handler");
        }
        if (url == null && describesCall()) {
            throw new ParameterException(spec.commandLine(), "--method, --header and --body require --http");
        }
        if (other != null) {
            task.set("handler", input.json("--handler", other));
            return;
        }
        ObjectNode handler = task.putObject("handler");
        if (url != null) {
            http(handler);
        } else if (sql != null) {
            handler.put("type", "sql").put("statement", input.text(sql));
        } else if (shell != null) {
            ArrayNode command = handler.put("type", "shell").putArray("command");
            command.add("/bin/sh").add("-c").add(shell);
        } else if (java != null) {
            handler.put("type", "java").put("key", java);
        } else {
            handler.put("type", "log").put("message", log);
        }
    }

    private void http(ObjectNode handler) {
        handler.put("type", "http").put("url", url);
        if (method != null) {
            handler.put("method", method);
        }
        if (!headers.isEmpty()) {
            ObjectNode fields = handler.putObject("headers");
            for (String header : headers) {
                int colon = header.indexOf(':');
                if (colon <= 0) {
                    throw new ParameterException(
                            spec.commandLine(), "--header takes 'NAME: VALUE', not \"" + header + "\"");
                }
                fields.put(
                        header.substring(0, colon).strip(),
                        header.substring(colon + 1).strip());
            }
        }
        if (body != null) {
            handler.put("body", new CommandInput(spec.commandLine()).text(body));
        }
    }
}
