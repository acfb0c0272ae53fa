package io.twinbell.node.task;

import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskProgress;
import io.twinbell.persistence.task.TaskState;
import java.util.Optional;
import java.util.OptionalLong;

/**
 * Computes a task's next fire time after a calendar that it respects has changed. A due slot that the calendars still
 * allow is kept, and so is a fire time that was set by hand. Every other next fire time is recomputed from the
 * schedule, later than now and later than the last claimed slot.
 */
final class Recalculation {
    private static final String PASSED_OVER = "passed over when a calendar changed, before it was claimed";

    private final Task current;
    private final long nowMillis;
    private final Calendars calendars;
    private final long afterMillis;

    Recalculation(Task current, long nowMillis, Calendars calendars) {
        this.current = current;
        this.nowMillis = nowMillis;
        this.calendars = calendars;
        afterMillis =
                Math.max(nowMillis, current.progress().previousFireMillis().orElse(Long.MIN_VALUE));
    }

    TaskChange decide() {
        Schedule schedule;
        try {
            schedule = NextFireTimeChange.schedule(current, calendars);
        } catch (InvalidJsonException e) {
            return TaskChanges.unreadable(current, e.getMessage());
        }
        TaskProgress was = current.progress();
        TaskProgress progress = progress(schedule, was);
        if (progress.equals(was)) {
            return new TaskChange.Confirm(schedule.calendars());
        }
        return new TaskChange.Rewrite(
                current.content(), progress, passedSlots(schedule), Optional.of(schedule.calendars()), true);
    }

    private TaskProgress progress(Schedule schedule, TaskProgress was) {
        if (was.state() == TaskState.FINISHED) {
            return SlotDecision.NOTHING_LEFT.equals(was.reason()) ? standing(schedule.next(afterMillis), was) : was;
        }
        if (was.nextFireMillis().isEmpty()) {
            return was;
        }
        long stands = was.nextFireMillis().getAsLong();
        return keepsFireTime(schedule, stands, was.offSchedule()) ? was : standing(next(schedule, stands), was);
    }

    private boolean keepsFireTime(Schedule schedule, long stands, boolean offSchedule) {
        if (!schedule.allows(stands)) {
            return false;
        }
        boolean setByHand = offSchedule || !schedule.followsTheRun() && !schedule.mayFireAt(stands);
        return stands <= nowMillis || setByHand;
    }

    /** The next fire time. One that depends on a run is not later than if a run had ended now. */
    private long next(Schedule schedule, long stands) {
        long next = schedule.next(afterMillis);
        return schedule.followsTheRun() && stands > afterMillis ? Math.min(schedule.letThrough(stands), next) : next;
    }

    private TaskProgress standing(long next, TaskProgress was) {
        if (next == Schedule.NEVER) {
            return was.at(TaskState.FINISHED, SlotDecision.NOTHING_LEFT, OptionalLong.empty());
        }
        TaskProgress goesOn = was.at(TaskState.ACTIVE, null, OptionalLong.of(next));
        return switch (was.state()) {
            case PAUSED -> goesOn.paused(was.reason(), was.pause());
            case ERROR -> goesOn.in(TaskState.ERROR, was.reason());
            default -> goesOn;
        };
    }

    /** Returns the due, unclaimed slots that the calendars allow and that the new fire time skips. */
    private Optional<PassedSlots> passedSlots(Schedule schedule) {
        OptionalLong stood = current.progress().nextFireMillis();
        if (stood.isEmpty() || stood.getAsLong() > nowMillis || schedule.followsTheRun()) {
            return Optional.empty();
        }
        long first = schedule.next(stood.getAsLong() - 1);
        return first > nowMillis
                ? Optional.empty()
                : PassedSlotFinder.from(first, schedule, current, nowMillis, PASSED_OVER);
    }
}
