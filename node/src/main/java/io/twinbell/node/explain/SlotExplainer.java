package io.twinbell.node.explain;

import io.twinbell.node.schedule.Schedule;
import io.twinbell.node.schedule.zone.DstMark;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskState;
import java.time.Duration;
import java.time.Instant;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Explains why a task ran, did not run, or will run at an instant. The ledger comes first: where it has a row, the row
 * is the explanation. Otherwise the current definition and the state of the pair explain why there is none.
 */
public final class SlotExplainer {
    private static final DateTimeFormatter LOCAL = DateTimeFormatter.ofPattern("uuuu-MM-dd HH:mm:ss", Locale.ROOT);

    private static final Set<SlotCause> MAY_EXPIRE = EnumSet.of(
            SlotCause.WILL_FIRE,
            SlotCause.NO_MASTER,
            SlotCause.WAITS_FOR_CLAIM,
            SlotCause.WAITS_FOR_LIMIT,
            SlotCause.WAITS_FOR_HANDLER,
            SlotCause.WAITS_FOR_RUN);

    private final SlotQuestion question;
    private final SlotFacts facts;
    private final Task task;
    private final Schedule schedule;

    private SlotExplainer(SlotQuestion question, SlotFacts facts) {
        this.question = question;
        this.facts = facts;
        task = facts.task();
        schedule = facts.definition().parsed() == null
                ? null
                : facts.definition().parsed().schedule();
    }

    public static SlotExplanation explain(SlotQuestion question, SlotFacts facts) {
        SlotExplainer explainer = new SlotExplainer(question, facts);
        return explainer.withExpiry(explainer.explain());
    }

    /** Adds until when a slot that has not started yet may start. */
    private SlotExplanation withExpiry(SlotExplanation plain) {
        Duration expireAfter = facts.definition().parsed() == null
                ? null
                : facts.definition().parsed().expireAfter();
        boolean isRequested = facts.row() != null
                && (facts.row().isRequested() || facts.row().claim().attempt() > 1);
        if (expireAfter == null
                || isRequested
                || !MAY_EXPIRE.contains(plain.cause())
                || plain.fireMillis().isEmpty()) {
            return plain;
        }
        String expiry = " It expires at " + text(plain.fireMillis().getAsLong() + expireAfter.toMillis())
                + " unless it starts before.";
        return new SlotExplanation(
                plain.cause(),
                plain.sentence() + expiry,
                plain.fireMillis(),
                plain.previousMillis(),
                plain.nextMillis());
    }

    private SlotExplanation explain() {
        if (facts.row() != null) {
            RowExplanation row = RowExplanation.of(facts, question);
            String shift = question.missingLocal() == null ? "" : missing() + " ";
            boolean isShifted = question.missingLocal() != null && row.cause() == SlotCause.RAN;
            return at(
                    isShifted ? SlotCause.SHIFTED_BY_CLOCK_CHANGE : row.cause(),
                    shift + row.sentence(),
                    facts.row().slots().fireMillis());
        }
        if (task == null) {
            return none(SlotCause.TASK_REMOVED, "The task was removed, and the ledger has no row for this instant.");
        }
        if (question.untilMillis() <= task.createdAtMillis()) {
            return none(
                    SlotCause.BEFORE_CREATION, "The task was created later, at " + text(task.createdAtMillis()) + ".");
        }
        if (facts.definition().waitsForScheduleType()) {
            return none(
                    SlotCause.WAITS_FOR_SCHEDULE_TYPE,
                    "The node that answers cannot compute the fire times of the task, because "
                            + facts.definition().error() + ". Slots that are due wait for a master that can.");
        }
        if (schedule == null) {
            return none(
                    SlotCause.TASK_ERROR,
                    "The definition of the task cannot be read, so it does not fire: "
                            + facts.definition().error() + ".");
        }
        OptionalLong fire = fire();
        return fire.isPresent() ? ofFireTime(fire.getAsLong()) : ofNoFireTime();
    }

    /** The fire time that is meant: one of the schedule, or a next fire time that was set by hand. */
    private OptionalLong fire() {
        OptionalLong next = task.progress().nextFireMillis();
        return next.isPresent() && question.covers(next.getAsLong()) ? next : fireTime(question, schedule);
    }

    /** The first fire time of the schedule in the span of the question; with jitter, that of the given instant. */
    public static OptionalLong fireTime(SlotQuestion question, Schedule schedule) {
        if (schedule.followsTheRun()) {
            return OptionalLong.empty();
        }
        long first = schedule.next(question.fromMillis() - 1);
        if (question.covers(first)) {
            return OptionalLong.of(first);
        }
        long delayed = schedule.fireFor(question.fromMillis());
        return delayed == Schedule.NEVER ? OptionalLong.empty() : OptionalLong.of(delayed);
    }

    private SlotExplanation ofFireTime(long fire) {
        if (question.missingLocal() != null && schedule.mark(fire) != DstMark.SHIFTED) {
            return ofMissingLocal();
        }
        SlotExplanation plain = fire > facts.situation().nowMillis() ? ofFuture(fire) : ofPast(fire);
        if (question.missingLocal() == null) {
            return plain;
        }
        SlotCause cause = plain.cause() == SlotCause.WILL_FIRE ? SlotCause.SHIFTED_BY_CLOCK_CHANGE : plain.cause();
        return at(cause, missing() + " " + plain.sentence(), fire);
    }

    private SlotExplanation ofFuture(long fire) {
        if (task.progress().state() == TaskState.ERROR) {
            return at(SlotCause.TASK_ERROR, "The task is in state ERROR and does not fire" + reason() + ".", fire);
        }
        if (task.progress().state() == TaskState.FINISHED) {
            return at(SlotCause.FINISHED, "The task is finished and does not fire any more" + reason() + ".", fire);
        }
        if (isPausedAt(fire)) {
            return at(
                    SlotCause.TASK_PAUSED, paused() + ". It will be SKIPPED unless the task is resumed before.", fire);
        }
        if (facts.situation().pause() != null && facts.situation().pause().covers(fire)) {
            return at(
                    SlotCause.FIRING_PAUSED,
                    firingPaused() + ". It will be SKIPPED unless firing is resumed before.",
                    fire);
        }
        OptionalLong next = task.progress().nextFireMillis();
        if (next.isPresent() && fire < next.getAsLong()) {
            return at(
                    SlotCause.MOVED_BY_HAND,
                    "The next fire time of the task is " + text(next.getAsLong())
                            + ", so this earlier fire time is passed over.",
                    fire);
        }
        if (isBeyondRuns(fire, next)) {
            return at(
                    SlotCause.FINISHED,
                    "The task may run " + facts.definition().parsed().maxRuns() + " times and has run "
                            + task.progress().runs() + " times; its last run comes before this fire time.",
                    fire);
        }
        return at(SlotCause.WILL_FIRE, "The task will fire at " + text(fire) + ".", fire);
    }

    private boolean isBeyondRuns(long fire, OptionalLong next) {
        long left = facts.definition().parsed().maxRuns() - task.progress().runs();
        if (next.isEmpty() || left > Integer.MAX_VALUE - 1) {
            return false;
        }
        return schedule.overdue(next.getAsLong(), fire, (int) left + 1).count() > left;
    }

    private SlotExplanation ofPast(long fire) {
        if (task.progress().state() == TaskState.ERROR) {
            return at(SlotCause.TASK_ERROR, "The task is in state ERROR and does not fire" + reason() + ".", fire);
        }
        for (Map.Entry<String, Long> deleted : facts.situation().deleted().entrySet()) {
            if (fire < deleted.getValue()) {
                return at(
                        SlotCause.DELETED_BY_RETENTION,
                        "Retention has deleted " + deleted.getKey() + " rows before " + text(deleted.getValue()) + ".",
                        fire);
            }
        }
        OptionalLong next = task.progress().nextFireMillis();
        boolean isPassed = next.isEmpty() || fire < next.getAsLong();
        if (isPassed && isBeforePlan(fire)) {
            return at(
                    SlotCause.BEFORE_EDIT,
                    "The timing of the task was set later, at "
                            + text(facts.definition().planned().atMillis())
                            + "; the definition that applied then is not kept.",
                    fire);
        }
        return isPassed ? ofPassed(fire) : ofDue(fire);
    }

    private boolean isBeforePlan(long fire) {
        return facts.definition().planned() != null
                && fire < facts.definition().planned().fromMillis().orElse(Long.MIN_VALUE);
    }

    /** A fire time before the task's next one must have a row, unless the task ended before it. */
    private SlotExplanation ofPassed(long fire) {
        if (task.progress().state() == TaskState.FINISHED) {
            return at(SlotCause.FINISHED, "The task was finished before" + reason() + ".", fire);
        }
        return at(
                SlotCause.UNACCOUNTED,
                "The ledger has no row for this fire time although it should. Run twinbell verify.",
                fire);
    }

    private SlotExplanation ofDue(long fire) {
        SlotFacts.Situation situation = facts.situation();
        if (task.progress().state() == TaskState.PAUSED) {
            return at(SlotCause.TASK_PAUSED, paused() + ". The slot is recorded as SKIPPED on resume.", fire);
        }
        if (situation.pause() != null && situation.pause().covers(fire)) {
            return at(SlotCause.FIRING_PAUSED, firingPaused() + ". The slot is recorded as SKIPPED.", fire);
        }
        String since = "The slot has been due for " + duration(situation.nowMillis() - fire);
        if (situation.noMaster() != null) {
            return at(SlotCause.NO_MASTER, since + ", and no node is master: " + situation.noMaster() + ".", fire);
        }
        if (!situation.fullLimits().isEmpty()) {
            return at(
                    SlotCause.WAITS_FOR_LIMIT,
                    since + ", and waits for room under the limit " + String.join(" and ", situation.fullLimits())
                            + ".",
                    fire);
        }
        return at(SlotCause.WAITS_FOR_CLAIM, since + "; the master has not claimed it yet.", fire);
    }

    private SlotExplanation ofNoFireTime() {
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
                            + nearest() + ".");
        }
        if (isSecondOccurrence()) {
            return none(
                    SlotCause.SKIPPED_BY_CLOCK_CHANGE,
                    "The clocks went back, so this local time occurred twice; the task fires at its first occurrence"
                            + nearest() + ".");
        }
        if (schedule.followsTheRun()) {
            return none(
                    SlotCause.NOT_A_FIRE_TIME,
                    "The fire times of this task count from the end of its runs, and none was at this instant.");
        }
        Schedule bare = schedule.withoutCalendars();
        if (bare.previous(from) == Schedule.NONE_BEFORE) {
            return none(SlotCause.BEFORE_START, "The schedule starts later" + nearest() + ".");
        }
        if (bare.next(from - 1) == Schedule.NEVER) {
            return none(SlotCause.AFTER_END, "The schedule has no fire time after that" + nearest() + ".");
        }
        return none(
                SlotCause.NOT_A_FIRE_TIME,
                "This is not a fire time of the schedule (" + schedule.description() + ")" + nearest() + ".");
    }

    private String moved(long candidate) {
        long to = schedule.movedTo(candidate);
        return to == Schedule.NEVER ? "" : ", and the fire time moves to " + text(to);
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

    private SlotExplanation ofMissingLocal() {
        boolean isMeant = hasLocal(question.missingLocal());
        return none(
                isMeant ? SlotCause.SKIPPED_BY_CLOCK_CHANGE : SlotCause.NOT_A_FIRE_TIME,
                missing()
                        + (isMeant ? " The task does not fire on such a day" : " It is not a fire time of the schedule")
                        + nearest() + ".");
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

    private String missing() {
        return LOCAL.format(question.missingLocal()) + " does not exist in "
                + question.zone().getId() + ": the clocks went forward to " + text(question.fromMillis()) + ".";
    }

    private String nearest() {
        OptionalLong before = previous();
        OptionalLong after = next();
        StringBuilder text = new StringBuilder();
        before.ifPresent(millis -> text.append("; the fire time before is ").append(text(millis)));
        after.ifPresent(millis -> text.append(text.isEmpty() ? "; the fire time after is " : ", after it ")
                .append(text(millis)));
        return text.toString();
    }

    private OptionalLong previous() {
        if (schedule == null || schedule.followsTheRun()) {
            return OptionalLong.empty();
        }
        long before = schedule.previous(question.fromMillis());
        return before == Schedule.NONE_BEFORE ? OptionalLong.empty() : OptionalLong.of(before);
    }

    private OptionalLong next() {
        if (schedule == null || schedule.followsTheRun()) {
            return OptionalLong.empty();
        }
        long after = schedule.next(question.untilMillis() - 1);
        return after == Schedule.NEVER ? OptionalLong.empty() : OptionalLong.of(after);
    }

    private boolean isPausedAt(long fire) {
        return task.progress().state() == TaskState.PAUSED
                && fire <= task.progress().pause().untilMillis().orElse(Long.MAX_VALUE);
    }

    private String paused() {
        OptionalLong until = task.progress().pause().untilMillis();
        String by = task.progress().pause().by();
        return "The task is paused" + (by == null ? "" : " by " + by)
                + (until.isPresent() ? " until " + text(until.getAsLong()) : "") + reason();
    }

    private String firingPaused() {
        String key = facts.situation().pause().key();
        return (key == null ? "All firing" : "Firing of " + key) + " is paused since "
                + text(facts.situation().pause().fromMillis()) + " by "
                + facts.situation().pause().by() + ": "
                + facts.situation().pause().reason();
    }

    private String reason() {
        return task.progress().reason() == null ? "" : ": " + task.progress().reason();
    }

    private String text(long millis) {
        return question.text(millis);
    }

    static String duration(long millis) {
        Duration duration = Duration.ofMillis(millis);
        return duration.toString().substring(2).toLowerCase(Locale.ROOT);
    }

    private SlotExplanation none(SlotCause cause, String sentence) {
        return new SlotExplanation(cause, sentence, OptionalLong.empty(), previous(), next());
    }

    private SlotExplanation at(SlotCause cause, String sentence, long fireMillis) {
        return new SlotExplanation(cause, sentence, OptionalLong.of(fireMillis), previous(), next());
    }
}
