package io.twinbell.ops.check;

import java.util.Comparator;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Epochs strictly grow with one owner each, and none acts once a later one has. */
final class Epochs {
    /**
     * How long what was claimed may still be started on the latest proof of authority: a successor leaves it alone for
     * that time.
     */
    private static final long TRUST_MILLIS = 1000;
    /** The database may have moved to a machine whose clock is a little behind. */
    private static final long CLOCK_SLACK_MILLIS = 1000;

    private Epochs() {}

    static void check(History history, Consumer<Offence> offences) {
        checkOpenings(history.openings(), offences);
        checkCalls(history, offences);
        checkClaims(history, offences);
    }

    /** @param openings in the order in which they were recorded */
    static void checkOpenings(List<Opening> openings, Consumer<Offence> offences) {
        for (int i = 1; i < openings.size(); i++) {
            Opening before = openings.get(i - 1);
            Opening opening = openings.get(i);
            if (opening.epoch() == before.epoch()) {
                offences.accept(new Offence(
                        Rule.EPOCH_SHARED,
                        null,
                        "epoch " + opening.epoch() + " by " + before.node() + " and " + opening.node()));
            } else if (opening.epoch() < before.epoch()) {
                offences.accept(new Offence(
                        Rule.EPOCH_BACKWARDS,
                        null,
                        "epoch " + opening.epoch() + " was opened after epoch " + before.epoch()));
            } else if (opening.atMillis() < before.atMillis() - CLOCK_SLACK_MILLIS) {
                offences.accept(new Offence(
                        Rule.EPOCH_BACKWARDS,
                        null,
                        "epoch " + opening.epoch() + " was opened " + (before.atMillis() - opening.atMillis())
                                + " ms before epoch " + before.epoch()));
            }
        }
    }

    private static void checkCalls(History history, Consumer<Offence> offences) {
        Reigns reigns = new Reigns(history.openings());
        long newest = Long.MIN_VALUE;
        List<Call> inOrder = history.calls().stream()
                .sorted(Comparator.comparingLong(Call::arrivedMicros).thenComparingLong(Call::epoch))
                .toList();
        for (Call call : inOrder) {
            long trustEnds = trustEndsMillis(reigns, call.epoch());
            if (history.mayStraggle(call)) {
                continue;
            }
            if (call.epoch() < newest && call.arrivedMicros() > trustEnds * 1000) {
                offences.accept(new Offence(
                        Rule.EPOCH_BACKWARDS,
                        call.slot(),
                        "a call of epoch " + call.epoch() + " arrived after one of epoch " + newest));
            } else if (call.arrivedMicros() > trustEnds * 1000) {
                offences.accept(new Offence(
                        Rule.EPOCH_BACKWARDS,
                        call.slot(),
                        "a call of epoch " + call.epoch() + " arrived "
                                + (call.arrivedMicros() / 1000 - trustEnds + TRUST_MILLIS)
                                + " ms after the next epoch was opened"));
            }
            newest = Math.max(newest, call.epoch());
        }
        inOrder.stream()
                .filter(call -> reigns.isUnknown(call.epoch()))
                .forEach(call -> offences.accept(
                        new Offence(Rule.EPOCH_UNKNOWN, call.slot(), "called under epoch " + call.epoch())));
    }

    /** The end of time if the epoch is the present one, or nothing is known of it. */
    private static long trustEndsMillis(Reigns reigns, long epoch) {
        OptionalLong end = reigns.endOf(epoch);
        return end.isPresent() ? end.getAsLong() + TRUST_MILLIS : Long.MAX_VALUE / 1000;
    }

    /** Also where nobody knows when an epoch was opened. */
    private static void checkClaims(History history, Consumer<Offence> offences) {
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
                offences.accept(new Offence(
                        Rule.EPOCH_BACKWARDS,
                        row.slot(),
                        "it was claimed under epoch " + epoch + " after a claim under epoch " + newest));
            }
            newest = Math.max(newest, epoch);
        }
    }
}
