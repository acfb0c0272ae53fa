package io.twinbell.ops.check;

import java.util.OptionalLong;
import java.util.function.Consumer;

/** A row of the ledger can be true by itself, and under the epoch that it names. */
final class RowCheck {
    /** A clock that is put right in between may turn two instants round. */
    private static final long SLACK_MILLIS = 1000;

    private final WalkedTask task;
    private final Now now;
    private final Reigns reigns;
    private final Consumer<Offence> offences;
    private long underWay;

    RowCheck(WalkedTask task, Now now, Reigns reigns, Consumer<Offence> offences) {
        this.task = task;
        this.now = now;
        this.reigns = reigns;
        this.offences = offences;
    }

    void check(LedgerRow row) {
        checkCover(row);
        if (row.reason() == null && row.state().owesReason()) {
            tell(Rule.SILENT, row, "it is " + row.state());
        }
        checkTimes(row);
        checkClaim(row);
        if (!row.state().isFinal()) {
            checkUnfinished(row);
        }
    }

    long underWay() {
        return underWay;
    }

    private void checkCover(LedgerRow row) {
        long slots = row.cover().slots();
        long fire = row.slot().fireMillis();
        boolean isRange = row.cover().untilMillis() != fire;
        if (slots < 1 || row.cover().untilMillis() < fire || isRange != slots > 1) {
            tell(Rule.MISCOUNTED, row, "it says " + slots + " slots and " + (isRange ? "a range" : "no range"));
        } else if (slots > 1 && !row.state().saysNotRun()) {
            tell(Rule.CONTRADICTION, row, "it is " + row.state() + " and stands for " + slots + " slots");
        }
    }

    private void checkTimes(LedgerRow row) {
        OptionalLong started = row.times().startedMillis();
        OptionalLong ended = row.times().endedMillis();
        if (started.isPresent() && started.getAsLong() < row.slot().fireMillis()) {
            tell(
                    Rule.EARLY,
                    row,
                    "recorded as started " + (row.slot().fireMillis() - started.getAsLong())
                            + " ms before its fire time");
        }
        if (row.state().isFinal() && ended.isEmpty()) {
            tell(Rule.CONTRADICTION, row, "it is " + row.state() + " and has no end");
        } else if (row.state().saysNotRun() && started.isPresent()) {
            tell(Rule.CONTRADICTION, row, "it is " + row.state() + " and was started");
        } else if (row.state() == LedgerRow.State.SUCCEEDED && started.isEmpty()) {
            tell(Rule.CONTRADICTION, row, "it is SUCCEEDED and was not started");
        } else if (started.isPresent() && ended.isPresent() && ended.getAsLong() < started.getAsLong() - SLACK_MILLIS) {
            tell(Rule.CONTRADICTION, row, "it ended before it was started");
        }
    }

    private void checkClaim(LedgerRow row) {
        LedgerRow.Claim claim = row.claim();
        if (claim.atMillis().isPresent() != claim.epoch() > 0) {
            tell(Rule.CONTRADICTION, row, "it has an epoch without a claim, or a claim without an epoch");
        } else if (claim.epoch() == 0 && row.state().saysClaimed()) {
            tell(Rule.CONTRADICTION, row, "it is " + row.state() + " and nobody claimed it");
        } else if (claim.epoch() > 0
                && !reigns.allow(claim.epoch(), claim.atMillis().getAsLong())) {
            tell(Rule.EPOCH_UNKNOWN, row, "claimed under epoch " + claim.epoch());
        }
        boolean explained = claim.attempt() == 1
                || task.policies().reruns()
                || claim.attempt() <= task.policies().maxAttempts()
                || row.reason() != null;
        if (claim.attempt() < 1 || !explained) {
            tell(Rule.ATTEMPT_UNEXPLAINED, row, "attempt " + claim.attempt());
        }
    }

    private void checkUnfinished(LedgerRow row) {
        String wrong = wrong(row);
        if (wrong == null) {
            underWay++;
        } else {
            tell(Rule.UNFINISHED, row, "it is " + row.state() + wrong);
        }
    }

    /** Why it should have an outcome by now, or null. */
    private String wrong(LedgerRow row) {
        boolean isDue = now.isOld(row.slot().fireMillis());
        return switch (row.state()) {
            case PENDING -> isDue && !task.policies().queues() ? " and nobody claims it" : null;
            case RETRYING -> null;
            case CLAIMED -> isDue && now.isOld(claimed(row)) ? " and was not started" : wrongAsRun(row);
            default -> wrongAsRun(row);
        };
    }

    private String wrongAsRun(LedgerRow row) {
        if (row.times().endedMillis().isPresent()) {
            return " and has an end";
        }
        OptionalLong over = reigns.endOf(row.claim().epoch());
        if (over.isPresent() && now.isOld(over.getAsLong())) {
            return " under epoch " + row.claim().epoch() + ", which is over";
        }
        OptionalLong timeout = task.policies().timeoutMillis();
        long began = row.times().startedMillis().orElse(claimed(row));
        if (timeout.isPresent() && now.isOld(Math.max(began, row.slot().fireMillis()) + timeout.getAsLong())) {
            return " and is past its timeout";
        }
        return null;
    }

    private static long claimed(LedgerRow row) {
        return row.claim().atMillis().orElse(row.slot().fireMillis());
    }

    private void tell(Rule rule, LedgerRow row, String detail) {
        offences.accept(new Offence(rule, row.slot(), detail));
    }
}
