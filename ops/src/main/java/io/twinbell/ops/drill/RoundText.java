package io.twinbell.ops.drill;

import io.twinbell.ops.check.Accounts;
import io.twinbell.ops.check.LedgerRow.State;
import io.twinbell.ops.check.Offence;
import java.io.PrintWriter;
import java.util.List;
import java.util.OptionalLong;

/** One round, for people. */
final class RoundText {
    private static final int OFFENCES_SHOWN = 10;

    private final PrintWriter out;

    RoundText(PrintWriter out) {
        this.out = out;
    }

    void tell(Round round) {
        Takeover takeover = round.gap().takeover();
        Accounts accounts = round.accounts();
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
        if (!round.gap().reruns().isEmpty()) {
            line(
                    "reruns",
                    "p50 / p99 / max %s from the fault to the second call",
                    round.gap().reruns().summary());
        }
        line("silence", "%s at most without a call", millis(round.gap().silence()));
        line("lateness", "p50 / p99 / max before the fault %s", round.lates().before());
        line("", "of the backlog %s", round.lates().backlog());
        line("", "afterwards %s", round.lates().after());
        line(
                "slots",
                "%d owed: %d succeeded, %d skipped, %d dropped, %d missed, %d failed",
                accounts.owed(),
                accounts.ended(State.SUCCEEDED),
                accounts.ended(State.SKIPPED),
                accounts.ended(State.DROPPED),
                accounts.ended(State.MISSED),
                RoundTable.failed(accounts));
        line(
                "attempts",
                "%d in flight at the fault: %d dropped, %d to run again, of which %d met another run and were skipped",
                accounts.settled(),
                accounts.dropped(),
                accounts.settled() - accounts.dropped(),
                accounts.settledAndSkipped());
        line(
                "calls",
                "%d slots called in more than one attempt, by policy; %d attempts called twice",
                accounts.calledAgain(),
                accounts.calledTwice());
        line("machine", "load average %s", load(round.scene().load()));
        line(
                "verdict",
                "%s",
                round.passed()
                        ? "PASSED"
                        : "FAILED, evidence in " + round.scene().directory());
        offences(round.offences());
        out.flush();
    }

    private void offences(List<Offence> offences) {
        offences.stream()
                .limit(OFFENCES_SHOWN)
                .forEach(offence -> line("", "%s (%s)", offence, offence.rule().meaning()));
        if (offences.size() > OFFENCES_SHOWN) {
            line("", "and %d more", offences.size() - OFFENCES_SHOWN);
        }
    }

    private void line(String name, String text, Object... values) {
        out.printf("  %-9s %s%n", name, text.formatted(values));
    }

    /** The JVM answers with a negative number where the system does not tell its load. */
    static String load(double load) {
        return load < 0 ? "unknown" : "%.2f".formatted(load);
    }

    static String millis(OptionalLong millis) {
        return millis.isPresent() ? millis.getAsLong() + " ms" : "never";
    }
}
