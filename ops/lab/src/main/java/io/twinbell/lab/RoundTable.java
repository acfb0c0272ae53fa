package io.twinbell.lab;

import io.twinbell.tools.check.history.LedgerRow.State;
import io.twinbell.tools.check.history.SlotTotals;
import java.io.PrintWriter;
import java.util.Locale;
import java.util.OptionalLong;
import java.util.function.ToLongFunction;

/** Prints a line for each round, and the totals. */
final class RoundTable {
    private static final String HEAD =
            "%5s %-26s %6s %6s %6s %6s %7s %7s %7s %5s %5s %5s %5s %6s %6s %6s %22s %22s %5s  %s%n";
    private static final String LINE =
            "%5s %-26s %6s %6s %6s %6s %7s %7d %7d %5d %5d %5d %5d %6d %6d %6d %22s %22s %5s  %s%n";

    private final PrintWriter out;

    RoundTable(PrintWriter out) {
        this.out = out;
    }

    void print(DrillSummary summary) {
        out.printf(
                Locale.ROOT,
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
            print(i + 1, summary.rounds().get(i));
        }
        total(summary);
        summary.gaps()
                .forEach((fault, gaps) ->
                        out.printf(Locale.ROOT, "gap of %s p50 / p99 / max: %s; times in ms%n", fault, gaps));
        summary.reruns()
                .forEach((fault, reruns) -> out.printf(
                        Locale.ROOT, "second calls after %s p50 / p99 / max: %s; times in ms%n", fault, reruns));
        summary.skipped().forEach(skipped -> out.println("skipped: " + skipped));
        summary.brokenOff().forEach(broken -> out.println("aborted: " + broken));
        out.printf(
                Locale.ROOT,
                "%d rounds in %d s, load average p50 / p99 / max %s%n",
                summary.rounds().size(),
                summary.took().toSeconds(),
                summary.loads());
        out.println(summary.passed() ? "PASSED" : "FAILED");
    }

    private void print(int number, RoundResult round) {
        TakeoverTimings takeover = round.gap().takeover();
        SlotTotals totals = round.totals();
        out.printf(
                Locale.ROOT,
                LINE,
                number,
                round.scene().fault(),
                round.roles().master(),
                millis(takeover.latch()),
                millis(takeover.epoch()),
                millis(takeover.call()),
                millis(round.gap().silence()),
                totals.owed(),
                totals.ended(State.SUCCEEDED),
                totals.ended(State.SKIPPED),
                totals.ended(State.DROPPED),
                totals.ended(State.MISSED),
                failed(totals),
                totals.settled(),
                totals.calledAgain(),
                totals.calledTwice(),
                round.lateness().before(),
                round.lateness().after(),
                RoundText.load(round.scene().load()),
                round.passed() ? "PASSED" : "FAILED");
    }

    private void total(DrillSummary summary) {
        out.printf(
                Locale.ROOT,
                LINE,
                "total",
                "",
                "",
                "",
                "",
                "",
                "",
                sum(summary, SlotTotals::owed),
                sum(summary, totals -> totals.ended(State.SUCCEEDED)),
                sum(summary, totals -> totals.ended(State.SKIPPED)),
                sum(summary, totals -> totals.ended(State.DROPPED)),
                sum(summary, totals -> totals.ended(State.MISSED)),
                sum(summary, RoundTable::failed),
                sum(summary, SlotTotals::settled),
                sum(summary, SlotTotals::calledAgain),
                sum(summary, SlotTotals::calledTwice),
                "",
                "",
                "",
                "");
    }

    private static long sum(DrillSummary summary, ToLongFunction<SlotTotals> figure) {
        return summary.total(round -> figure.applyAsLong(round.totals()));
    }

    /** The runs that failed, timed out or were cancelled. */
    static long failed(SlotTotals totals) {
        return totals.ended(State.FAILED) + totals.ended(State.TIMED_OUT) + totals.ended(State.CANCELLED);
    }

    private static String millis(OptionalLong millis) {
        return millis.isPresent() ? Long.toString(millis.getAsLong()) : "-";
    }
}
