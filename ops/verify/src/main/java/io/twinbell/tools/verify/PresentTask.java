package io.twinbell.tools.verify;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.task.Overlap;
import io.twinbell.tools.check.history.RuleContext;
import io.twinbell.tools.check.history.TaskPolicyFacts;
import io.twinbell.tools.check.history.WalkedTask;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

/** A task as the API shows it now. */
record PresentTask(JsonNode json) {
    /** The API's default overlap policy. */
    private static final String NO_OVERLAP = "SKIP";

    long id() {
        return json.path("id").asLong();
    }

    String name() {
        return json.path("app").asText() + "/" + json.path("name").asText();
    }

    WalkedTask.TaskPosition stand(Verifier.CheckContext checkContext) {
        String state = json.path("state").asText();
        return new WalkedTask.TaskPosition(
                NodeAnswers.millis(json, "nextFireTime"),
                state.equals("PAUSED") || state.equals("ERROR"),
                checkContext.isPaused() || isUnder(checkContext.limits()));
    }

    private boolean isUnder(Set<String> limits) {
        JsonNode handler = json.path("handler");
        Stream<String> keys = Stream.of(
                json.path("concurrencyKey").asText(),
                "app:" + json.path("app").asText(),
                "handler:" + handler.path("type").asText(),
                "handler:" + handler.path("key").asText());
        Stream<String> tags =
                StreamSupport.stream(json.path("tags").spliterator(), false).map(tag -> "tag:" + tag.asText());
        return Stream.concat(keys, tags).anyMatch(limits::contains);
    }

    /**
     * The context for rules. Decisions since the last edit used the current policies. Earlier policies and people's
     * actions are not recorded.
     *
     * @param graceMillis within this time an edit certainly takes effect
     */
    RuleContext ruleContext(long graceMillis) {
        long edited = NodeAnswers.millis(json, "updatedAt").orElse(Long.MAX_VALUE - graceMillis);
        boolean isAsMade = json.path("version").asLong() == 1;
        return new RuleContext(
                policies(), edited + graceMillis, isAsMade ? List.of() : List.of(RuleContext.Change.ANY_TIME), true);
    }

    private TaskPolicyFacts policies() {
        JsonNode overlap = json.path("overlap");
        return new TaskPolicyFacts(
                json.path("orphan").asText().equals("RERUN"),
                Overlap.valueOf(overlap.path("policy").asText(overlap.asText(NO_OVERLAP))),
                json.path("retry").path("maxAttempts").asInt(1),
                millis(json.path("misfire").path("threshold")),
                millis(json.path("timeout")),
                millis(json.path("expireAfter")));
    }

    private static OptionalLong millis(JsonNode duration) {
        return duration.isTextual()
                ? OptionalLong.of(Duration.parse(duration.asText()).toMillis())
                : OptionalLong.empty();
    }
}
