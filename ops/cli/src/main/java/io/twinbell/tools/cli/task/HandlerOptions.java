package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.CommandInput;
import java.util.List;
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

    @Option(names = "--callback", description = "The receiver of --http answers 202, and posts the outcome later.")
    private boolean callback;

    @Option(names = "--secret", paramLabel = "NAME", description = "Sign the calls of --http with this secret.")
    private String secret;

    @Option(
            names = "--signature",
            paramLabel = "SCHEME",
            description = "How --secret signs: TWINBELL or STANDARD_WEBHOOKS. Default: TWINBELL.")
    private String signature;

    @Option(
            names = "--cloud-events",
            paramLabel = "MODE",
            description = "Make each call of --http a CloudEvent: BINARY or STRUCTURED.")
    private String cloudEvents;

    @Option(
            names = "--profile",
            paramLabel = "NAME",
            description = "Make the calls of --http by this profile of the nodes' configuration.")
    private String profile;

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

    /** Accepts any text. Even an empty one has a meaning for this option. */
    static final class AnyText implements ITypeConverter<String> {
        @Override
        public String convert(String text) {
            return text;
        }
    }

    /** Whether one of the options is given. */
    public boolean isGiven() {
        return Stream.of(url, sql, shell, java, log).anyMatch(one -> one != null) || describesCall();
    }

    private boolean describesCall() {
        return Stream.of(method, body, secret, signature, cloudEvents, profile).anyMatch(one -> one != null)
                || callback
                || !headers.isEmpty();
    }

    /** Adds the handler to the task. */
    public void into(ObjectNode task) {
        long kinds = Stream.of(url, sql, shell, java, log)
                .filter(kind -> kind != null)
                .count();
        if (kinds != 1) {
            throw new ParameterException(
                    spec.commandLine(), "Give one handler: --http, --sql, --shell, --java or --log");
        }
        if (url == null && describesCall()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "--method, --header, --body, --callback, --secret, --signature, --cloud-events and --profile"
                            + " require --http");
        }
        ObjectNode handler = task.putObject("handler");
        if (url != null) {
            http(handler);
        } else if (sql != null) {
            handler.put("type", "sql").put("statement", new CommandInput(spec.commandLine()).text(sql));
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
        if (callback) {
            handler.put("completion", "CALLBACK");
        }
        if (secret != null) {
            handler.putObject("secret").put("ref", secret);
        }
        if (signature != null) {
            handler.put("signature", signature);
        }
        if (cloudEvents != null) {
            handler.put("cloudEvents", cloudEvents);
        }
        if (profile != null) {
            handler.put("profile", profile);
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
