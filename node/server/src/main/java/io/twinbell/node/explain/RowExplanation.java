package io.twinbell.node.explain;

import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.node.engine.handler.ErrorCodes;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExplanationSource.HeartbeatGap;
import io.twinbell.node.execution.store.VerificationSource;
import io.twinbell.node.task.PassedSlotFinder;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.persistence.ledger.DoubtReasons;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.record.LedgerWait;
import java.util.OptionalLong;

/** Explains a ledger row: its state and its reason determine the cause. */
record RowExplanation(SlotCause cause, String sentence) {
    private static final int MAX_ERROR = 200;

    static RowExplanation of(SlotFacts facts, SlotQuestion question) {
        Execution row = facts.row();
        SlotCause cause = switch (row.state()) {
            case SUCCEEDED, TIMED_OUT -> SlotCause.RAN;
            case FAILED -> failed(row);
            case CLAIMED, RUNNING ->
                facts.callbackUntil().isPresent() ? SlotCause.WAITS_FOR_CALLBACK : SlotCause.RUNNING;
            case RETRYING -> SlotCause.WAITS_FOR_RETRY;
            case PENDING -> waiting(facts.waitsFor());
            case SKIPPED -> skipped(reason(row));
            case MISSED -> missed(reason(row));
            case DROPPED -> dropped(reason(row));
            case CANCELLED -> cancelled(reason(row));
        };
        return new RowExplanation(
                cause,
                origin(row, cause)
                        + sentence(cause, facts, question)
                        + pair(facts, question)
                        + range(row, question)
                        + (facts.evidence().isEntered() ? "" : " The master has not entered this in the ledger yet."));
    }

    /** The state of the pair that prevents an unfinished row from running, or its outcome from being recorded. */
    private static String pair(SlotFacts facts, SlotQuestion question) {
        ExecutionState state = facts.row().state();
        if (state.isFinal()) {
            return "";
        }
        if (facts.situation().noMaster() != null) {
            return " No node is master: " + facts.situation().noMaster() + ".";
        }
        boolean isWaiting = state == ExecutionState.PENDING || state == ExecutionState.RETRYING;
        return isWaiting
                ? facts.situation()
                        .pauseOfAll()
                        .map(pause -> " " + StateSentence.firingPaused(pause, question) + ".")
                        .orElse("")
                : "";
    }

    private static String reason(Execution row) {
        return row.outcome().reason() == null ? "" : row.outcome().reason();
    }

    private static SlotCause failed(Execution row) {
        if (reason(row).endsWith("its attempts are used up")) {
            return SlotCause.ORPHANED;
        }
        return ErrorCodes.UNREADABLE_TASK.equals(row.outcome().errorCode()) ? SlotCause.TASK_ERROR : SlotCause.RAN;
    }

    private static SlotCause waiting(String waitsFor) {
        if (waitsFor == null) {
            return SlotCause.WAITS_FOR_RUN;
        }
        return LedgerWait.isLackingHandler(waitsFor) ? SlotCause.WAITS_FOR_HANDLER : SlotCause.WAITS_FOR_LIMIT;
    }

    private static SlotCause skipped(String reason) {
        if (reason.startsWith("firing was paused by ")) {
            return SlotCause.FIRING_PAUSED;
        }
        if (reason.startsWith("then")) {
            return SlotCause.CHAIN_REFUSED;
        }
        if (reason.startsWith("paused")) {
            return SlotCause.TASK_PAUSED;
        }
        if (reason.equals(SlotDecision.RULES_CHANGED)) {
            return SlotCause.ZONE_RULES_CHANGED;
        }
        if (reason.startsWith(PassedSlotFinder.MOVED)) {
            return SlotCause.MOVED_BY_HAND;
        }
        if (reason.startsWith(HandlerOutcome.SKIPPED_BY)) {
            return SlotCause.INTERCEPTED;
        }
        return reason.endsWith(" waited already") ? SlotCause.QUEUE_FULL : SlotCause.OVERLAP;
    }

    private static SlotCause missed(String reason) {
        if (reason.startsWith(SlotDecision.RESTORED)) {
            return SlotCause.RESTORED;
        }
        if (reason.startsWith(SlotDecision.TOO_OLD)) {
            return SlotCause.TOO_OLD;
        }
        if (reason.startsWith(SlotDecision.EXPIRED)) {
            return SlotCause.EXPIRED;
        }
        return reason.startsWith(TaskChanges.REMOVED) ? SlotCause.TASK_REMOVED : SlotCause.MISSED;
    }

    private static SlotCause dropped(String reason) {
        if (reason.startsWith(DoubtReasons.IN_DOUBT)) {
            return SlotCause.IN_DOUBT;
        }
        return reason.endsWith("its task is gone") ? SlotCause.TASK_REMOVED : SlotCause.ORPHANED;
    }

    private static SlotCause cancelled(String reason) {
        if (reason.endsWith(" takes its place")) {
            return SlotCause.OVERLAP;
        }
        return reason.equals("its task was removed") ? SlotCause.TASK_REMOVED : SlotCause.CANCELLED;
    }

    private static String origin(Execution row, SlotCause cause) {
        if (row.origin() == null) {
            return "";
        }
        return switch (row.origin()) {
            case "TRIGGERED" -> "It was triggered by hand. ";
            case "BACKFILLED" -> "It was backfilled. ";
            case "CAUGHT_UP" -> "A resume caught it up. ";
            default ->
                cause == SlotCause.CHAIN_REFUSED
                        ? "It was to follow another execution. "
                        : "It followed another execution. ";
        };
    }

    private static String sentence(SlotCause cause, SlotFacts facts, SlotQuestion question) {
        Execution row = facts.row();
        return switch (cause) {
            case RAN -> ran(row, question);
            case RUNNING -> running(row, question);
            case WAITS_FOR_CALLBACK ->
                "Attempt " + row.claim().attempt() + " started"
                        + at(row.times().startedMillis(), question)
                        + " and waits for its receiver to post the outcome. It times out"
                        + at(facts.callbackUntil(), question) + " without an outcome or a heartbeat.";
            case WAITS_FOR_RETRY ->
                "Attempt " + row.claim().attempt()
                        + (isSnoozed(row) ? " asked to run again later" : " failed" + error(row))
                        + ". The next attempt is due"
                        + at(row.times().dueMillis(), question) + ".";
            case WAITS_FOR_LIMIT ->
                LedgerWait.isQuota(facts.waitsFor())
                        ? "It waits because its app has used its quotas.firesPerMinute."
                        : "It waits for room under the limit "
                                + facts.situation().limitWords(facts.waitsFor()) + ".";
            case WAITS_FOR_HANDLER ->
                "It waits for a master that knows the handler " + LedgerWait.handlerKey(facts.waitsFor()) + ".";
            case WAITS_FOR_RUN -> "It is PENDING and runs as soon as nothing else of its task does.";
            case MISSED, EXPIRED -> "It is MISSED: " + reason(row) + "." + outage(facts, question);
            case TASK_PAUSED, FIRING_PAUSED -> ended(row) + pauseBegan(facts, question);
            default -> ended(row);
        };
    }

    private static String running(Execution row, SlotQuestion question) {
        String attempt = "Attempt " + row.claim().attempt() + " is " + row.state() + " on node "
                + row.claim().node();
        OptionalLong started = row.times().startedMillis();
        return attempt
                + (started.isPresent() ? " since " + question.text(started.getAsLong()) : " and has not started")
                + ".";
    }

    /** A row that ended without a run, or whose run has no outcome. */
    private static String ended(Execution row) {
        return "It is " + row.state() + error(row) + (reason(row).isEmpty() ? "" : ": " + reason(row)) + ".";
    }

    private static boolean isSnoozed(Execution row) {
        return row.claim().snoozes() > 0 && row.outcome().error() == null;
    }

    private static String ran(Execution row, SlotQuestion question) {
        StringBuilder text = new StringBuilder("Attempt ")
                .append(row.claim().attempt())
                .append(" ran on node ")
                .append(row.claim().node())
                .append(at(row.times().startedMillis(), question))
                .append(" and ")
                .append(row.state());
        OptionalLong started = row.times().startedMillis();
        OptionalLong ended = row.times().endedMillis();
        if (started.isPresent() && ended.isPresent()) {
            text.append(" after ").append(SlotExplainer.duration(ended.getAsLong() - started.getAsLong()));
        }
        text.append(error(row)).append('.');
        row.latenessMillis().ifPresent(late -> {
            if (late >= 1000 && row.claim().attempt() == 1) {
                text.append(" It started ").append(SlotExplainer.duration(late)).append(" late.");
            }
        });
        if (!reason(row).isEmpty()) {
            text.append(" Note: ").append(reason(row)).append('.');
        }
        return text.toString();
    }

    private static String at(OptionalLong millis, SlotQuestion question) {
        return millis.isPresent() ? " at " + question.text(millis.getAsLong()) : "";
    }

    /** The code and the first line of the error, in brackets. */
    private static String error(Execution row) {
        String code = row.outcome().errorCode() == null ? "" : row.outcome().errorCode();
        String error = row.outcome().error() == null ? "" : row.outcome().error();
        String line = error.strip().lines().findFirst().orElse("");
        String text = line.length() > MAX_ERROR ? line.substring(0, MAX_ERROR) + "…" : line;
        String both = code + (code.isEmpty() || text.isEmpty() ? "" : ": ") + text;
        return both.isEmpty() ? "" : " (" + both + ")";
    }

    private static String pauseBegan(SlotFacts facts, SlotQuestion question) {
        SlotFacts.PauseBegin begin = facts.evidence().pause();
        if (begin == null) {
            return "";
        }
        boolean isNamed = begin.by() == null || reason(facts.row()).contains(" by ");
        return " The pause began at " + question.text(begin.atMillis()) + (isNamed ? "" : ", by " + begin.by()) + ".";
    }

    /** Since when no master sent heartbeats, which node was master at the fire time, and which one took over after it. */
    private static String outage(SlotFacts facts, SlotQuestion question) {
        Execution row = facts.row();
        long recorded = row.times().endedMillis().orElse(Long.MAX_VALUE);
        String gap = gap(facts.evidence().gap(), question);
        VerificationSource.Opening master = null;
        for (VerificationSource.Opening opening : facts.situation().openings()) {
            if (opening.atMillis() > recorded) {
                break;
            }
            if (opening.atMillis() > row.slots().fireMillis()) {
                return gap
                        + (master == null ? "" : " " + node(master) + " was the latest master" + epoch(master) + ".")
                        + " " + node(opening) + " became master at " + question.text(opening.atMillis())
                        + epoch(opening) + ".";
            }
            master = opening;
        }
        if (master == null) {
            return gap;
        }
        return gap + " " + node(master) + " was the master" + epoch(master)
                + (gap.isEmpty() ? ", and no outage is recorded for that time." : " before and after that.");
    }

    private static String gap(HeartbeatGap gap, SlotQuestion question) {
        return gap == null
                ? ""
                : " No master sent a heartbeat from " + question.text(gap.fromMillis()) + " to "
                        + question.text(gap.untilMillis()) + ".";
    }

    private static String node(VerificationSource.Opening opening) {
        return "Node " + opening.node();
    }

    private static String epoch(VerificationSource.Opening opening) {
        return " (epoch " + opening.epoch() + ")";
    }

    private static String range(Execution row, SlotQuestion question) {
        OptionalLong until = row.slots().untilFireMillis();
        if (until.isEmpty()) {
            return "";
        }
        return " The row stands for " + row.slots().count() + " slots, from "
                + question.text(row.slots().fireMillis()) + " to " + question.text(until.getAsLong()) + ".";
    }
}
