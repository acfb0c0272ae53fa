package io.twinbell.node.api.slot;

import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExplanationSource.SlotEntry;
import io.twinbell.node.explain.SlotExplainer;
import io.twinbell.node.explain.SlotFacts;
import io.twinbell.node.explain.SlotQuestion;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.task.Task;
import java.util.List;
import java.util.OptionalLong;
import java.util.SortedSet;
import java.util.TreeSet;

/** The slots that a question may be about, and the row of the one that is explained: the first planned one. */
final class SlotRows {
    private final ApiStores stores;
    private final long taskId;
    private final SlotQuestion question;
    private final Schedule schedule;
    private final Task task;
    private final List<SlotEntry> entries;

    /**
     * @param task null if it was removed
     * @param definition null if the task was removed or cannot be read
     */
    SlotRows(ApiStores stores, long taskId, SlotQuestion question, Task task, TaskDefinition definition) {
        this.stores = stores;
        this.taskId = taskId;
        this.question = question;
        this.task = task;
        schedule = definition == null ? null : definition.schedule();
        entries = stores.evidence()
                .between(taskId, question.fromMillis(), question.untilMillis(), SlotFacts.Evidence.MOST_SLOTS);
    }

    /** How many slots the span has, in the ledger and by the schedule. */
    int count() {
        SortedSet<Long> slots = new TreeSet<>();
        entries.forEach(entry -> slots.add(entry.fireMillis()));
        nextFire().ifPresent(slots::add);
        if (schedule != null && !schedule.followsTheRun()) {
            long fire = schedule.next(question.fromMillis() - 1);
            while (question.covers(fire) && slots.size() < SlotFacts.Evidence.MOST_SLOTS) {
                slots.add(fire);
                fire = schedule.next(fire);
            }
        }
        return Math.min(slots.size(), SlotFacts.Evidence.MOST_SLOTS);
    }

    /** The row that explains the question; null if there is none. */
    Execution entered() {
        OptionalLong planned = planned();
        OptionalLong entry = entries.stream()
                .filter(SlotEntry::isPlanned)
                .mapToLong(SlotEntry::fireMillis)
                .findFirst();
        // An earlier slot of the current schedule may be in a row that begins before the span.
        if (planned.isPresent() && (entry.isEmpty() || planned.getAsLong() < entry.getAsLong())) {
            Execution row = covering(planned.getAsLong());
            if (row != null) {
                return row;
            }
        }
        if (entry.isPresent()) {
            return find(entry.getAsLong());
        }
        Execution row = covering(question.fromMillis());
        if (row != null || planned.isPresent() || entries.isEmpty()) {
            return row;
        }
        // Only runs by hand and by other executions.
        return find(entries.get(0).fireMillis());
    }

    /** The row that the master will enter for the slot; null if there is none. */
    Execution unentered() {
        OptionalLong planned = planned();
        long now = stores.clock().nowMillis();
        boolean isPassed = task == null
                || planned.isPresent()
                        && planned.getAsLong() <= now
                        && planned.getAsLong()
                                < task.progress().nextFireMillis().orElse(Long.MAX_VALUE);
        long fire = planned.orElse(question.fromMillis());
        return isPassed ? stores.evidence().unentered(taskId, fire).orElse(null) : null;
    }

    /** The first planned slot of the span by the current definition. */
    private OptionalLong planned() {
        OptionalLong next = nextFire();
        OptionalLong own = schedule == null ? OptionalLong.empty() : SlotExplainer.fireTime(question, schedule);
        return next.isPresent() && (own.isEmpty() || next.getAsLong() < own.getAsLong()) ? next : own;
    }

    /** The next fire time, which may have been set by hand, if the question covers it. */
    private OptionalLong nextFire() {
        OptionalLong next =
                task == null ? OptionalLong.empty() : task.progress().nextFireMillis();
        return next.isPresent() && question.covers(next.getAsLong()) ? next : OptionalLong.empty();
    }

    private Execution covering(long millis) {
        return stores.evidence()
                .covering(taskId, millis)
                .flatMap(stores.executions()::find)
                .orElse(null);
    }

    private Execution find(long fireMillis) {
        return stores.executions().find(new Slot(taskId, fireMillis)).orElse(null);
    }
}
