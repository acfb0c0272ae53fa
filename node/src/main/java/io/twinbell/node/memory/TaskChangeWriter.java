package io.twinbell.node.memory;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.compile.store.SkippedRange;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskContent;
import io.twinbell.persistence.task.TaskProgress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Writes decided changes of tasks, as {@code TaskWrites} and {@code TaskInsert} do. */
final class TaskChangeWriter {
    /** A claim may be made this far ahead. */
    private static final long SOON_MILLIS = Duration.ofSeconds(5).toMillis();

    private static final int USUAL_PRIORITY = 5;
    private static final int HIGHEST_PRIORITY = 9;

    private final MemoryTables tables;
    private final Consumer<TaskContent> check;

    TaskChangeWriter(MemoryTables tables, Consumer<TaskContent> check) {
        this.tables = tables;
        this.check = check;
    }

    /** Returns the id. The name is free. */
    long insert(NewTask task) {
        return insert(tables.nextId(), task);
    }

    /** Returns the id, which was reserved. The name is free. */
    long insert(long id, NewTask task) {
        long now = tables.nowMillis();
        TaskProgress fresh = task.progress();
        boolean hasFired = fresh.nextFireMillis().isPresent()
                && fresh.nextFireMillis().getAsLong() < now + SOON_MILLIS
                && hasFiredBefore(task.content(), fresh.nextFireMillis().getAsLong());
        TaskProgress progress = hasFired ? claimed(fresh) : fresh;
        tables.put(new Task(id, 1, task.content(), progress, now, now), (byte) task.priority());
        tables.listener().taskChanged(id);
        return id;
    }

    /** A task that is created again under an old name does not fire again at an instant that this name had. */
    private boolean hasFiredBefore(TaskContent content, long fireMillis) {
        List<Long> earlier = tables.removedIds.getOrDefault(content.key(), List.of());
        return earlier.stream().anyMatch(id -> tables.row(new Slot(id, fireMillis)) != null)
                || tables.passed.stream()
                        .anyMatch(row ->
                                row.name().equals(content.key()) && row.slots().firstMillis() == fireMillis);
    }

    private static TaskProgress claimed(TaskProgress fresh) {
        return new TaskProgress(
                fresh.state(),
                fresh.reason(),
                fresh.nextFireMillis(),
                fresh.nextFireMillis(),
                fresh.pause(),
                fresh.runs(),
                fresh.offSchedule());
    }

    void remove(Task task) {
        tables.remove(task);
        tables.listener().taskChanged(task.id());
    }

    /** Returns the id of the task after the change: a finished task is replaced by another one. */
    long apply(Task task, TaskChange change) {
        if (change instanceof TaskChange.Rewrite rewrite) {
            check.accept(rewrite.content());
            rewrite(task, rewrite);
        } else if (change instanceof TaskChange.Remove remove) {
            pass(task, remove.passed());
            remove(task);
        } else if (change instanceof TaskChange.Renew renew) {
            check.accept(renew.successor().content());
            remove(task);
            return insert(renew.successor());
        }
        return task.id();
    }

    private void rewrite(Task task, TaskChange.Rewrite rewrite) {
        long now = tables.nowMillis();
        boolean isNew = !task.content().equals(rewrite.content());
        TaskProgress wanted = rewrite.progress();
        TaskProgress progress = new TaskProgress(
                wanted.state(),
                wanted.reason(),
                wanted.nextFireMillis(),
                task.progress().previousFireMillis(),
                wanted.pause(),
                task.progress().runs(),
                wanted.offSchedule());
        Task changed = new Task(
                task.id(),
                task.version() + 1,
                rewrite.content(),
                progress,
                task.createdAtMillis(),
                isNew ? now : task.updatedAtMillis());
        tables.put(changed, priority(rewrite.content().definition()));
        recordSkippedRange(task, changed, now);
        pass(task, rewrite.passed());
        for (long fireMillis : rewrite.caughtUp().fireMillis()) {
            catchUp(changed, fireMillis, rewrite.caughtUp().reason());
        }
        tables.listener().taskChanged(task.id());
    }

    /** A move of the next fire time to a later one begins a skipped range; the next move ends it. */
    private void recordSkippedRange(Task before, Task after, long now) {
        boolean isMoved =
                !before.progress().nextFireMillis().equals(after.progress().nextFireMillis());
        if (!isMoved) {
            return;
        }
        if (before.progress().offSchedule()) {
            tables.skippedRanges.replaceAll(range ->
                    range.taskId() == before.id() && range.untilMillis() > now + 1 ? until(range, now + 1) : range);
        }
        OptionalLong next = after.progress().nextFireMillis();
        if (after.progress().offSchedule() && next.isPresent()) {
            long from = Math.max(now, after.progress().previousFireMillis().orElse(now));
            tables.skippedRanges.add(new SkippedRange(
                    after.id(), after.content().key(), after.content().definition(), from, next.getAsLong()));
        }
    }

    private static SkippedRange until(SkippedRange range, long millis) {
        return new SkippedRange(range.taskId(), range.name(), range.definition(), range.afterMillis(), millis);
    }

    private void pass(Task task, Optional<PassedSlots> slots) {
        slots.ifPresent(some -> {
            tables.passed.add(
                    new MemoryTables.PassedRow(task.id(), task.content().key(), some));
            tables.listener().ledgerChanged();
        });
    }

    private void catchUp(Task task, long fireMillis, String reason) {
        MemoryRow row = new MemoryRow(
                new Slot(task.id(), fireMillis),
                task.content().app(),
                task.content().name(),
                ExecutionState.PENDING);
        row.reason = reason;
        row.origin = "BACKFILLED";
        row.inTurn = true;
        tables.enter(row);
        tables.listener().ledgerChanged();
    }

    /** The priority in a stored definition, as {@code twinbell.priority} reads it. */
    private static byte priority(String definition) {
        JsonNode priority = StrictJson.readStored(definition).path("priority");
        return (byte)
                (priority.isNumber() ? Math.max(0, Math.min(HIGHEST_PRIORITY, priority.asInt())) : USUAL_PRIORITY);
    }
}
