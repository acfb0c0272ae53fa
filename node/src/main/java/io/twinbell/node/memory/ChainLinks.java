package io.twinbell.node.memory;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.InstantFormat;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskName;
import io.twinbell.persistence.task.TaskState;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** Gives slots to the followers of executions that have ended, as {@code twinbell.follow_chains} does. */
final class ChainLinks {
    private static final int MAX_DEPTH = 100;
    private static final int MAX_RUNS = 10_000;
    private static final Set<ExecutionState> FOLLOWED =
            Set.of(ExecutionState.SUCCEEDED, ExecutionState.FAILED, ExecutionState.TIMED_OUT);

    private static final JsonNode NONE = JsonNodeFactory.instance.arrayNode();

    private final MemoryTables tables;

    ChainLinks(MemoryTables tables) {
        this.tables = tables;
    }

    /** @param changed rows whose state has just changed */
    void follow(List<MemoryRow> changed) {
        changed.stream()
                .filter(row -> FOLLOWED.contains(row.state) && tables.tasks.containsKey(row.slot.taskId()))
                .sorted(Comparator.comparingLong((MemoryRow row) -> row.endedMillis)
                        .thenComparingLong(row -> row.slot.taskId())
                        .thenComparingLong(row -> row.slot.fireTimeMillis()))
                .forEach(this::follow);
    }

    private void follow(MemoryRow row) {
        String link = row.state == ExecutionState.SUCCEEDED ? "then" : "thenOnFailure";
        String definition = tables.definition(row.slot.taskId());
        // Reading the definition of each outcome took a tenth of the time of a virtual year.
        JsonNode followers =
                definition.contains(link) ? StrictJson.readStored(definition).path(link) : NONE;
        for (JsonNode follower : followers) {
            TaskName name = new TaskName(
                    follower.path("app").textValue(), follower.path("name").textValue());
            Long id = tables.ids.get(name);
            String because = link + " of " + row.app + "/" + row.name;
            if (id == null) {
                note(row, link, name, "there is no such task");
            } else {
                enter(row, tables.tasks.get(id), because, link);
            }
        }
    }

    private void enter(MemoryRow row, Task child, String because, String link) {
        ObjectNode parent = parent(row);
        int depth = parent.path("depth").asInt();
        String refusal = depth > MAX_DEPTH
                ? "the chain ends here, " + MAX_DEPTH + " executions after its first"
                : depth > 1 ? tooMany(parent) : null;
        if (refusal != null) {
            note(row, link, child.content().key(), refusal);
            if (depth > MAX_DEPTH) {
                return;
            }
        }
        boolean isPaused = child.progress().state() == TaskState.PAUSED;
        boolean isSkipped = refusal != null || isPaused;
        MemoryRow follower = new MemoryRow(
                new Slot(child.id(), FreeSlots.first(tables, child, row.endedMillis)),
                child.content().app(),
                child.content().name(),
                isSkipped ? ExecutionState.SKIPPED : ExecutionState.PENDING);
        follower.origin = "CHAINED";
        follower.endedMillis = isSkipped ? tables.nowMillis() : null;
        follower.parent = StrictJson.write(parent);
        follower.reason = because
                + (refusal != null
                        ? ", " + refusal
                        : isPaused
                                ? ", but paused"
                                        + (child.progress().reason() == null
                                                ? ""
                                                : ": " + child.progress().reason())
                                : "");
        tables.enter(follower);
        tables.listener().ledgerChanged();
    }

    private String tooMany(ObjectNode parent) {
        JsonNode root = parent.path("root");
        long rootTask = root.path("task").path("id").asLong();
        String rootTime = root.path("fireTime").textValue();
        Slot slot = new Slot(rootTask, Instant.parse(rootTime).toEpochMilli());
        int runs = tables.chainRuns.merge(slot, 1, Integer::sum);
        return runs > MAX_RUNS
                ? "not run: " + MAX_RUNS + " runs have followed from " + rootTask + "/" + rootTime + ", and no more may"
                : null;
    }

    private static ObjectNode parent(MemoryRow row) {
        JsonNode grandparent =
                row.parent == null ? JsonNodeFactory.instance.objectNode() : StrictJson.readStored(row.parent);
        ObjectNode parent = identity(row);
        parent.put("state", row.state.name());
        parent.put("output", row.output);
        parent.put("error", row.error);
        parent.put("depth", grandparent.path("depth").asInt() + 1);
        parent.set("root", grandparent.has("root") ? grandparent.get("root") : identity(row));
        return parent;
    }

    private static ObjectNode identity(MemoryRow row) {
        ObjectNode identity = JsonNodeFactory.instance.objectNode();
        identity.putObject("task")
                .put("id", row.slot.taskId())
                .put("app", row.app)
                .put("name", row.name);
        return identity.put("fireTime", InstantFormat.text(row.slot.fireTimeMillis()));
    }

    private static void note(MemoryRow row, String link, TaskName child, String refusal) {
        String line = link + " " + child.app() + "/" + child.name() + ": " + refusal;
        row.note = row.note == null ? line : row.note + "\n" + line;
    }
}
