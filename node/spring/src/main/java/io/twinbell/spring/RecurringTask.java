package io.twinbell.spring;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.cfg.JsonNodeFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.springframework.boot.convert.DurationStyle;

/**
 * A task that code declares.
 *
 * @param key the key of its handler, which names app and task, so that each belongs to one declaration
 * @param json the task without app and name; null if the declaration is switched off
 */
record RecurringTask(String name, String key, ObjectNode json) {
    /** The tag of all these tasks. It finds the stored tasks that no node declares any more. */
    static final String TAG = "recurring";

    private static final String OBJECT_EXPECTED = "Write it as {\"overlap\":\"QUEUE\"}, for example.";

    private static final String OFF = "-";
    /** A text with two values of a member, or with something behind the object, is a mistake. Numbers keep their digits. */
    private static final JsonMapper MAPPER = JsonMapper.builder()
            .enable(
                    DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
                    DeserializationFeature.FAIL_ON_READING_DUP_TREE_KEY,
                    DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
            .disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES)
            .build();

    /** @param retry without a number of attempts, if neither the method nor the application says one */
    static RecurringTask of(
            String app,
            BeanMethod method,
            Recurring declared,
            UnaryOperator<String> resolve,
            TwinbellProperties.RetrySettings retry) {
        String given = resolve.apply(declared.name());
        String name = given.isEmpty()
                ? method.method().getDeclaringClass().getSimpleName() + "."
                        + method.method().getName()
                : given;
        String key = key(app, name);
        String cron = resolve.apply(declared.cron());
        String every = resolve.apply(declared.every());
        if (cron.isEmpty() == every.isEmpty()) {
            throw new StartRefusedException(
                    "the @Recurring task of " + method + " needs exactly one of cron and every",
                    "Set one of them, for example cron = \"30 2 * * *\" or every = \"5m\".",
                    null);
        }
        if (cron.equals(OFF) || every.equals(OFF)) {
            return new RecurringTask(name, key, null);
        }
        ObjectNode json = further(method, resolve.apply(declared.task()));
        String zone = resolve.apply(declared.zone());
        if (!zone.isEmpty() && cron.isEmpty()) {
            throw new StartRefusedException(
                    "the @Recurring task of " + method + " has a zone, which is only for cron", "Remove zone.", null);
        }
        ObjectNode schedule = json.putObject("schedule");
        if (cron.isEmpty()) {
            schedule.put("every", duration(method, every).toString());
        } else {
            schedule.put("cron", cron);
        }
        if (!zone.isEmpty()) {
            schedule.put("zone", zone);
        }
        String timeout = resolve.apply(declared.timeout());
        if (!timeout.isEmpty()) {
            json.put("timeout", duration(method, timeout).toString());
        }
        if (retry.maxAttempts() != null && !json.has("retry")) {
            json.set("retry", retry(retry));
        }
        if ((declared.exactlyOnce() || declared.rerunOrphans()) && !json.has("orphan")) {
            json.put("orphan", "RERUN");
        }
        addTag(json);
        json.putObject("handler").put("type", "java").put("key", key);
        return new RecurringTask(name, key, json);
    }

    private static ObjectNode retry(TwinbellProperties.RetrySettings retry) {
        ObjectNode json = MAPPER.createObjectNode().put("maxAttempts", retry.maxAttempts());
        if (retry.backoff() != null) {
            json.put("backoff", retry.backoff().toString());
        }
        if (retry.multiplier() != null) {
            json.put("multiplier", retry.multiplier());
        }
        if (retry.maxBackoff() != null) {
            json.put("maxBackoff", retry.maxBackoff().toString());
        }
        if (retry.jitter() != null) {
            json.put("jitter", retry.jitter());
        }
        return json;
    }

    /** Tags that are no list stay as they are, so that the check of the whole task reports them. */
    private static void addTag(ObjectNode json) {
        if (!json.hasNonNull("tags")) {
            json.putArray("tags");
        }
        if (json.get("tags") instanceof ArrayNode tags) {
            tags.add(TAG);
        }
    }

    static String key(String app, String name) {
        return "code:" + app + "/" + name;
    }

    boolean isOff() {
        return json == null;
    }

    /** The task without its calendars, which only a node knows. */
    String checkable() {
        ObjectNode copy = json.deepCopy();
        copy.remove("calendars");
        copy.remove("onExcluded");
        return copy.toString();
    }

    private static ObjectNode further(BeanMethod method, String text) {
        if (text.isEmpty()) {
            return MAPPER.createObjectNode();
        }
        try {
            if (MAPPER.readTree(text) instanceof ObjectNode object) {
                for (String own : new String[] {"schedule", "handler", "app", "name"}) {
                    if (object.has(own)) {
                        throw new StartRefusedException(
                                attributeTask(method) + " must not contain \"" + own + "\", which the starter sets",
                                "Remove it there, and use the attributes of @Recurring.",
                                null);
                    }
                }
                return object;
            }
        } catch (JsonProcessingException e) {
            throw new StartRefusedException(
                    attributeTask(method) + " is not JSON: " + e.getOriginalMessage(), OBJECT_EXPECTED, e);
        }
        throw new StartRefusedException(attributeTask(method) + " must be a JSON object", OBJECT_EXPECTED, null);
    }

    private static String attributeTask(BeanMethod method) {
        return "the attribute \"task\" of @Recurring at " + method;
    }

    private static Duration duration(BeanMethod method, String text) {
        try {
            return DurationStyle.detectAndParse(text);
        } catch (IllegalArgumentException e) {
            throw new StartRefusedException(
                    "the @Recurring task of " + method + " has \"" + text + "\" as a duration", "Use 5m or PT5M.", e);
        }
    }
}
