package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.CommandInput;
import io.twinbell.tools.cli.option.DurationConverter;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** Options for the data, owner, tags and policies of a new task. */
final class PolicyOptions {
    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--data", paramLabel = "JSON|@FILE", description = "What its handler is given.")
    private String data;

    @Option(names = "--owner", paramLabel = "NAME", description = "Whose it is.")
    private String owner;

    @Option(names = "--tag", paramLabel = "TAG", description = "A tag; repeat it for each.")
    private List<String> tags = List.of();

    @Option(names = "--priority", paramLabel = "0-9", description = "Default: 5.")
    private Integer priority;

    @Option(
            names = "--timeout",
            paramLabel = "SPAN",
            converter = DurationConverter.class,
            description = "Of each attempt.")
    private Duration timeout;

    @Option(names = "--attempts", paramLabel = "COUNT", description = "How often it is tried at most. Default: 1.")
    private Integer attempts;

    @Option(
            names = "--backoff",
            paramLabel = "SPAN",
            converter = DurationConverter.class,
            description = "Between attempts. Default: 1s.")
    private Duration backoff;

    @Option(names = "--overlap", paramLabel = "POLICY", description = "SKIP (default), ALLOW, QUEUE or CANCEL_RUNNING.")
    private String overlap;

    @Option(names = "--misfire", paramLabel = "POLICY", description = "FIRE_ONCE (default), SKIP or FIRE_ALL.")
    private String misfire;

    @Option(
            names = "--misfire-after",
            paramLabel = "SPAN",
            converter = DurationConverter.class,
            description = "Default: 30s.")
    private Duration misfireAfter;

    @Option(
            names = "--on-doubt",
            paramLabel = "POLICY",
            description = "DROP, RERUN or ASK; as --orphan if it is not given.")
    private String onDoubt;

    @Option(names = "--orphan", paramLabel = "POLICY", description = "DROP (default) or RERUN.")
    private String orphan;

    @Option(names = "--concurrency-key", paramLabel = "KEY", description = "Of the limit that it shares with others.")
    private String concurrencyKey;

    @Option(
            names = "--pause-on-failure",
            paramLabel = "COUNT",
            description = "Pause it after so many failures in a row.")
    private Integer pauseOnFailure;

    @Option(names = "--then", paramLabel = "NAME", description = "A task of its app that follows its success.")
    private List<String> then = List.of();

    @Option(
            names = "--then-on-failure",
            paramLabel = "NAME",
            description = "A task of its app that follows its failure.")
    private List<String> thenOnFailure = List.of();

    @Option(names = "--paused", description = "Do not let it fire yet.")
    private boolean paused;

    boolean isGiven() {
        return Stream.of(
                                data,
                                owner,
                                priority,
                                timeout,
                                attempts,
                                backoff,
                                overlap,
                                misfire,
                                misfireAfter,
                                orphan,
                                onDoubt)
                        .anyMatch(one -> one != null)
                || concurrencyKey != null
                || pauseOnFailure != null
                || paused
                || !(tags.isEmpty() && then.isEmpty() && thenOnFailure.isEmpty());
    }

    void into(ObjectNode task) {
        put(task, "owner", owner);
        list(task, "tags", tags);
        if (paused) {
            task.put("enabled", false);
        }
        put(task, "priority", priority);
        put(task, "timeout", timeout);
        if (attempts != null || backoff != null) {
            ObjectNode retry = task.putObject("retry");
            put(retry, "maxAttempts", attempts);
            put(retry, "backoff", backoff);
        }
        if (misfire != null || misfireAfter != null) {
            ObjectNode policy = task.putObject("misfire");
            put(policy, "policy", upper(misfire));
            put(policy, "threshold", misfireAfter);
        }
        put(task, "overlap", upper(overlap));
        put(task, "orphan", upper(orphan));
        put(task, "onDoubt", upper(onDoubt));
        put(task, "concurrencyKey", concurrencyKey);
        put(task, "pauseOnFailure", pauseOnFailure);
        list(task, "then", then);
        list(task, "thenOnFailure", thenOnFailure);
        if (data != null) {
            task.set("data", new CommandInput(spec.commandLine()).json("--data", data));
        }
    }

    private static void put(ObjectNode json, String name, Object value) {
        if (value instanceof Integer number) {
            json.put(name, number);
        } else if (value != null) {
            json.put(name, value.toString());
        }
    }

    private static void list(ObjectNode json, String name, List<String> values) {
        if (!values.isEmpty()) {
            ArrayNode list = json.putArray(name);
            values.forEach(list::add);
        }
    }

    private static String upper(String choice) {
        return choice == null ? null : choice.toUpperCase(Locale.ROOT);
    }
}
