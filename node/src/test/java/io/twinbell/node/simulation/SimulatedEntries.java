package io.twinbell.node.simulation;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.LedgerEntry;
import io.twinbell.persistence.ledger.claim.ClaimOutcome;
import io.twinbell.persistence.ledger.claim.DecidedSlot;
import io.twinbell.persistence.ledger.claim.Ledger;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** Wrong protocols that enter the wrong row, or the right row at the wrong time. Only the ledger reveals them. */
final class SimulatedEntries {
    private SimulatedEntries() {}

    /** Enters something else instead of claims. */
    private abstract static class PassesOver extends Mutation {
        abstract LedgerEntry instead(DecidedSlot claim, long nowMillis);

        @Override
        Ledger ledger(Ledger real, Place place) {
            return Mutations.but(Ledger.class, real, new Object() {
                @SuppressWarnings("unused")
                ClaimOutcome claim(Epoch epoch, long batch, List<DecidedSlot> claims) {
                    long now = place.scene().database().nowMillis();
                    List<DecidedSlot> wrong =
                            claims.stream().map(claim -> passedOver(claim, now)).toList();
                    ClaimOutcome outcome = real.claim(epoch, batch, wrong);
                    Set<Long> entered = new HashSet<>(outcome.entered());
                    for (int i = 0; i < claims.size(); i++) {
                        if (!wrong.get(i).equals(claims.get(i))) {
                            entered.remove(claims.get(i).taskId());
                        }
                    }
                    return new ClaimOutcome(outcome.authorised(), outcome.advanced(), entered, outcome.exhausted());
                }
            });
        }

        private DecidedSlot passedOver(DecidedSlot claim, long nowMillis) {
            boolean isLast = claim.nextMillis() == DecidedSlot.NONE;
            LedgerEntry entry = isLast || claim.entry().state() != ExecutionState.CLAIMED
                    ? claim.entry()
                    : instead(claim, nowMillis);
            return new DecidedSlot(
                    claim.taskId(),
                    claim.version(),
                    claim.expectedMillis(),
                    claim.nextMillis(),
                    claim.finished(),
                    claim.maxRuns(),
                    entry);
        }
    }

    static final class MissesInTime extends PassesOver {
        @Override
        LedgerEntry instead(DecidedSlot claim, long nowMillis) {
            return nowMillis - claim.expectedMillis() < 1000
                    ? claim.entry()
                    : LedgerEntry.withoutRun(
                            ExecutionState.MISSED, claim.expectedMillis(), "misfire: overdue by more than PT1S");
        }
    }

    static final class SkipsForNothing extends PassesOver {
        @Override
        LedgerEntry instead(DecidedSlot claim, long nowMillis) {
            return claim.expectedMillis() % 7 != 0
                    ? claim.entry()
                    : LedgerEntry.withoutRun(
                            ExecutionState.SKIPPED,
                            claim.expectedMillis(),
                            "an earlier execution of this task was still running");
        }
    }

    static final class RetriesLate extends Mutation {
        private static final long LATE_MILLIS = 6000;

        private static Ledger.DueBounds late(Ledger.DueBounds due) {
            return new Ledger.DueBounds(due.nowMillis() - LATE_MILLIS, due.fireUntilMillis() - LATE_MILLIS);
        }

        @Override
        Ledger ledger(Ledger real, Place place) {
            return Mutations.but(Ledger.class, real, new Object() {
                @SuppressWarnings("unused")
                List<Attempt> claimWaiting(Epoch epoch, long batch, Ledger.DueBounds due, int limit) {
                    return real.claimWaiting(epoch, batch, late(due), limit);
                }

                @SuppressWarnings("unused")
                List<Attempt> claimWaiting(
                        Epoch epoch, long batch, Ledger.DueBounds due, Map<String, Integer> mostByApp) {
                    return real.claimWaiting(epoch, batch, late(due), mostByApp);
                }
            });
        }
    }
}
