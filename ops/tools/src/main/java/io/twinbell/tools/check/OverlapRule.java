package io.twinbell.tools.check;

import io.twinbell.tools.check.LedgerRow.State;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;

/**
 * What was skipped for another run of its task met one that was not over. The other one may have a later fire time: what
 * was handed back comes behind what has been claimed meanwhile.
 */
final class OverlapRule implements RowRule {
    /** From the look at the other run to the instant that is written down: a busy machine may let others go first. */
    private static final long LOOK_MILLIS = 200;
    /**
     * What is tried again, was handed over or waits in the ledger is in the way until its end is in the ledger and has
     * been read there, and the database may be slow or away meanwhile. Where the ledger itself finds a queue full, it
     * writes down the instant by its own clock, and that of a process which has slept is behind until it asks again.
     */
    static final long TOLD_MILLIS = 30_000;

    private static final long NEVER = Long.MAX_VALUE / 2;

    private final RuleContext context;
    private final Consumer<Violation> offences;
    /** Until when a run that ended at its first attempt was in the way of others of its own epoch. */
    private final Map<Long, Long> plainByEpoch = new HashMap<>();
    /** The latest start under an epoch: whatever had been in the way of that process by then was no more. */
    private final Map<Long, Long> startedByEpoch = new HashMap<>();

    private final Deque<LedgerRow> unexplained = new ArrayDeque<>();
    private long otherMillis = Long.MIN_VALUE;
    private long leftMillis = Long.MIN_VALUE;

    OverlapRule(RuleContext context, Consumer<Violation> offences) {
        this.context = context;
        this.offences = offences;
    }

    @Override
    public void before(LedgerRow row) {
        if (!row.state().saysNotRun()) {
            note(row);
        }
    }

    @Override
    public void row(LedgerRow row) {
        tellUntil(row.slot().fireMillis());
        if (!row.state().saysNotRun()) {
            note(row);
            unexplained.removeIf(this::isExplained);
        } else if (isForAnother(row)) {
            judge(row);
        }
    }

    /** All other rows of this state say that a pause or the rules of a zone were the reason. */
    private boolean isForAnother(LedgerRow row) {
        boolean isOtherwise = LedgerReasons.has(row, LedgerReasons.RULES_CHANGED)
                || context.people() && LedgerReasons.has(row, LedgerReasons.FIRING_PAUSED);
        return row.state() == State.SKIPPED
                && row.claim().isMade()
                && row.times().endedMillis().isPresent()
                && !isOtherwise;
    }

    private void judge(LedgerRow row) {
        boolean isKnown = context.knowPoliciesAt(skipped(row));
        if (isKnown && !context.policies().overlap().skips()) {
            tell(row, "its task's overlap policy is " + context.policies().overlap());
        } else if (!isExplained(row)) {
            unexplained.add(row);
        }
    }

    private void note(LedgerRow row) {
        long ended = row.times().endedMillis().orElse(NEVER);
        long epoch = row.claim().epoch();
        if (isPlain(row)) {
            plainByEpoch.merge(epoch, ended, Math::max);
            row.times().startedMillis().ifPresent(started -> startedByEpoch.merge(epoch, started, Math::max));
        } else {
            otherMillis = Math.max(otherMillis, ended + TOLD_MILLIS);
        }
        if (LedgerReasons.isRerunOfLeft(row)) {
            leftMillis = Math.max(leftMillis, row.claim().atMillis().orElse(ended));
        } else if (row.state() == State.DROPPED || LedgerReasons.isLeft(row)) {
            leftMillis = Math.max(leftMillis, ended);
        }
    }

    /** It ran once and is through: its process knew by itself when it was in nobody's way any more. */
    private boolean isPlain(LedgerRow row) {
        boolean isAtFirst = row.claim().attempt() == 1 && row.claim().isMade() && row.reason() == null;
        boolean isTriedAgain = row.state() != State.SUCCEEDED
                && (context.policies().maxAttempts() > 1
                        || !context.knowPoliciesAt(row.claim().atMillis().orElse(Long.MIN_VALUE)));
        return isAtFirst && row.state().saysRunEnded() && !isTriedAgain;
    }

    private boolean isExplained(LedgerRow row) {
        long at = skipped(row);
        long epoch = row.claim().epoch();
        long look = LedgerReasons.has(row, LedgerReasons.QUEUE_FULL) ? TOLD_MILLIS : LOOK_MILLIS;
        return otherMillis >= at
                || plainByEpoch.getOrDefault(epoch, Long.MIN_VALUE) + look >= at
                || hasOther(epoch, at)
                || mayBeAtItStill(epoch);
    }

    private boolean hasOther(long epoch, long atMillis) {
        return plainByEpoch.entrySet().stream()
                .anyMatch(other -> other.getKey() != epoch && other.getValue() + TOLD_MILLIS >= atMillis);
    }

    /** A process that was given up and comes back as master may have a handler of then that has not ended. */
    private boolean mayBeAtItStill(long epoch) {
        return leftMillis != Long.MIN_VALUE && startedByEpoch.getOrDefault(epoch, Long.MIN_VALUE) <= leftMillis;
    }

    private static long skipped(LedgerRow row) {
        return row.times().endedMillis().orElseThrow();
    }

    /** What fires later cannot have been in the way. */
    private void tellUntil(long fireMillis) {
        for (Iterator<LedgerRow> rows = unexplained.iterator(); rows.hasNext(); ) {
            LedgerRow row = rows.next();
            if (skipped(row) < fireMillis) {
                tell(row, "no other execution of its task was unfinished");
                rows.remove();
            }
        }
        // What ended so long ago explains nothing that is still to come.
        plainByEpoch.values().removeIf(ended -> ended + TOLD_MILLIS < fireMillis && unexplained.isEmpty());
    }

    @Override
    public void end() {
        tellUntil(Long.MAX_VALUE);
    }

    private void tell(LedgerRow row, String detail) {
        offences.accept(new Violation(Rule.SKIPPED_UNEXPLAINED, row.slot(), detail));
    }
}
