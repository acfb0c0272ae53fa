package io.twinbell.node.explain;

import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.task.TaskProgress;
import java.util.OptionalLong;

/** Says why a task or all firing is paused, or why a task does not fire any more. The sentences have no full stop. */
final class StateSentence {
    private StateSentence() {}

    /** @param begin null if it is unknown when the pause began */
    static String paused(TaskProgress progress, SlotFacts.PauseBegin begin, SlotQuestion question) {
        OptionalLong until = progress.pause().untilMillis();
        String named = progress.pause().by();
        String by = named == null && begin != null ? begin.by() : named;
        return "The task is paused" + (by == null ? "" : " by " + by)
                + (begin == null ? "" : " since " + question.text(begin.atMillis()))
                + (until.isPresent() ? " until " + question.text(until.getAsLong()) : "") + reason(progress);
    }

    static String firingPaused(Pause pause, SlotQuestion question) {
        boolean hasEnd = pause.untilMillis() != Long.MAX_VALUE;
        return (pause.isStanding() ? "Firing of " + pause.key() : "All firing") + " is paused since "
                + question.text(pause.fromMillis())
                + (hasEnd ? " until " + question.text(pause.untilMillis()) : "")
                + " by " + pause.by() + ": " + pause.reason();
    }

    static String inError(TaskProgress progress) {
        return "The task is in state ERROR and does not fire" + reason(progress);
    }

    /** Why the task is finished, with a colon before it; empty if that is not known. */
    static String whyFinished(TaskProgress progress, long maxRuns) {
        return progress.runs() >= maxRuns
                ? ": it has run " + progress.runs() + " times, as often as it may"
                : reason(progress);
    }

    private static String reason(TaskProgress progress) {
        return progress.reason() == null ? "" : ": " + progress.reason();
    }
}
