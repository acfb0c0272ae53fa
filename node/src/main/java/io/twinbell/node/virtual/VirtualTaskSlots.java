package io.twinbell.node.virtual;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.api.slot.ExplainedSlot;
import io.twinbell.node.api.slot.TaskSlots;
import io.twinbell.node.execution.store.ExecutionQueries.ManualRun;
import io.twinbell.node.explain.SlotQuestion;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.task.Task;
import java.time.ZoneId;
import java.util.Optional;
import java.util.OptionalLong;

/** The operations on slots in virtual time: runs by hand, lists and reruns. */
record VirtualTaskSlots(VirtualNode node, VirtualExecutions executions) implements TaskSlots {
    @Override
    public Writers writers() {
        return new Writers(executions, executions, this::ping);
    }

    @Override
    public TaskSlots writingTo(Writers writers) {
        throw VirtualNode.absent("database whose transaction a call could join");
    }

    @Override
    public Optional<Slot> trigger(Task task, ManualRun run) {
        return Optional.of(node.trigger(task, run.reason(), run.data()));
    }

    @Override
    public Optional<ObjectNode> backfill(Task task, ObjectNode body) {
        throw VirtualNode.absent("backfill");
    }

    @Override
    public int cancelBackfill(long taskId) {
        throw VirtualNode.absent("backfill");
    }

    @Override
    public OptionalLong ping(long taskId) {
        throw VirtualNode.absent("pings");
    }

    @Override
    public ZoneId zone(Task task) {
        throw VirtualNode.absent("explanations");
    }

    @Override
    public ExplainedSlot explain(Task task, SlotQuestion question) {
        throw VirtualNode.absent("explanations");
    }
}
