package io.twinbell.node.api;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Instants;
import io.twinbell.node.schedule.Window;
import io.twinbell.persistence.ledger.Execution;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** Writes an execution as the contract shows it, and reads its id: the slot is its identity. */
final class ExecutionJson {
    private ExecutionJson() {}

    static String id(Execution execution) {
        return execution.slots().taskId() + "-" + execution.slots().fireMillis();
    }

    /** Empty if it is not the id of any execution. */
    static Optional<Slot> slot(String id) {
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

    /** Nothing fires outside, and the database could not even tell such a time. */
    private static boolean isPossible(Slot slot) {
        return slot.fireTimeMillis() >= Window.EARLIEST && slot.fireTimeMillis() <= Window.LATEST;
    }

    /** Without what may be long. */
    static ObjectNode brief(Execution execution) {
        ObjectNode json = answer(execution);
        json.remove(List.of("output", "error", "note"));
        return json;
    }

    static ObjectNode answer(Execution execution) {
        Execution.Slots slots = execution.slots();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", id(execution));
        json.put("taskId", slots.taskId());
        json.put("app", execution.app());
        json.put("name", execution.name());
        json.put("fireTime", Instants.text(slots.fireMillis()));
        if (slots.untilFireMillis().isPresent()) {
            json.put("untilFireTime", text(slots.untilFireMillis()));
            json.put("slots", slots.count());
        }
        json.put("state", execution.state().name());
        json.put("attempt", execution.claim().attempt());
        json.put("node", execution.claim().node());
        json.put("epoch", number(execution.claim().epoch()));
        json.put("claimedAt", text(execution.times().claimedMillis()));
        json.put("startedAt", text(execution.times().startedMillis()));
        json.put("endedAt", text(execution.times().endedMillis()));
        json.put("latenessMillis", number(execution.latenessMillis()));
        outcome(json, execution.outcome());
        return json;
    }

    private static void outcome(ObjectNode json, Execution.Outcome outcome) {
        json.put("output", outcome.output());
        json.put("error", outcome.error());
        json.put("reason", outcome.reason());
        if (outcome.note() != null) {
            json.put("note", outcome.note());
        }
    }

    private static Long number(OptionalLong value) {
        return value.isPresent() ? Long.valueOf(value.getAsLong()) : null;
    }

    private static String text(OptionalLong millis) {
        return millis.isPresent() ? Instants.text(millis.getAsLong()) : null;
    }
}
