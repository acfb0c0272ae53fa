package io.twinbell.node.explain;

import io.twinbell.node.engine.task.DstMark;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskState;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Explains why a task ran, did not run, or will run at an instant. The ledger comes first: where it has a row, the row
 * is the explanation. Otherwise the current definition and the state of the pair explain why there is none.
 */
public final class SlotExplainer {
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
    private final NearestFireTimes nearest;

    /**
     * Why a task ran, did not run, or will run at an instant.
     *
     * @param sentence the explanation for people
     * @param fireMillis the fire time that the explanation is about; empty if the instant is not a fire time
     * @param previousMillis the fire time before the instant by the current definition, if known
     * @param nextMillis the fire time after the instant by the current definition, if known
     */
    public record SlotExplanation(
            SlotCause cause,
            String sentence,
            OptionalLong fireMillis,
            OptionalLong previousMillis,
            OptionalLong nextMillis) {
        private SlotExplanation with(String more) {
            return new SlotExplanation(cause, sentence + more, fireMillis, previousMillis, nextMillis);
        }
    }

    private SlotExplainer(SlotQuestion question, SlotFacts facts) {
        this.question = question;
        this.facts = facts;
        task = facts.task();
        schedule = facts.definition().parsed() == null
                ? null
                : facts.definition().parsed().schedule();
        nearest = NearestFireTimes.of(question, schedule, task);
    }

    public static SlotExplanation explain(SlotQuestion question, SlotFacts facts) {
        SlotExplainer explainer = new SlotExplainer(question, facts);
        return explainer.withOthers(explainer.withExpiry(explainer.explain()));
    }

    /** Says that the question covers other slots too, and which one is explained. */
    private SlotExplanation withOthers(SlotExplanation plain) {
        int slots = facts.evidence().slots();
        if (slots < 2 || plain.fireMillis().isEmpty()) {
            return plain;
        }
        String number = slots == SlotFacts.Evidence.MOST_SLOTS ? slots + " or more" : String.valueOf(slots);
        return plain.with(" The time asked about has " + number + " slots; this explains that of "
                + text(plain.fireMillis().getAsLong()) + ". Ask to the second or millisecond for another.");
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
        return plain.with(" It expires at " + text(plain.fireMillis().getAsLong() + expireAfter.toMillis())
                + " unless it starts before.");
    }

    private SlotExplanation explain() {
        if (facts.row() != null && !isOfAnotherLocal()) {
            RowExplanation row = RowExplanation.of(facts, question);
            String shift = question.missingLocal() == null ? "" : NoFireTimeExplainer.missing(question) + " ";
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
        if (schedule == null) {
            return none(
                    SlotCause.TASK_ERROR,
                    "The definition of the task cannot be read, so it does not fire: "
                            + facts.definition().error() + ".");
        }
        OptionalLong fire = fire();
        return fire.isPresent()
                ? ofFireTime(fire.getAsLong())
                : new NoFireTimeExplainer(question, facts, nearest).explain();
    }

    /** Whether the question is about a local time that does not exist, and the row about the first one after the gap. */
    private boolean isOfAnotherLocal() {
        if (question.missingLocal() == null || schedule == null) {
            return false;
        }
        OptionalLong fire = fireTime(question, schedule);
        return fire.isPresent() && !isShiftedTo(fire.getAsLong());
    }

    /** Whether the local time of the question does not exist, and its slot fires at this instant instead. */
    private boolean isShiftedTo(long fire) {
        return schedule.mark(fire) == DstMark.SHIFTED
                && new NoFireTimeExplainer(question, facts, nearest).hasMissingLocal();
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
        if (question.missingLocal() != null && !isShiftedTo(fire)) {
            return new NoFireTimeExplainer(question, facts, nearest).ofMissingLocal();
        }
        SlotExplanation plain = fire > facts.situation().nowMillis() ? ofFuture(fire) : ofPast(fire);
        if (question.missingLocal() == null) {
            return plain;
        }
        SlotCause cause = plain.cause() == SlotCause.WILL_FIRE ? SlotCause.SHIFTED_BY_CLOCK_CHANGE : plain.cause();
        return at(cause, NoFireTimeExplainer.missing(question) + " " + plain.sentence(), fire);
    }

    private SlotExplanation ofFuture(long fire) {
        if (task.progress().state() == TaskState.ERROR) {
            return at(SlotCause.TASK_ERROR, StateSentence.inError(task.progress()) + ".", fire);
        }
        if (task.progress().state() == TaskState.FINISHED) {
            return at(
                    SlotCause.FINISHED, "The task is finished and does not fire any more" + whyFinished() + ".", fire);
        }
        if (isPausedAt(task, fire)) {
            return at(
                    SlotCause.TASK_PAUSED,
                    StateSentence.paused(task.progress(), facts.evidence().pause(), question)
                            + ". It will be SKIPPED unless the task is resumed before.",
                    fire);
        }
        Optional<Pause> pause = facts.situation().pauseOf(fire);
        if (pause.isPresent()) {
            return at(
                    SlotCause.FIRING_PAUSED,
                    StateSentence.firingPaused(pause.get(), question)
                            + ". It will be SKIPPED unless firing is resumed before.",
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
        String noMaster = facts.situation().noMaster() == null
                ? ""
                : " No node is master now: " + facts.situation().noMaster() + ".";
        return at(SlotCause.WILL_FIRE, "The task will fire at " + text(fire) + "." + noMaster, fire);
    }

    private boolean isBeyondRuns(long fire, OptionalLong next) {
        long left = facts.definition().parsed().maxRuns() - task.progress().runs();
        if (next.isEmpty() || left > Integer.MAX_VALUE - 1) {
            return false;
        }
        return schedule.overdue(next.getAsLong(), fire, (int) left + 1).count() > left;
    }

    private SlotExplanation ofPast(long fire) {
        OptionalLong next = task.progress().nextFireMillis();
        boolean isPassed = next.isEmpty() || fire < next.getAsLong();
        for (Map.Entry<String, Long> deleted : facts.situation().deleted().entrySet()) {
            if (isPassed && fire < deleted.getValue()) {
                return at(
                        SlotCause.DELETED_BY_RETENTION,
                        "Retention has deleted " + deleted.getKey() + " rows before " + text(deleted.getValue()) + ".",
                        fire);
            }
        }
        if (isPassed && isBeforePlan(fire)) {
            return at(
                    SlotCause.BEFORE_EDIT,
                    "The timing of the task was set later, at "
                            + text(facts.definition().planned().atMillis())
                            + ".",
                    fire);
        }
        if (task.progress().state() == TaskState.ERROR) {
            return at(SlotCause.TASK_ERROR, StateSentence.inError(task.progress()) + ".", fire);
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
            return at(SlotCause.FINISHED, "The task was finished before" + whyFinished() + ".", fire);
        }
        return at(
                SlotCause.UNACCOUNTED,
                "The ledger has no row for this fire time although it should. Run twinbell verify.",
                fire);
    }

    private SlotExplanation ofDue(long fire) {
        SlotFacts.Situation situation = facts.situation();
        if (task.progress().state() == TaskState.PAUSED) {
            return at(
                    SlotCause.TASK_PAUSED,
                    StateSentence.paused(task.progress(), facts.evidence().pause(), question)
                            + ". The slot is recorded as SKIPPED on resume.",
                    fire);
        }
        Optional<Pause> pause = situation.pauseOf(fire);
        if (pause.isPresent()) {
            String paused = StateSentence.firingPaused(pause.get(), question);
            return at(SlotCause.FIRING_PAUSED, paused + ". The slot is recorded as SKIPPED.", fire);
        }
        String since = "The slot has been due for " + duration(situation.nowMillis() - fire);
        if (situation.noMaster() != null) {
            return at(SlotCause.NO_MASTER, since + ", and no node is master: " + situation.noMaster() + ".", fire);
        }
        if (!situation.fullLimits().isEmpty()) {
            return at(
                    SlotCause.WAITS_FOR_LIMIT,
                    since + ", and waits for room under the limit " + situation.fullLimitWords() + ".",
                    fire);
        }
        if (situation.isAtQuota()) {
            return at(
                    SlotCause.WAITS_FOR_LIMIT,
                    since + ", and waits because its app has used its quotas.firesPerMinute.",
                    fire);
        }
        return at(SlotCause.WAITS_FOR_CLAIM, since + "; the master has not claimed it yet.", fire);
    }

    private String whyFinished() {
        return StateSentence.whyFinished(
                task.progress(), facts.definition().parsed().maxRuns());
    }

    static boolean isPausedAt(Task task, long fire) {
        return task.progress().state() == TaskState.PAUSED
                && fire <= task.progress().pause().untilMillis().orElse(Long.MAX_VALUE);
    }

    private String text(long millis) {
        return question.text(millis);
    }

    static String duration(long millis) {
        Duration duration = Duration.ofMillis(millis);
        return duration.toString().substring(2).toLowerCase(Locale.ROOT);
    }

    private SlotExplanation none(SlotCause cause, String sentence) {
        return new SlotExplanation(cause, sentence, OptionalLong.empty(), nearest.before(), nearest.after());
    }

    private SlotExplanation at(SlotCause cause, String sentence, long fireMillis) {
        return new SlotExplanation(cause, sentence, OptionalLong.of(fireMillis), nearest.before(), nearest.after());
    }
}
