package io.twinbell.node.api.slot;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.explain.SlotExplainer.SlotExplanation;
import io.twinbell.node.explain.SlotQuestion;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.task.Task;

/**
 * The explanation of an instant, with what it is about.
 *
 * @param task null if it was removed
 * @param row the ledger row that covers the instant; null if there is none
 * @param earlierDefinition JSON of the definition under which the row was claimed; null if the task still has it, or it
 *     is not known
 */
public record ExplainedSlot(
        long taskId,
        Task task,
        SlotQuestion question,
        SlotExplanation explanation,
        Execution row,
        String earlierDefinition) {
    /** The JSON of the HTTP API. */
    public ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("taskId", taskId);
        json.put("app", app());
        json.put("name", name());
        json.put("at", Instants.text(question.fromMillis()));
        json.put("zone", question.zone().getId());
        json.put("cause", explanation.cause().name());
        boolean isEdited = task != null && earlierDefinition != null;
        json.put("sentence", explanation.sentence() + (isEdited ? " The task had another definition then." : ""));
        json.put("fireTime", ExecutionJson.instantOrNull(explanation.fireMillis()));
        json.put("previousFireTime", ExecutionJson.instantOrNull(explanation.previousMillis()));
        json.put("nextFireTime", ExecutionJson.instantOrNull(explanation.nextMillis()));
        json.set("execution", row == null ? null : ExecutionJson.whole(row));
        if (earlierDefinition != null) {
            json.set("definition", StrictJson.readStored(earlierDefinition));
        }
        return json;
    }

    private String app() {
        if (task != null) {
            return task.content().app();
        }
        return row == null ? null : row.app();
    }

    private String name() {
        if (task != null) {
            return task.content().name();
        }
        return row == null ? null : row.name();
    }
}
