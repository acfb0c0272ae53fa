package io.twinbell.lab;

import io.twinbell.tools.check.Violation;
import io.twinbell.tools.check.history.LedgerRow.State;
import io.twinbell.tools.check.history.SlotTotals;
import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.OptionalLong;

/** Renders one round as text for people. */
final class RoundText {
    private static final int OFFENCES_SHOWN = 10;

    private final PrintWriter out;

    RoundText(PrintWriter out) {
        this.out = out;
    }

    void print(RoundResult round) {
        TakeoverTimings takeover = round.gap().takeover();
        SlotTotals totals = round.totals();
        if (takeover.epoch().isPresent()) {
            line("gap", "%s from the fault to the first overdue call", millis(takeover.call()));
            line(
                    "takeover",
                    "fault, latch after %s, epoch %d after %s, call after %s",
                    millis(takeover.latch()),
                    round.epoch(),
                    millis(takeover.epoch()),
                    millis(takeover.call()));
        }
        if (!round.gap().rerunDelay().isEmpty()) {
            line(
                    "reruns",
                    "p50 / p99 / max %s from the fault to the second call",
                    round.gap().rerunDelay().summary());
        }
        line("silence", "%s at most without a call", millis(round.gap().silence()));
        line("lateness", "p50 / p99 / max before the fault %s", round.lateness().before());
        line("", "of the backlog %s", round.lateness().backlog());
        line("", "afterwards %s", round.lateness().after());
        line(
                "slots",
                "%d owed: %d succeeded, %d skipped, %d dropped, %d missed, %d failed",
                totals.owed(),
                totals.ended(State.SUCCEEDED),
                totals.ended(State.SKIPPED),
                totals.ended(State.DROPPED),
                totals.ended(State.MISSED),
                RoundTable.failed(totals));
        line(
                "attempts",
                "%d in flight at the fault: %d dropped, %d to run again, %d of them skipped because of another run",
                totals.settled(),
                totals.dropped(),
                totals.settled() - totals.dropped(),
                totals.settledAndSkipped());
        line(
                "calls",
                "%d slots called in more than one attempt, by policy; %d attempts called twice",
                totals.calledAgain(),
                totals.calledTwice());
        line("machine", "load average %s", load(round.scene().load()));
        line(
                "verdict",
                "%s",
                round.passed()
                        ? "PASSED"
                        : "FAILED, evidence in " + round.scene().directory());
        violations(round.violations());
        out.flush();
    }

    private void violations(List<Violation> offences) {
        offences.stream()
                .limit(OFFENCES_SHOWN)
                .forEach(violation ->
                        line("", "%s (%s)", violation, violation.rule().meaning()));
        if (offences.size() > OFFENCES_SHOWN) {
            line("", "and %d more", offences.size() - OFFENCES_SHOWN);
        }
    }

    private void line(String name, String text, Object... values) {
        out.printf(Locale.ROOT, "  %-9s %s%n", name, String.format(Locale.ROOT, text, values));
    }

    /** The JVM reports a negative number if the system does not provide its load. */
    static String load(double load) {
        return load < 0 ? "unknown" : String.format(Locale.ROOT, "%.2f", load);
    }

    static String millis(OptionalLong millis) {
        return millis.isPresent() ? millis.getAsLong() + " ms" : "never";
    }
}
