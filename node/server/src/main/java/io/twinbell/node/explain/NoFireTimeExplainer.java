package io.twinbell.node.explain;

import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.execution.store.VerificationSource.Planned;
import io.twinbell.node.explain.SlotExplainer.SlotExplanation;
import io.twinbell.node.schedule.Window;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskState;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** Explains why an instant without a ledger row is not a fire time of the current definition. */
final class NoFireTimeExplainer {
    private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

    private final SlotQuestion question;
    private final SlotFacts facts;
    private final Task task;
    private final Schedule schedule;
    private final NearestFireTimes nearest;

    NoFireTimeExplainer(SlotQuestion question, SlotFacts facts, NearestFireTimes nearest) {
        this.question = question;
        this.facts = facts;
        this.nearest = nearest;
        task = facts.task();
        schedule = facts.definition().parsed().schedule();
    }

    SlotExplanation explain() {
        if (question.missingLocal() != null) {
            return ofMissingLocal();
        }
        long from = question.fromMillis();
        long candidate = candidate();
        List<String> excluding = candidate == Schedule.NEVER ? List.of() : schedule.excludedBy(candidate);
        if (!excluding.isEmpty()) {
            return none(
                    SlotCause.EXCLUDED_BY_CALENDAR,
                    (excluding.size() == 1 ? "The calendar " : "The calendars ") + String.join(" and ", excluding)
                            + (excluding.size() == 1 ? " excludes" : " exclude") + " this instant" + moved(candidate)
                            + nearest.text(question) + ".");
        }
        Window window = facts.definition().window();
        if (question.untilMillis() <= window.startMillis()) {
            return none(
                    SlotCause.BEFORE_START,
                    "The task starts at " + question.text(window.startMillis()) + nearest.text(question) + ".");
        }
        if (from > window.endMillis()) {
            return none(
                    SlotCause.AFTER_END,
                    "The task ends at " + question.text(window.endMillis()) + nearest.text(question) + ".");
        }
        if (isSecondOccurrence()) {
            return none(
                    SlotCause.SKIPPED_BY_CLOCK_CHANGE,
                    "The clocks went back, so this local time occurred twice; the task fires at its first occurrence"
                            + nearest.text(question) + ".");
        }
        if (schedule.followsTheRun()) {
            return ofRunFollower();
        }
        if (schedule.withoutCalendars().next(from - 1) == Schedule.NEVER) {
            return none(
                    SlotCause.AFTER_END,
                    "The schedule (" + schedule.description() + ") has no fire time after that" + nearest.text(question)
                            + ".");
        }
        return none(
                SlotCause.NOT_A_FIRE_TIME,
                "This is not a fire time of the schedule (" + schedule.description() + ")" + nearest.text(question)
                        + "." + plannedLater());
    }

    /** Explains a task whose fire times depend on its runs: only the next one can be known. */
    private SlotExplanation ofRunFollower() {
        boolean isFuture = question.fromMillis() > facts.situation().nowMillis();
        TaskState state = task.progress().state();
        if (isFuture && state == TaskState.ERROR) {
            return none(SlotCause.TASK_ERROR, StateSentence.inError(task.progress()) + ".");
        }
        if (isFuture && state == TaskState.FINISHED) {
            return none(
                    SlotCause.FINISHED,
                    "The task is finished and does not fire any more"
                            + StateSentence.whyFinished(
                                    task.progress(), facts.definition().parsed().maxRuns()) + ".");
        }
        if (isFuture && SlotExplainer.isPausedAt(task, question.fromMillis())) {
            return none(
                    SlotCause.TASK_PAUSED,
                    StateSentence.paused(task.progress(), facts.evidence().pause(), question) + ".");
        }
        return none(
                SlotCause.NOT_A_FIRE_TIME,
                "The fire times of this task count from the end of its runs, and none "
                        + (isFuture ? "is known for this instant" : "was at this instant") + nearest.text(question)
                        + ".");
    }

    private String plannedLater() {
        Planned planned = facts.definition().planned();
        boolean isLater = planned != null
                && planned.atMillis() > task.createdAtMillis()
                && question.fromMillis() < planned.atMillis();
        return isLater ? " The timing of the task was set later, at " + question.text(planned.atMillis()) + "." : "";
    }

    private String moved(long candidate) {
        long to = schedule.movedTo(candidate);
        return to == Schedule.NEVER ? "" : ", and the fire time moves to " + question.text(to);
    }

    /** The fire time that the schedule would have in the span without its calendars; NEVER if there is none. */
    private long candidate() {
        if (schedule.followsTheRun()) {
            return Schedule.NEVER;
        }
        Schedule bare = schedule.withoutCalendars();
        long fire = bare.next(question.fromMillis() - 1);
        return question.covers(fire) ? fire : bare.fireFor(question.fromMillis());
    }

    /** Whether the schedule has the local time of the question, which does not exist on that day. */
    boolean hasMissingLocal() {
        return hasLocal(question.missingLocal());
    }

    SlotExplanation ofMissingLocal() {
        boolean isMeant = hasMissingLocal();
        NearestFireTimes around = NearestFireTimes.ofMissingLocal(question, schedule, task);
        return new SlotExplanation(
                isMeant ? SlotCause.SKIPPED_BY_CLOCK_CHANGE : SlotCause.NOT_A_FIRE_TIME,
                missing(question)
                        + (isMeant ? " The task does not fire for it" : " It is not a fire time of the schedule")
                        + around.text(question) + ".",
                OptionalLong.empty(),
                around.before(),
                around.after());
    }

    private boolean isSecondOccurrence() {
        LocalDateTime local = LocalDateTime.ofEpochSecond(
                Math.floorDiv(question.fromMillis(), 1000L)
                        + question.zone()
                                .getRules()
                                .getOffset(Instant.ofEpochMilli(question.fromMillis()))
                                .getTotalSeconds(),
                0,
                ZoneOffset.UTC);
        return question.zone().getRules().getValidOffsets(local).size() > 1 && hasLocal(local);
    }

    /** Whether the schedule has this local time, whatever the clocks do. */
    private boolean hasLocal(LocalDateTime local) {
        if (facts.definition().ignoringClockChanges() == null) {
            return false;
        }
        long millis = local.toEpochSecond(ZoneOffset.UTC) * 1000;
        Schedule anyDay = facts.definition().ignoringClockChanges().schedule();
        return anyDay.next(millis - 1) < millis + (question.untilMillis() - question.fromMillis());
    }

    /** Says that the local time of the question does not exist. */
    static String missing(SlotQuestion question) {
        return LOCAL.format(question.missingLocal()) + " does not exist in "
                + question.zone().getId() + ": the clocks went forward to " + question.text(question.fromMillis())
                + ".";
    }

    private SlotExplanation none(SlotCause cause, String sentence) {
        return new SlotExplanation(cause, sentence, OptionalLong.empty(), nearest.before(), nearest.after());
    }
}
