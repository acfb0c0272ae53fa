package io.twinbell.tools.check;

import io.twinbell.tools.check.history.EpochOwnership;
import io.twinbell.tools.check.history.LedgerRow;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Rule: each claim was made by the epoch's owner while the epoch was open, by the database's clock. */
final class ClaimEpochRule implements RowRule {
    private final EpochOwnership ownership;
    private final Consumer<Violation> violations;

    ClaimEpochRule(EpochOwnership ownership, Consumer<Violation> offences) {
        this.ownership = ownership;
        this.violations = offences;
    }

    @Override
    public void row(LedgerRow row) {
        LedgerRow.LatestClaim claim = row.claim();
        if (!claim.isMade() || claim.atMillis().isEmpty()) {
            return;
        }
        checkTime(row, claim.epoch(), claim.atMillis().getAsLong());
        ownership
                .ownerOf(claim.epoch())
                .filter(owner -> claim.node() != null && !claim.node().equals(owner))
                .ifPresent(owner -> report(
                        Rule.EPOCH_SHARED,
                        row,
                        "it was claimed by " + claim.node() + " under epoch " + claim.epoch() + " of " + owner));
    }

    /** Checks the claim's instant. A claim and the opening of the next epoch exclude each other in the database. */
    private void checkTime(LedgerRow row, long epoch, long atMillis) {
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

    private void report(Rule rule, LedgerRow row, String detail) {
        violations.accept(new Violation(rule, row.slot(), detail));
    }
}
