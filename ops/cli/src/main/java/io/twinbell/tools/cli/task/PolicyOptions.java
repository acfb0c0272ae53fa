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

    @Option(names = "--data", paramLabel = "JSON|@FILE", description = "Data for the handler.")
    private String data;

    @Option(names = "--owner", paramLabel = "NAME", description = "Owner of the task.")
    private String owner;

    @Option(names = "--tag", paramLabel = "TAG", description = "Tag of the task; repeatable.")
    private List<String> tags = List.of();

    @Option(names = "--priority", paramLabel = "0-9", description = "Priority. Default: 5.")
    private Integer priority;

    @Option(
            names = "--timeout",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Time limit of each attempt.")
    private Duration timeout;

    @Option(
            names = "--expire-after",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "How long after its fire time a slot may start; after that it is MISSED.")
    private Duration expireAfter;

    @Option(names = "--attempts", paramLabel = "COUNT", description = "Number of attempts at most. Default: 1.")
    private Integer attempts;

    @Option(
            names = "--backoff",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "Delay between attempts. Default: 1s.")
    private Duration backoff;

    @Option(
            names = "--retry-only-on",
            paramLabel = "CODE",
            description = "Retry only on this error code, for example HTTP_503 or HTTP_5*; repeatable.")
    private List<String> retryOnlyOn = List.of();

    @Option(
            names = "--retry-not-on",
            paramLabel = "CODE",
            description = "Do not retry on this error code, for example HTTP_404 or HTTP_4*; repeatable.")
    private List<String> retryNotOn = List.of();

    @Option(
            names = "--overlap",
            paramLabel = "POLICY",
            description = "If another run is under way: SKIP (default), ALLOW, QUEUE or CANCEL_RUNNING.")
    private String overlap;

    @Option(
            names = "--misfire",
            paramLabel = "POLICY",
            description = "After a misfire: FIRE_ONCE (default), SKIP or FIRE_ALL.")
    private String misfire;

    @Option(
            names = "--misfire-after",
            paramLabel = "DURATION",
            converter = DurationConverter.class,
            description = "A slot later than this is a misfire. Default: 30s.")
    private Duration misfireAfter;

    @Option(
            names = "--on-doubt",
            paramLabel = "POLICY",
            description = "For slots in doubt: DROP, RERUN or ASK. Default: the value of --orphan.")
    private String onDoubt;

    @Option(names = "--orphan", paramLabel = "POLICY", description = "For orphans: DROP (default) or RERUN.")
    private String orphan;

    @Option(
            names = "--concurrency-key",
            paramLabel = "KEY",
            description = "Key of the limit that the task shares with others.")
    private String concurrencyKey;

    @Option(
            names = "--pause-on-failure",
            paramLabel = "COUNT",
            description = "Pause the task after this many failures in a row.")
    private Integer pauseOnFailure;

    @Option(
            names = "--then",
            paramLabel = "NAME",
            description = "Task of the same app to run after a success; repeatable.")
    private List<String> then = List.of();

    @Option(
            names = "--then-on-failure",
            paramLabel = "NAME",
            description = "Task of the same app to run after a failure; repeatable.")
    private List<String> thenOnFailure = List.of();

    @Option(names = "--paused", description = "Create the task paused.")
    private boolean paused;

    boolean isGiven() {
        return Stream.of(
                                data,
                                owner,
                                priority,
                                timeout,
                                expireAfter,
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
                || !Stream.of(tags, retryOnlyOn, retryNotOn, then, thenOnFailure)
                        .allMatch(List::isEmpty);
    }

    void into(ObjectNode task) {
        put(task, "owner", owner);
        list(task, "tags", tags);
        if (paused) {
            task.put("enabled", false);
        }
        put(task, "priority", priority);
        put(task, "timeout", timeout);
        put(task, "expireAfter", expireAfter);
        ObjectNode retry = task.putObject("retry");
        put(retry, "maxAttempts", attempts);
        put(retry, "backoff", backoff);
        list(retry, "onlyOn", retryOnlyOn);
        list(retry, "notOn", retryNotOn);
        if (retry.isEmpty()) {
            task.remove("retry");
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
