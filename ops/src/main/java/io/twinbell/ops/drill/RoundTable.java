package io.twinbell.ops.drill;

import io.twinbell.ops.check.Accounts;
import io.twinbell.ops.check.LedgerRow.State;
import java.io.PrintWriter;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/** All rounds, a line each, and what they come to. */
final class RoundTable {
    private static final String HEAD =
            "%5s %-26s %6s %6s %6s %6s %7s %7s %7s %5s %5s %5s %5s %6s %6s %6s %22s %22s %5s  %s%n";
    private static final String LINE =
            "%5s %-26s %6s %6s %6s %6s %7s %7d %7d %5d %5d %5d %5d %6d %6d %6d %22s %22s %5s  %s%n";

    private final PrintWriter out;

    RoundTable(PrintWriter out) {
        this.out = out;
    }

    void tell(Summary summary) {
        out.printf(
                HEAD,
                "round",
                "fault",
                "master",
                "latch",
                "epoch",
                "gap",
                "silence",
                "owed",
                "succ",
                "skip",
                "drop",
                "miss",
                "fail",
                "flight",
                "again",
                "twice",
                "late before",
                "late after",
                "load",
                "verdict");
        for (int i = 0; i < summary.rounds().size(); i++) {
            tell(i + 1, summary.rounds().get(i));
        }
        total(summary);
        summary.gaps()
                .forEach((fault, gaps) -> out.printf("gap of %s p50 / p99 / max: %s; times in ms%n", fault, gaps));
        summary.reruns()
                .forEach((fault, reruns) ->
                        out.printf("second calls after %s p50 / p99 / max: %s; times in ms%n", fault, reruns));
        summary.skipped().forEach(skipped -> out.println("skipped: " + skipped));
        summary.brokenOff().forEach(broken -> out.println("broken off: " + broken));
        out.printf(
                "%d rounds in %d s, load average p50 / p99 / max %s%n",
                summary.rounds().size(), summary.took().toSeconds(), summary.loads());
        out.println(summary.passed() ? "PASSED" : "FAILED");
    }

    private void tell(int number, Round round) {
        Takeover takeover = round.gap().takeover();
        Accounts accounts = round.accounts();
        out.printf(
                LINE,
                number,
                round.scene().fault(),
                round.cast().master(),
                millis(takeover.latch()),
                millis(takeover.epoch()),
                millis(takeover.call()),
                millis(round.gap().silence()),
                accounts.owed(),
                accounts.ended(State.SUCCEEDED),
                accounts.ended(State.SKIPPED),
                accounts.ended(State.DROPPED),
                accounts.ended(State.MISSED),
                failed(accounts),
                accounts.settled(),
                accounts.calledAgain(),
                accounts.calledTwice(),
                round.lates().before(),
                round.lates().after(),
                RoundText.load(round.scene().load()),
                round.passed() ? "PASSED" : "FAILED");
    }

    private void total(Summary summary) {
        out.printf(
                LINE,
                "total",
                "",
                "",
                "",
                "",
                "",
                "",
                sum(summary, Accounts::owed),
                sum(summary, accounts -> accounts.ended(State.SUCCEEDED)),
                sum(summary, accounts -> accounts.ended(State.SKIPPED)),
                sum(summary, accounts -> accounts.ended(State.DROPPED)),
                sum(summary, accounts -> accounts.ended(State.MISSED)),
                sum(summary, RoundTable::failed),
                sum(summary, Accounts::settled),
                sum(summary, Accounts::calledAgain),
                sum(summary, Accounts::calledTwice),
                "",
                "",
                "",
                "");
    }

    private static long sum(Summary summary, ToLongFunction<Accounts> figure) {
        return summary.total(round -> figure.applyAsLong(round.accounts()));
    }

    /** Whatever came to a bad end of its own. */
    static long failed(Accounts accounts) {
        return accounts.ended(State.FAILED) + accounts.ended(State.TIMED_OUT) + accounts.ended(State.CANCELLED);
    }

    private static String millis(OptionalLong millis) {
        return millis.isPresent() ? Long.toString(millis.getAsLong()) : "-";
    }
}
