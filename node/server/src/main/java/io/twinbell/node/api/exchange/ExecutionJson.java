package io.twinbell.node.api.exchange;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Window;
import io.twinbell.persistence.ledger.AttemptReport;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Writes executions as JSON, as the OpenAPI document defines them, and converts between slots and execution ids. */
public final class ExecutionJson {
    /**
     * In the other states the latest attempt is over and listed among the earlier attempts, or there was no attempt.
     */
    private static final Set<ExecutionState> HAS_AN_ATTEMPT = EnumSet.of(
            ExecutionState.CLAIMED,
            ExecutionState.RUNNING,
            ExecutionState.SUCCEEDED,
            ExecutionState.FAILED,
            ExecutionState.TIMED_OUT,
            ExecutionState.CANCELLED,
            ExecutionState.DROPPED);

    private ExecutionJson() {}

    public static String id(Execution execution) {
        return id(execution.slot());
    }

    public static String id(Slot slot) {
        return slot.taskId() + "-" + slot.fireTimeMillis();
    }

    /** Parses an execution id; empty if the text cannot be one. */
    public static Optional<Slot> slot(String id) {
        String[] parts = id.split("-", 2);
        try {
            return parts.length < 2
                    ? Optional.empty()
                    : Optional.of(new Slot(Long.parseLong(parts[0]), Long.parseLong(parts[1])))
                            .filter(ExecutionJson::isPossible);
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }

    /** Whether a task can fire at this time. The database cannot represent times outside these bounds. */
    public static boolean isPossible(Slot slot) {
        return slot.fireTimeMillis() >= Window.EARLIEST && slot.fireTimeMillis() <= Window.LATEST;
    }

    /** Leaves out the members that may be long. */
    public static ObjectNode brief(Execution execution) {
        ObjectNode json = answer(execution);
        json.remove(List.of("output", "error", "note"));
        return json;
    }

    public static ObjectNode answer(Execution execution) {
        Execution.Slots slots = execution.slots();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", id(execution));
        json.put("taskId", slots.taskId());
        json.put("app", execution.app());
        json.put("name", execution.name());
        json.put("fireTime", Instants.text(slots.fireMillis()));
        if (slots.untilFireMillis().isPresent()) {
            json.put("untilFireTime", instantOrNull(slots.untilFireMillis()));
            json.put("slots", slots.count());
        }
        json.put("state", execution.state().name());
        if (execution.origin() != null) {
            json.put("origin", execution.origin());
        }
        json.put("attempt", execution.claim().attempt());
        if (execution.claim().snoozes() > 0) {
            json.put("snoozes", execution.claim().snoozes());
        }
        if (execution.claim().reruns() > 0) {
            json.put("reruns", execution.claim().reruns());
        }
        json.put("node", execution.claim().node());
        json.put("epoch", numberOrNull(execution.claim().epoch()));
        json.put("claimedAt", instantOrNull(execution.times().claimedMillis()));
        json.put("startedAt", instantOrNull(execution.times().startedMillis()));
        json.put("endedAt", instantOrNull(execution.times().endedMillis()));
        json.put("latenessMillis", numberOrNull(execution.latenessMillis()));
        if (execution.state() == ExecutionState.RETRYING) {
            json.put("nextAttemptAt", instantOrNull(execution.times().dueMillis()));
        }
        if (execution.times().callbackMillis().isPresent()) {
            json.put("callbackUntil", instantOrNull(execution.times().callbackMillis()));
        }
        outcome(json, execution.outcome());
        report(json, execution.report());
        return json;
    }

    /** Includes the checkpoint, and every known attempt, oldest first. */
    public static ObjectNode whole(Execution execution) {
        ObjectNode json = answer(execution);
        String checkpoint = execution.claim().checkpoint();
        if (checkpoint != null) {
            json.set("checkpoint", StrictJson.readStored(checkpoint));
        }
        ArrayNode attempts = json.putArray("attempts");
        String earlier = execution.claim().earlierAttempts();
        if (earlier != null) {
            StrictJson.readStored(earlier).forEach(attempt -> attempts.add(attemptJson((ObjectNode) attempt)));
        }
        if (HAS_AN_ATTEMPT.contains(execution.state())
                && execution.claim().epoch().isPresent()) {
            latest(attempts.addObject(), execution);
        }
        return json;
    }

    /** Returns the attempt as stored, with its instants as text. */
    private static ObjectNode attemptJson(ObjectNode attempt) {
        for (String instant : List.of("startedAt", "endedAt")) {
            if (attempt.has(instant)) {
                attempt.put(instant, Instants.text(attempt.get(instant).longValue()));
            }
        }
        return attempt;
    }

    private static void latest(ObjectNode json, Execution execution) {
        json.put("attempt", execution.claim().attempt());
        json.put("state", execution.state().name());
        json.put("node", execution.claim().node());
        json.put("epoch", numberOrNull(execution.claim().epoch()));
        putIfAny(json, "startedAt", instantOrNull(execution.times().startedMillis()));
        putIfAny(json, "endedAt", instantOrNull(execution.times().endedMillis()));
        putIfAny(json, "error", execution.outcome().error());
        putIfAny(json, "errorCode", execution.outcome().errorCode());
        putIfAny(json, "reason", execution.outcome().reason());
    }

    private static void putIfAny(ObjectNode json, String name, String value) {
        if (value != null) {
            json.put(name, value);
        }
    }

    private static void outcome(ObjectNode json, Execution.Outcome outcome) {
        json.put("output", outcome.output());
        json.put("error", outcome.error());
        json.put("errorCode", outcome.errorCode());
        json.put("reason", outcome.reason());
        if (outcome.note() != null) {
            json.put("note", outcome.note());
        }
    }

    private static void report(ObjectNode json, AttemptReport report) {
        if (report.progress().isPresent()) {
            json.put("progress", report.progress().getAsDouble());
            json.put("progressMessage", report.message());
        }
        if (report.log() != null) {
            json.put("log", report.log());
        }
    }

    public static Long numberOrNull(OptionalLong value) {
        return value.isPresent() ? Long.valueOf(value.getAsLong()) : null;
    }

    public static String instantOrNull(OptionalLong millis) {
        return millis.isPresent() ? Instants.text(millis.getAsLong()) : null;
    }
}
