package io.twinbell.node.simulation;

import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.task.Task;
import io.twinbell.tools.check.history.OwedSlotPlan;
import io.twinbell.tools.check.history.RuleContext;
import io.twinbell.tools.check.history.TaskPolicyFacts;
import io.twinbell.tools.check.history.WatchedTask;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The slots that a task owes, through all its committed edits. */
final class WatchedPlan {
    private final long id;
    private final String name;
    private final TaskPolicyFacts policies;
    private final boolean followsTheRun;
    private final List<OwedSlotPlan.Stage> past = new ArrayList<>();
    private final List<RuleContext.Change> changes = new ArrayList<>();
    private Schedule schedule;
    private long firstMillis;
    private long removedMillis = Long.MAX_VALUE;

    WatchedPlan(Task task, TaskPolicyFacts policies) {
        id = task.id();
        name = task.content().name();
        this.policies = policies;
        schedule = schedule(task);
        followsTheRun = schedule.followsTheRun();
        firstMillis = task.progress().nextFireMillis().orElseThrow();
    }

    private static Schedule schedule(Task task) {
        return TaskReader.definition(
                        task.content().app(),
                        task.content().name(),
                        task.content().definition(),
                        Calendars.NONE)
                .schedule();
    }

    boolean followsTheRun() {
        return followsTheRun;
    }

    /** Whether the task fires once. */
    boolean isOnce() {
        return schedule.firesOnce();
    }

    void edited(SimulatedTaskStore.Edited edit) {
        changes.add(RuleContext.Change.at(edit.nowMillis()));
        if (edit.after().isEmpty()) {
            removedMillis = edit.nowMillis();
            return;
        }
        Task after = edit.after().get();
        boolean isRewritten =
                !after.content().definition().equals(edit.before().content().definition());
        if (isRewritten && after.progress().nextFireMillis().isPresent()) {
            long until = Math.max(
                    edit.nowMillis(),
                    edit.before().progress().previousFireMillis().orElse(Long.MIN_VALUE));
            past.add(new OwedSlotPlan.Stage(timetable(), until));
            schedule = schedule(after);
            firstMillis = after.progress().nextFireMillis().getAsLong();
        }
    }

    private OwedSlotPlan.Timetable timetable() {
        if (schedule.firesOnce()) {
            return new OwedSlotPlan.Once(firstMillis);
        }
        return new OwedSlotPlan.Grid(firstMillis, schedule.next(firstMillis) - firstMillis);
    }

    private OwedSlotPlan plan() {
        if (followsTheRun) {
            return new OwedSlotPlan.Chain(firstMillis, schedule.afterRun(firstMillis) - firstMillis);
        }
        if (past.isEmpty()) {
            return timetable();
        }
        List<OwedSlotPlan.Stage> stages = new ArrayList<>(past);
        stages.add(new OwedSlotPlan.Stage(timetable(), Long.MAX_VALUE));
        return new OwedSlotPlan.Stages(stages);
    }

    /** @param left the final task, or null if it was removed */
    WatchedTask watched(Task left, long stoppedMillis) {
        OptionalLong stands =
                left == null ? OptionalLong.empty() : left.progress().nextFireMillis();
        long owedUntil = left == null ? removedMillis : stoppedMillis;
        return new WatchedTask(id, name, plan(), policies, new WatchedTask.WatchPeriod(owedUntil, stands, changes));
    }
}
