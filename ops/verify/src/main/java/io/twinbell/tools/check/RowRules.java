package io.twinbell.tools.check;

import io.twinbell.tools.check.history.EpochOwnership;
import io.twinbell.tools.check.history.LedgerReasons;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.RuleContext;
import io.twinbell.tools.check.history.TaskPolicyFacts;
import java.time.Duration;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * All rules that need only a task's rows and the epoch ownership. They apply to complete histories and to the ledger of
 * a running pair alike.
 */
final class RowRules {
    /** A clock corrected between two instants may show them in reverse order, up to this difference. */
    private static final long SLACK_MILLIS = 1000;

    private final RuleContext context;
    private final EpochOwnership ownership;
    private final Consumer<Violation> violations;
    private final MissedRule missed;
    private final OverlapRule overlap;

    RowRules(RuleContext context, EpochOwnership ownership, Consumer<Violation> offences) {
        this.context = context;
        this.ownership = ownership;
        violations = offences;
        missed = new MissedRule(context, offences);
        overlap = new OverlapRule(context, offences);
    }

    /** Takes a row from before the checked time. */
    void before(LedgerRow row) {
        overlap.before(row);
    }

    /** Takes the next row, in the order of fire times. */
    void row(LedgerRow row) {
        checkSanity(row);
        checkClaim(row);
        checkAttempt(row);
        checkDrop(row);
        missed.row(row);
        checkExpiry(row);
        overlap.row(row);
    }

    void end() {
        overlap.end();
    }

    /** A ledger row does not contradict itself. */
    private void checkSanity(LedgerRow row) {
        checkCover(row);
        if (row.reason() == null && row.state().owesReason()) {
            report(Rule.SILENT, row, "it is " + row.state());
        }
        checkTimes(row);
        checkClaimed(row);
    }

    private void checkCover(LedgerRow row) {
        long slots = row.cover().slots();
        long fire = row.slot().fireMillis();
        boolean isRange = row.cover().untilMillis() != fire;
        if (slots < 1 || row.cover().untilMillis() < fire || isRange != slots > 1) {
            report(Rule.MISCOUNTED, row, "it says " + slots + " slots and " + (isRange ? "a range" : "no range"));
        } else if (slots > 1 && !row.state().saysNotRun() && !LedgerReasons.has(row, LedgerReasons.IN_DOUBT)) {
            report(Rule.CONTRADICTION, row, "it is " + row.state() + " and covers " + slots + " slots");
        }
    }

    private void checkTimes(LedgerRow row) {
        OptionalLong started = row.times().startedMillis();
        OptionalLong ended = row.times().endedMillis();
        if (started.isPresent() && started.getAsLong() < row.slot().fireMillis()) {
            report(
                    Rule.EARLY,
                    row,
                    "recorded as started " + (row.slot().fireMillis() - started.getAsLong())
                            + " ms before its fire time");
        }
        if (row.state().isFinal() && ended.isEmpty()) {
            report(Rule.CONTRADICTION, row, "it is " + row.state() + " and has no end");
        } else if (row.state().saysNotRun() && started.isPresent()) {
            report(Rule.CONTRADICTION, row, "it is " + row.state() + " and was started");
        } else if (row.state() == LedgerRow.State.SUCCEEDED && started.isEmpty()) {
            report(Rule.CONTRADICTION, row, "it is SUCCEEDED and was not started");
        } else if (started.isPresent() && ended.isPresent() && ended.getAsLong() < started.getAsLong() - SLACK_MILLIS) {
            report(Rule.CONTRADICTION, row, "it ended before it was started");
        }
    }

    private void checkClaimed(LedgerRow row) {
        LedgerRow.LatestClaim claim = row.claim();
        if (claim.atMillis().isPresent() != claim.isMade()) {
            report(Rule.CONTRADICTION, row, "it has an epoch without a claim, or a claim without an epoch");
        } else if (!claim.isMade() && row.state().saysClaimed()) {
            report(Rule.CONTRADICTION, row, "it is " + row.state() + " and was not claimed");
        }
    }

    /** Each claim was made by the epoch's owner while the epoch was open, by the database's clock. */
    private void checkClaim(LedgerRow row) {
        LedgerRow.LatestClaim claim = row.claim();
        if (!claim.isMade() || claim.atMillis().isEmpty()) {
            return;
        }
        checkClaimTime(row, claim.epoch(), claim.atMillis().getAsLong());
        ownership
                .ownerOf(claim.epoch())
                .filter(owner -> claim.node() != null && !claim.node().equals(owner))
                .ifPresent(owner -> report(
                        Rule.EPOCH_SHARED,
                        row,
                        "it was claimed by " + claim.node() + " under epoch " + claim.epoch() + " of " + owner));
    }

    /** Checks the claim's instant. A claim and the opening of the next epoch exclude each other in the database. */
    private void checkClaimTime(LedgerRow row, long epoch, long atMillis) {
        OptionalLong end = ownership.endOf(epoch);
        if (end.isPresent() && atMillis > end.getAsLong() + EpochOwnership.ROUNDING_MILLIS) {
            report(
                    Rule.EPOCH_BACKWARDS,
                    row,
                    "it was claimed under epoch " + epoch + ", " + (atMillis - end.getAsLong())
                            + " ms after a later one was opened");
        } else if (!ownership.mayClaim(epoch, atMillis)) {
            report(Rule.EPOCH_UNKNOWN, row, "claimed under epoch " + epoch);
        }
    }

    /** An execution has a further attempt only if its task's policy, or a person, asked for one. */
    private void checkAttempt(LedgerRow row) {
        int attempt = row.claim().counted() - requestedAttempts(row);
        if (row.claim().counted() < 0 || row.claim().attempt() < 1) {
            report(
                    Rule.ATTEMPT_UNEXPLAINED,
                    row,
                    "attempt " + row.claim().attempt() + ", " + row.claim().snoozes() + " of them snoozed");
        } else if (attempt > context.policies().maxAttempts() && isUnderCurrentPolicies(row)) {
            checkFurtherAttempt(row, attempt, attempt - context.policies().maxAttempts());
        }
    }

    /** The attempts that reruns on request added. */
    private int requestedAttempts(LedgerRow row) {
        return context.people() ? row.claim().reruns() : 0;
    }

    private boolean isUnderCurrentPolicies(LedgerRow row) {
        return context.arePoliciesKnownAt(row.claim().atMillis().orElse(Long.MIN_VALUE));
    }

    private void checkFurtherAttempt(LedgerRow row, int attempt, long beyond) {
        int most = context.policies().maxAttempts();
        String retried = most > 1 ? " and allows " + most + " attempts" : "";
        if (!context.policies().reruns()) {
            report(Rule.ATTEMPT_UNEXPLAINED, row, "attempt " + attempt + " of a task that drops orphans" + retried);
        } else if (LedgerReasons.isRerunOfLeft(row) && attempt > Math.max(most, TaskPolicyFacts.ATTEMPTS_OF_A_RERUN)) {
            report(
                    Rule.ATTEMPT_UNEXPLAINED,
                    row,
                    "attempt " + attempt + " after attempts without an outcome" + retried);
        } else if (!context.people() && beyond > ownership.changes()) {
            report(
                    Rule.ATTEMPT_UNEXPLAINED,
                    row,
                    "attempt " + attempt + " after " + ownership.changes() + " changes of master" + retried);
        }
    }

    /** An execution is dropped only if its policy says so, and only by a successor of the master that claimed it. */
    private void checkDrop(LedgerRow row) {
        OptionalLong dropped = row.times().endedMillis();
        boolean isExplained =
                LedgerReasons.has(row, LedgerReasons.TASK_GONE) || LedgerReasons.has(row, LedgerReasons.IN_DOUBT);
        if (row.state() != LedgerRow.State.DROPPED || dropped.isEmpty() || isExplained) {
            return;
        }
        if (context.policies().reruns() && context.arePoliciesKnownAt(dropped.getAsLong())) {
            report(Rule.DROPPED_UNEXPLAINED, row, "its task reruns orphans");
        }
        boolean isReleased = context.people() && LedgerReasons.has(row, LedgerReasons.RELEASED);
        if (!isReleased
                && row.claim().isMade()
                && ownership.isOpenAt(row.claim().epoch(), dropped.getAsLong())) {
            report(
                    Rule.DROPPED_UNEXPLAINED,
                    row,
                    "it was claimed under epoch " + row.claim().epoch() + ", which was current then");
        }
    }

    /**
     * The first attempt of a planned slot starts within the time that its task allows. Requested runs and further
     * attempts do not expire.
     */
    private void checkExpiry(LedgerRow row) {
        OptionalLong allowed = context.policies().expireMillis();
        OptionalLong started = row.times().startedMillis();
        if (allowed.isPresent() && started.isPresent() && mayExpire(row)) {
            long late = started.getAsLong() - row.slot().fireMillis();
            if (late > allowed.getAsLong()) {
                report(
                        Rule.EXPIRED_START,
                        row,
                        "it started " + late + " ms after its fire time, but its task allows "
                                + Duration.ofMillis(allowed.getAsLong()));
            }
        }
    }

    private boolean mayExpire(LedgerRow row) {
        return row.claim().attempt() == 1 && !row.isRequested() && isUnderCurrentPolicies(row);
    }

    private void report(Rule rule, LedgerRow row, String detail) {
        violations.accept(new Violation(rule, row.slot(), detail));
    }
}
