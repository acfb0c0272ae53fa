package io.twinbell.node.simulation;

import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.Schedule;
import io.twinbell.node.task.TaskReader;
import io.twinbell.ops.check.Grounds;
import io.twinbell.ops.check.Plan;
import io.twinbell.ops.check.Policies;
import io.twinbell.ops.check.WatchedTask;
import io.twinbell.persistence.task.Task;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** What a task owes, through all its edits as they were committed. */
final class WatchedPlan {
    private final long id;
    private final String name;
    private final Policies policies;
    private final boolean followsTheRun;
    private final List<Plan.Stage> past = new ArrayList<>();
    private final List<Grounds.Change> changes = new ArrayList<>();
    private Schedule schedule;
    private long firstMillis;
    private long removedMillis = Long.MAX_VALUE;

    WatchedPlan(Task task, Policies policies) {
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

    /** Fires once. */
    boolean isOnce() {
        return schedule.firesOnce();
    }

    void edited(SimulatedTaskStore.Edited edit) {
        changes.add(Grounds.Change.at(edit.nowMillis()));
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
            past.add(new Plan.Stage(timetable(), until));
            schedule = schedule(after);
            firstMillis = after.progress().nextFireMillis().getAsLong();
        }
    }

    private Plan.Timetable timetable() {
        if (schedule.firesOnce()) {
            return new Plan.Once(firstMillis);
        }
        return new Plan.Grid(firstMillis, schedule.next(firstMillis) - firstMillis);
    }

    private Plan plan() {
        if (followsTheRun) {
            return new Plan.Chain(firstMillis, schedule.afterRun(firstMillis) - firstMillis);
        }
        if (past.isEmpty()) {
            return timetable();
        }
        List<Plan.Stage> stages = new ArrayList<>(past);
        stages.add(new Plan.Stage(timetable(), Long.MAX_VALUE));
        return new Plan.Stages(stages);
    }

    /** @param left the task as it was left, or null if it is gone */
    WatchedTask watched(Task left, long stoppedMillis) {
        OptionalLong stands =
                left == null ? OptionalLong.empty() : left.progress().nextFireMillis();
        long owedUntil = left == null ? removedMillis : stoppedMillis;
        return new WatchedTask(id, name, plan(), policies, new WatchedTask.Watch(owedUntil, stands, changes));
    }
}
