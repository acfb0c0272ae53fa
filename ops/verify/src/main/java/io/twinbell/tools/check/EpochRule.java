package io.twinbell.tools.check;

import io.twinbell.tools.check.history.EpochOpening;
import io.twinbell.tools.check.history.EpochOwnership;
import io.twinbell.tools.check.history.History;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.ReceivedCall;
import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Rule: epochs strictly grow, each has one owner, and no epoch acts after a later one has acted. */
final class EpochRule {
    /**
     * How long a claimed run may still be started on the latest proof of authority. A successor does not touch it
     * during that time.
     */
    private static final long TRUST_MILLIS = 1000;
    /** The database may have moved to a machine whose clock is slightly behind. */
    private static final long CLOCK_SLACK_MILLIS = 1000;

    private EpochRule() {}

    static void check(History history, Consumer<Violation> offences) {
        checkOpenings(history.openings(), offences);
        checkCalls(history, offences);
        checkClaims(history, offences);
    }

    /** @param openings in the order in which they were recorded */
    static void checkOpenings(List<EpochOpening> openings, Consumer<Violation> offences) {
        for (int i = 1; i < openings.size(); i++) {
            EpochOpening before = openings.get(i - 1);
            EpochOpening opening = openings.get(i);
            if (opening.epoch() == before.epoch()) {
                offences.accept(new Violation(
                        Rule.EPOCH_SHARED,
                        null,
                        "epoch " + opening.epoch() + " by " + before.node() + " and " + opening.node()));
            } else if (opening.epoch() < before.epoch()) {
                offences.accept(new Violation(
                        Rule.EPOCH_BACKWARDS,
                        null,
                        "epoch " + opening.epoch() + " was opened after epoch " + before.epoch()));
            } else if (opening.atMillis() < before.atMillis() - CLOCK_SLACK_MILLIS) {
                offences.accept(new Violation(
                        Rule.EPOCH_BACKWARDS,
                        null,
                        "epoch " + opening.epoch() + " was opened " + (before.atMillis() - opening.atMillis())
                                + " ms before epoch " + before.epoch()));
            }
        }
    }

    private static void checkCalls(History history, Consumer<Violation> offences) {
        EpochOwnership ownership = new EpochOwnership(history.openings());
        long newest = Long.MIN_VALUE;
        List<ReceivedCall> inOrder = history.calls().stream()
                .sorted(Comparator.comparingLong(ReceivedCall::arrivedMicros).thenComparingLong(ReceivedCall::epoch))
                .toList();
        for (ReceivedCall call : inOrder) {
            long trustEnds = trustEndsMillis(ownership, call.epoch());
            if (history.mayBeLate(call)) {
                continue;
            }
            if (call.epoch() < newest && call.arrivedMicros() > trustEnds * 1000) {
                offences.accept(new Violation(
                        Rule.EPOCH_BACKWARDS,
                        call.slot(),
                        "a call of epoch " + call.epoch() + " arrived after one of epoch " + newest));
            } else if (call.arrivedMicros() > trustEnds * 1000) {
                offences.accept(new Violation(
                        Rule.EPOCH_BACKWARDS,
                        call.slot(),
                        "a call of epoch " + call.epoch() + " arrived "
                                + (call.arrivedMicros() / 1000 - trustEnds + TRUST_MILLIS)
                                + " ms after the next epoch was opened"));
            }
            newest = Math.max(newest, call.epoch());
        }
        inOrder.stream()
                .filter(call -> ownership.isUnknown(call.epoch()))
                .forEach(call -> offences.accept(
                        new Violation(Rule.EPOCH_UNKNOWN, call.slot(), "called under epoch " + call.epoch())));
    }

    /** The end of the trust window of the epoch; the far future if the epoch is the current one, or unknown. */
    private static long trustEndsMillis(EpochOwnership ownership, long epoch) {
        OptionalLong end = ownership.endOf(epoch);
        return end.isPresent() ? end.getAsLong() + TRUST_MILLIS : Long.MAX_VALUE / 1000;
    }

    /** Checks the order of the claims' epochs. Works also for epochs whose opening is unknown. */
    private static void checkClaims(History history, Consumer<Violation> offences) {
        long newest = Long.MIN_VALUE;
        List<LedgerRow> inOrder = history.rows().stream()
                .filter(row -> row.claim().atMillis().isPresent())
                .sorted(Comparator.comparingLong(
                                (LedgerRow row) -> row.claim().atMillis().getAsLong())
                        .thenComparingLong(row -> row.claim().epoch()))
                .toList();
        for (LedgerRow row : inOrder) {
            long epoch = row.claim().epoch();
            if (epoch < newest) {
                offences.accept(new Violation(
                        Rule.EPOCH_BACKWARDS,
                        row.slot(),
                        "it was claimed under epoch " + epoch + " after a claim under epoch " + newest));
            }
            newest = Math.max(newest, epoch);
        }
    }
}
