package io.twinbell.ops.check;

import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;

/** Epochs strictly grow with one owner each, and none acts once a later one has. */
final class Epochs {
    private Epochs() {}

    static void check(History history, Consumer<Offence> offences) {
        checkOpenings(history.openings(), offences);
        checkCalls(history, offences);
        checkClaims(history.rows(), offences);
    }

    private static void checkOpenings(List<Opening> openings, Consumer<Offence> offences) {
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
            }
        }
    }

    private static void checkCalls(History history, Consumer<Offence> offences) {
        long newest = Long.MIN_VALUE;
        List<Call> inOrder = history.calls().stream()
                .sorted(Comparator.comparingLong(Call::arrivedMicros).thenComparingLong(Call::epoch))
                .toList();
        for (Call call : inOrder) {
            if (call.epoch() < newest && !history.mayStraggle(call)) {
                offences.accept(new Offence(
                        Rule.EPOCH_BACKWARDS,
                        call.slot(),
                        "a call of epoch " + call.epoch() + " arrived after one of epoch " + newest));
            }
            newest = Math.max(newest, call.epoch());
        }
    }

    private static void checkClaims(List<LedgerRow> rows, Consumer<Offence> offences) {
        long newest = Long.MIN_VALUE;
        List<LedgerRow> inOrder = rows.stream()
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
