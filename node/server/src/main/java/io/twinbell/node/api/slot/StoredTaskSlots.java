package io.twinbell.node.api.slot;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.api.cluster.ClusterView;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.execution.store.ExecutionQueries.ManualRun;
import io.twinbell.node.explain.SlotQuestion;
import io.twinbell.node.json.Instants;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.task.Task;
import java.time.ZoneId;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;

/** The operations on the slots of one task, on the stores of a node. The routes of the API use it too. */
public final class StoredTaskSlots implements TaskSlots {
    /** The maximum number of fire times that the answer to a backfill lists. */
    private static final int SHOWN = 100;

    private final ApiStores stores;
    private final Writers writers;
    private final ExplanationReader explanations;

    public StoredTaskSlots(ApiStores stores, ClusterView cluster) {
        this(
                stores,
                new Writers(stores.executions(), stores.requests(), stores.pings()),
                new ExplanationReader(stores, cluster));
    }

    private StoredTaskSlots(ApiStores stores, Writers writers, ExplanationReader explanations) {
        this.stores = stores;
        this.writers = writers;
        this.explanations = explanations;
    }

    @Override
    public Writers writers() {
        return writers;
    }

    @Override
    public TaskSlots writingTo(Writers others) {
        return new StoredTaskSlots(stores, others, explanations);
    }

    @Override
    public Optional<Slot> trigger(Task task, ManualRun run) {
        return new TaskTrigger(writers.executions())
                .run(task, stores.calendars().fresh(), run)
                .map(execution ->
                        ExecutionJson.slot(ExecutionJson.id(execution)).orElseThrow());
    }

    @Override
    public Optional<ObjectNode> backfill(Task task, ObjectNode body) {
        BackfillBody wish = BackfillBody.read(body, stores.clock().nowMillis(), stores.successesKept());
        List<Long> slots = BackfillSlots.of(
                task, wish.fromMillis(), wish.untilMillis(), stores.calendars().fresh());
        return writers.requests().backfill(task.id(), slots, wish.backfill()).map(entered -> {
            ObjectNode answer = JsonNodeFactory.instance.objectNode();
            answer.put("taskId", task.id());
            answer.put("dryRun", wish.backfill().dryRun());
            answer.put("slots", slots.size());
            answer.put("entered", entered.size());
            ArrayNode fireTimes = answer.putArray("fireTimes");
            entered.stream().limit(SHOWN).map(Instants::text).forEach(fireTimes::add);
            return answer;
        });
    }

    @Override
    public int cancelBackfill(long taskId) {
        return writers.requests().cancelBackfill(taskId, "the backfill was cancelled");
    }

    @Override
    public OptionalLong ping(long taskId) {
        return writers.pings().ping(taskId);
    }

    @Override
    public ZoneId zone(Task task) {
        return ExplanationReader.zone(task);
    }

    @Override
    public ExplainedSlot explain(Task task, SlotQuestion question) {
        return explanations.explain(task.id(), task, question);
    }
}
