package io.twinbell.tools.check;

import io.twinbell.tools.check.history.LedgerReasons;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.LedgerRow.State;
import io.twinbell.tools.check.history.RuleContext;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.function.Consumer;

/**
 * Rule: a slot was skipped for overlap only if another run of its task was unfinished. The other run may have a later
 * fire time, because a claim that was handed back is tried after newer claims.
 */
final class OverlapRule {
    /** The time between the check for the other run and the recorded instant; it is longer on a busy machine. */
    private static final long LOOK_MILLIS = 200;
    /**
     * A retried, orphaned or waiting execution blocks its task until its end is in the ledger and has been read there;
     * meanwhile the database may be slow or unreachable. If the ledger itself finds a queue full, the recorded instant
     * comes from the database's clock. A process that has slept is behind that clock until it asks for the time again.
     */
    static final long NOTICE_MILLIS = 30_000;

    private static final long NEVER = Long.MAX_VALUE / 2;

    private final RuleContext context;
    private final Consumer<Violation> violations;
    /** By epoch: until when a run that ended at its first attempt blocked other runs of the same epoch. */
    private final Map<Long, Long> plainByEpoch = new HashMap<>();
    /** By epoch: the latest start. Everything that had blocked this process before that start had ended by then. */
    private final Map<Long, Long> startedByEpoch = new HashMap<>();

    private final Deque<LedgerRow> unexplained = new ArrayDeque<>();
    private long otherMillis = Long.MIN_VALUE;
    private long leftMillis = Long.MIN_VALUE;

    OverlapRule(RuleContext context, Consumer<Violation> offences) {
        this.context = context;
        this.violations = offences;
    }

    void before(LedgerRow row) {
        if (!row.state().saysNotRun()) {
            note(row);
        }
    }

    void row(LedgerRow row) {
        reportUntil(row.slot().fireMillis());
        if (!row.state().saysNotRun()) {
            note(row);
            unexplained.removeIf(this::isExplained);
        } else if (isForAnother(row)) {
            judge(row);
        }
    }

    /**
     * Whether the row was skipped for another run. All other SKIPPED rows give a pause, changed zone rules or an
     * interceptor as the reason.
     */
    private boolean isForAnother(LedgerRow row) {
        boolean isOtherwise = LedgerReasons.has(row, LedgerReasons.RULES_CHANGED)
                || LedgerReasons.isIntercepted(row)
                || context.people() && LedgerReasons.has(row, LedgerReasons.FIRING_PAUSED);
        return row.state() == State.SKIPPED
                && row.claim().isMade()
                && row.times().endedMillis().isPresent()
                && !isOtherwise;
    }

    private void judge(LedgerRow row) {
        boolean isKnown = context.arePoliciesKnownAt(skipped(row));
        if (isKnown && !context.policies().skipsOverlaps()) {
            report(row, "its task's overlap policy is " + context.policies().overlap());
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
            otherMillis = Math.max(otherMillis, ended + NOTICE_MILLIS);
        }
        if (LedgerReasons.isRerunOfLeft(row)) {
            leftMillis = Math.max(leftMillis, row.claim().atMillis().orElse(ended));
        } else if (row.state() == State.DROPPED || LedgerReasons.isLeft(row)) {
            leftMillis = Math.max(leftMillis, ended);
        }
    }

    /** Whether the run ended at its first attempt. Then its own process knew when it stopped blocking others. */
    private boolean isPlain(LedgerRow row) {
        boolean isAtFirst = row.claim().attempt() == 1 && row.claim().isMade() && row.reason() == null;
        boolean isTriedAgain = row.state() != State.SUCCEEDED
                && (context.policies().maxAttempts() > 1
                        || !context.arePoliciesKnownAt(row.claim().atMillis().orElse(Long.MIN_VALUE)));
        return isAtFirst && row.state().saysRunEnded() && !isTriedAgain;
    }

    private boolean isExplained(LedgerRow row) {
        long at = skipped(row);
        long epoch = row.claim().epoch();
        long look = LedgerReasons.has(row, LedgerReasons.QUEUE_FULL) ? NOTICE_MILLIS : LOOK_MILLIS;
        return otherMillis >= at
                || plainByEpoch.getOrDefault(epoch, Long.MIN_VALUE) + look >= at
                || hasOther(epoch, at)
                || mayStillRun(epoch);
    }

    private boolean hasOther(long epoch, long atMillis) {
        return plainByEpoch.entrySet().stream()
                .anyMatch(other -> other.getKey() != epoch && other.getValue() + NOTICE_MILLIS >= atMillis);
    }

    /**
     * Whether a handler of an earlier attempt may still be running: a process that was given up can become master
     * again.
     */
    private boolean mayStillRun(long epoch) {
        return leftMillis != Long.MIN_VALUE && startedByEpoch.getOrDefault(epoch, Long.MIN_VALUE) <= leftMillis;
    }

    private static long skipped(LedgerRow row) {
        return row.times().endedMillis().orElseThrow();
    }

    /**
     * Reports the skipped rows that are still unexplained at this fire time. A run that fires later cannot have blocked
     * them.
     */
    private void reportUntil(long fireMillis) {
        for (Iterator<LedgerRow> rows = unexplained.iterator(); rows.hasNext(); ) {
            LedgerRow row = rows.next();
            if (skipped(row) < fireMillis) {
                report(row, "no other execution of its task was unfinished");
                rows.remove();
            }
        }
        // A run that ended so long ago explains no later row.
        plainByEpoch.values().removeIf(ended -> ended + NOTICE_MILLIS < fireMillis && unexplained.isEmpty());
    }

    void end() {
        reportUntil(Long.MAX_VALUE);
    }

    private void report(LedgerRow row, String detail) {
        violations.accept(new Violation(Rule.SKIPPED_UNEXPLAINED, row.slot(), detail));
    }
}
