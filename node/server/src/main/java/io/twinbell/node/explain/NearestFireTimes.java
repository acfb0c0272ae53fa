package io.twinbell.node.explain;

import io.twinbell.node.engine.task.Schedule;
import io.twinbell.persistence.task.Task;
import java.util.OptionalLong;

/** The fire times of the current definition before and after the span of a question; empty where there is none. */
record NearestFireTimes(OptionalLong before, OptionalLong after) {
    /** @param schedule null if the task was removed or its definition cannot be read */
    static NearestFireTimes of(SlotQuestion question, Schedule schedule, Task task) {
        if (schedule == null) {
            return new NearestFireTimes(OptionalLong.empty(), OptionalLong.empty());
        }
        if (schedule.followsTheRun()) {
            OptionalLong next = task.progress().nextFireMillis();
            boolean isAfter = next.isPresent() && next.getAsLong() >= question.untilMillis();
            return new NearestFireTimes(OptionalLong.empty(), isAfter ? next : OptionalLong.empty());
        }
        return around(question.fromMillis(), question.untilMillis(), schedule);
    }

    /** The fire times around a local time that does not exist. The first instant after the gap counts as after it. */
    static NearestFireTimes ofMissingLocal(SlotQuestion question, Schedule schedule, Task task) {
        return schedule.followsTheRun()
                ? of(question, schedule, task)
                : around(question.fromMillis(), question.fromMillis(), schedule);
    }

    private static NearestFireTimes around(long fromMillis, long untilMillis, Schedule schedule) {
        long previous = schedule.previous(fromMillis);
        long next = schedule.next(untilMillis - 1);
        return new NearestFireTimes(
                previous == Schedule.NONE_BEFORE ? OptionalLong.empty() : OptionalLong.of(previous),
                next == Schedule.NEVER ? OptionalLong.empty() : OptionalLong.of(next));
    }

    /** The end of a sentence that names them, beginning with a semicolon. */
    String text(SlotQuestion question) {
        StringBuilder text = new StringBuilder();
        before.ifPresent(millis -> text.append("; the fire time before is ").append(question.text(millis)));
        after.ifPresent(millis -> text.append(text.isEmpty() ? "; the fire time after is " : ", after it ")
                .append(question.text(millis)));
        return text.toString();
    }
}
