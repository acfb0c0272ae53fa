package io.twinbell.ops.check;

import io.twinbell.ops.check.History.Peace;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.function.Consumer;

/**
 * Once all faults are mended, everything overdue is claimed within a given time, and whatever comes due after that is
 * claimed when it is due. A slot whose task had another run under way may rightly have waited for that.
 */
final class CatchingUp {
    /** A master's claims may be settled by its successor only after so long. */
    private static final long TRUST_MILLIS = 1000;

    private final Peace peace;
    private final Map<Long, List<LedgerRow>> rowsByTask;
    private final Consumer<Offence> offences;

    private CatchingUp(History history, Peace peace, Consumer<Offence> offences) {
        this.peace = peace;
        rowsByTask = history.rowsByTask();
        this.offences = offences;
    }

    static void check(History history, Consumer<Offence> offences) {
        history.peace().ifPresent(peace -> {
            CatchingUp check = new CatchingUp(history, peace, offences);
            history.rows().forEach(check::checkRow);
        });
    }

    private void checkRow(LedgerRow row) {
        OptionalLong claimed = row.claim().atMillis();
        if (claimed.isEmpty() || row.claim().attempt() > 1) {
            return;
        }
        long caughtUp = peace.fromMillis() + peace.caughtUpWithinMillis();
        long due = row.cover().untilMillis();
        long bound = due < caughtUp ? Math.max(caughtUp, due + Coverage.BEHIND_MILLIS) : due + Coverage.BEHIND_MILLIS;
        if (claimed.getAsLong() > bound && !hadToWait(row, claimed.getAsLong())) {
            offences.accept(new Offence(
                    Rule.NOT_CAUGHT_UP,
                    row.slot(),
                    "it was claimed " + (claimed.getAsLong() - due) + " ms late, and "
                            + (claimed.getAsLong() - peace.fromMillis()) + " ms after the last fault was mended"));
        }
    }

    private boolean hadToWait(LedgerRow row, long claimedMillis) {
        return rowsByTask.get(row.slot().taskId()).stream()
                .filter(other -> other != row)
                .anyMatch(other -> wasUnderWay(
                        other, claimedMillis - Coverage.BEHIND_MILLIS - unsettledMillis(other, row), claimedMillis));
    }

    /** What another epoch left was in the way until it was settled, though its row says that it had ended before. */
    private static long unsettledMillis(LedgerRow other, LedgerRow row) {
        return isSettled(other) && other.claim().epoch() != row.claim().epoch() ? TRUST_MILLIS : 0;
    }

    /** Or its handler failed: the row does not tell. */
    private static boolean isSettled(LedgerRow row) {
        return row.state() == LedgerRow.State.FAILED || row.state() == LedgerRow.State.DROPPED;
    }

    private static boolean wasUnderWay(LedgerRow other, long fromMillis, long untilMillis) {
        OptionalLong started = startedMillis(other);
        OptionalLong ended = other.times().endedMillis();
        return started.isPresent()
                && started.getAsLong() <= untilMillis
                && (ended.isEmpty() || ended.getAsLong() >= fromMillis);
    }

    /** Of what was settled nobody may have written when it started; it had been claimed. */
    private static OptionalLong startedMillis(LedgerRow row) {
        OptionalLong started = row.times().startedMillis();
        return started.isEmpty() && isSettled(row) ? row.claim().atMillis() : started;
    }
}
