package io.twinbell.node.alert;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.alert.store.AlertStore.AlertSelection;
import io.twinbell.node.engine.task.Retry;
import io.twinbell.node.engine.task.RetryCodes;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.NearestName;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.node.task.reader.ErrorCodeReader;
import io.twinbell.node.task.reader.HttpCallReader;
import io.twinbell.node.task.reader.HttpMethods;
import io.twinbell.node.task.reader.RetryReader;
import io.twinbell.node.template.Values;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Parses the JSON of an alert into a definition and a normalized text with all defaults, or rejects it with all its
 * errors.
 */
public final class AlertReader {
    static final int MAX_BYTES = 64 * 1024;

    private static final int MAX_TEXT = 200;
    private static final int MAX_TAG = 100;
    private static final int MAX_DESCRIPTION = 1000;
    private static final int MAX_COUNT = 1000;
    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration MAX_GATHER = Duration.ofMinutes(5);
    private static final Duration MAX_TIMEOUT = Duration.ofMinutes(5);
    private static final Retry RETRY =
            new Retry(10, Duration.ofSeconds(5), 2, Duration.ofMinutes(5), 0.1, RetryCodes.ALL);
    private static final List<String> NAMES =
            Arrays.stream(AlertEventType.values()).map(AlertEventType::name).toList();

    private final List<FieldError> errors = new ArrayList<>();
    private final ObjectNode normalized = JsonNodeFactory.instance.objectNode();
    private final Fields fields;
    private final Calendars calendars;

    private AlertReader(JsonNode alert, Calendars calendars) {
        this.fields = Fields.of(alert, "", errors);
        this.calendars = calendars;
    }

    /** @param content the text to store: the alert with all defaults */
    public record ReadAlert(AlertDefinition definition, String content, AlertSelection selection) {}

    /**
     * Validates and parses an alert.
     *
     * @param calendars the calendars that a silence may name
     * @throws InvalidJsonException with all errors
     */
    public static ReadAlert read(JsonNode alert, Calendars calendars) {
        ReadAlert read = new AlertReader(alert, calendars).read();
        HttpMethods.refusal(read.definition().webhook().call().method()).ifPresent(detail -> {
            throw new InvalidJsonException("/webhook/method", detail);
        });
        return read;
    }

    /**
     * Parses a stored alert.
     *
     * @throws InvalidJsonException if it cannot be read
     */
    public static AlertDefinition stored(String content) {
        return new AlertReader(StrictJson.readStored(content), null).read().definition();
    }

    private ReadAlert read() {
        String description = fields.line("description", MAX_DESCRIPTION);
        if (description != null) {
            normalized.put("description", description);
        }
        Boolean enabled = fields.bool("enabled");
        boolean isOn = enabled == null || enabled;
        normalized.put("enabled", isOn);
        Set<AlertEventType> occasions = occasions();
        Set<AlertEventType> on = isOn ? occasions : EnumSet.noneOf(AlertEventType.class);
        List<String> errorCodes = errorCodes(occasions);
        AlertSelection.TaskCondition tasks = tasks();
        TaskExpectations watch = TaskExpectations.read(fields, normalized, occasions, tasks);
        AlertDefinition.Threshold threshold = threshold();
        AlertDefinition.DeliveryPace pace = pace();
        AlertDefinition.Webhook webhook = webhook();
        Retry retry = RetryReader.read(fields.object("retry"), normalized.putObject("retry"), RETRY);
        AlertSilence silence = AlertSilence.read(fields, normalized, calendars);
        fields.refuseUnknown();
        String content = StrictJson.write(normalized);
        if (errors.isEmpty() && content.getBytes(StandardCharsets.UTF_8).length > MAX_BYTES) {
            errors.add(new FieldError("", "has more than " + MAX_BYTES + " bytes"));
        }
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
        return new ReadAlert(
                new AlertDefinition(on, watch, threshold, pace, webhook, retry, silence),
                content,
                new AlertSelection(
                        on.stream().map(AlertEventType::name).toList(), errorCodes, tasks, silence.calendars()));
    }

    private Set<AlertEventType> occasions() {
        Set<AlertEventType> on = EnumSet.noneOf(AlertEventType.class);
        JsonNode given = fields.required("on");
        if (given == null) {
            return on;
        }
        if (!given.isArray() || given.isEmpty() || given.size() > NAMES.size()) {
            fields.error("on", "must be a list of " + NAMES);
            return on;
        }
        ArrayNode written = normalized.putArray("on");
        for (int i = 0; i < given.size(); i++) {
            String name = given.get(i).textValue();
            if (!NAMES.contains(name == null ? "" : name)) {
                fields.errorBelow(
                        "/on/" + i, "must be one of " + NAMES + (name == null ? "" : NearestName.hint(name, NAMES)));
            } else if (!on.add(AlertEventType.valueOf(name))) {
                fields.errorBelow("/on/" + i, "is named twice");
            } else {
                written.add(name);
            }
        }
        return on;
    }

    private List<String> errorCodes(Set<AlertEventType> occasions) {
        List<String> codes = ErrorCodeReader.read(fields, "errorCodes");
        if (!codes.isEmpty() && !occasions.contains(AlertEventType.FAILED)) {
            fields.error("errorCodes", "is allowed only with the event FAILED, which alone has an error code");
        }
        ErrorCodeReader.write(normalized, "errorCodes", codes);
        return codes;
    }

    private AlertSelection.TaskCondition tasks() {
        Fields given = fields.object("tasks");
        if (given == null) {
            return new AlertSelection.TaskCondition(null, null, null, null);
        }
        AlertSelection.TaskCondition tasks = new AlertSelection.TaskCondition(
                given.line("app", MAX_TEXT),
                given.line("name", MAX_TEXT),
                given.line("tag", MAX_TAG),
                given.line("owner", MAX_TEXT));
        given.refuseUnknown();
        ObjectNode written = normalized.putObject("tasks");
        put(written, "app", tasks.app());
        put(written, "name", tasks.name());
        put(written, "tag", tasks.tag());
        put(written, "owner", tasks.owner());
        return tasks;
    }

    private static void put(ObjectNode written, String name, String value) {
        if (value != null) {
            written.put(name, value);
        }
    }

    private AlertDefinition.Threshold threshold() {
        Fields given = fields.object("threshold");
        if (given == null) {
            return null;
        }
        given.required("count");
        given.required("within");
        Long count = given.integer("count", 1, MAX_COUNT);
        Duration within = given.duration("within", SECOND, DAY);
        given.refuseUnknown();
        if (count == null || within == null) {
            return null;
        }
        normalized.putObject("threshold").put("count", count).put("within", within.toString());
        return new AlertDefinition.Threshold(count.intValue(), within);
    }

    private AlertDefinition.DeliveryPace pace() {
        Duration gather = or(fields.duration("gather", Duration.ZERO, MAX_GATHER), SECOND);
        Duration every = or(fields.duration("every", SECOND, DAY), Duration.ofMinutes(1));
        normalized.put("gather", gather.toString()).put("every", every.toString());
        return new AlertDefinition.DeliveryPace(gather, every);
    }

    private static Duration or(Duration given, Duration otherwise) {
        return given == null ? otherwise : given;
    }

    /** By default a POST with the whole alert message as JSON. */
    private AlertDefinition.Webhook webhook() {
        JsonNode given = fields.required("webhook");
        if (!(given instanceof ObjectNode members)) {
            if (given != null) {
                fields.error("webhook", "must be a JSON object");
            }
            return null;
        }
        ObjectNode whole = members.deepCopy();
        if (!whole.hasNonNull("method")) {
            whole.put("method", "POST");
        }
        boolean hasNoBody = List.of("GET", "HEAD").contains(whole.path("method").asText());
        if (!whole.hasNonNull("body") && !hasNoBody) {
            whole.put("body", "${alert}");
            if (!whole.hasNonNull("headers")) {
                whole.putObject("headers").put("Content-Type", "application/json");
            }
        }
        Fields webhook = Fields.of(whole, "/webhook", errors);
        ObjectNode written = normalized.putObject("webhook");
        Duration timeout = or(webhook.duration("timeout", SECOND, MAX_TIMEOUT), Duration.ofSeconds(10));
        HandlerSpec.HttpCall call =
                HttpCallReader.readWebhook(webhook, written, Values.sampleOfAlert(AlertMessage.sample()));
        written.put("timeout", timeout.toString());
        webhook.refuseUnknown();
        return new AlertDefinition.Webhook(call, timeout);
    }
}
