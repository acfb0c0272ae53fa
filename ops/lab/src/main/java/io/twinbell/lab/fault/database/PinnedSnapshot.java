package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.server.DatabaseOperator;
import io.twinbell.lab.server.OneShotLoad;
import io.twinbell.lab.server.OneShotLoad.Completions;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Locale;

/**
 * Fault: a foreign transaction pins a snapshot, so vacuum cannot remove the rows that firing leaves behind. Under a
 * steady load of one-shots the pair must complete as many as without it.
 */
public final class PinnedSnapshot extends PinnedLoad {
    public static final Duration SHORT = Duration.ofSeconds(20);
    public static final int RATE = 1000;

    /** The share of the rate without the snapshot that must be reached with it. */
    private static final double LEAST_SHARE = 0.95;

    /**
     * The share of the load that must be completed without the snapshot. Below it the comparison would mean nothing.
     */
    private static final double CARRIED_SHARE = 0.9;

    private static final Duration COMPARED_AT_MOST = Duration.ofSeconds(30);
    /** The interval of the lines that report a long pin. */
    private static final int LINE_SECONDS = 30;

    /** The beginning of each phase is not compared. */
    private static final Duration SETTLED = Duration.ofSeconds(2);
    /** The age from which a pair must name the holder of a snapshot. */
    private static final Duration NAMED_AFTER = Duration.ofSeconds(90);

    private static final Duration ANSWER = Duration.ofSeconds(5);

    /** The phases in whole seconds: without the snapshot, with it, and without it again. */
    private record Phases(long startMillis, int without, int with) {
        int seconds() {
            return 2 * without + with;
        }

        long at(int second) {
            return startMillis + (long) second * MILLIS;
        }

        int release() {
            return without + with;
        }
    }

    /** The transaction that pins the snapshot, if there is one. */
    private static final class Pin {
        private DatabaseOperator.HeldResource held;

        void release() throws IOException {
            if (held != null) {
                held.close();
                held = null;
            }
        }
    }

    /**
     * Defines the drill.
     *
     * @param pinned how long the snapshot is pinned; whole seconds
     * @param perSecond how many one-shots are due a second
     */
    public PinnedSnapshot(Duration pinned, int perSecond) {
        super(
                "pinned-snapshot",
                "Pins a snapshot for " + pinned.toSeconds() + " s (--lasts) while " + perSecond
                        + " one-shots per second are due (--rate); at least 95 % of the usual rate must be completed.",
                RoleEffect.SAME_MASTER,
                pinned,
                perSecond);
    }

    @Override
    Fault with(Duration time, int rate) {
        return new PinnedSnapshot(time, rate);
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, NodeException, IOException {
        OneShotLoad load = load(stage, pair);
        int with = (int) pinned().toSeconds();
        int without = (int) Math.min(with, COMPARED_AT_MOST.toSeconds());
        long start = firstSecond(stage);
        Phases phases = new Phases(start, without, with);
        run(stage, pair, load, phases);
        judge(stage, load, phases);
    }

    private void run(DrillStage stage, OwnPair pair, OneShotLoad load, Phases phases)
            throws DrillException, NodeException, IOException {
        DatabaseOperator database = pair.database();
        database.showSessions();
        Pin pin = new Pin();
        stage.undo().add("release the snapshot", pin::release);
        for (int second = -ADDED_AHEAD; second < phases.seconds(); second++) {
            stage.poll().sleepUntil(phases.at(second) * MILLIS);
            if (second == phases.without()) {
                stage.strike("pinned a snapshot", () -> pin.held = database.pinSnapshot());
            } else if (second == phases.release()) {
                judgePin(stage, pair, database.pinnedAge());
                stage.heal("released the snapshot", pin::release);
            }
            addSecond(stage, load, phases, second + ADDED_AHEAD);
            if (second > phases.without() && second < phases.release() && second % LINE_SECONDS == 0) {
                Completions lately = load.between(phases.at(second - LINE_SECONDS), phases.at(second));
                stage.print("pinned for " + (second - phases.without()) + " s: " + text(lately));
            }
        }
        stage.poll().sleepUntil((phases.at(phases.seconds()) + SETTLED.toMillis()) * MILLIS);
    }

    /**
     * Adds the tasks of a second. If adding has fallen behind, it skips the second, so that every task is added before
     * it is due.
     */
    private static void addSecond(DrillStage stage, OneShotLoad load, Phases phases, int second) throws IOException {
        boolean isInTime = phases.at(second - 1) * MILLIS > stage.poll().wallMicros();
        if (second < phases.seconds() && isInTime) {
            load.addSecond(phases.at(second));
        }
    }

    private void judgePin(DrillStage stage, OwnPair pair, long age) throws NodeException {
        stage.print("the snapshot is " + age + " transactions old");
        stage.expect(age > pinned().toSeconds(), "the snapshot did not keep vacuum from cleaning up");
        if (pinned().compareTo(NAMED_AFTER) >= 0) {
            String metrics = pair.client(stage.roles().master(), ANSWER).text("/metrics");
            stage.expect(
                    metrics.lines()
                            .filter(line -> line.startsWith("twinbell_snapshot_held_seconds"))
                            .anyMatch(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))) > 0),
                    "the metrics do not show the pinned snapshot");
        }
    }

    private void judge(DrillStage stage, OneShotLoad load, Phases phases) throws IOException {
        Completions before = load.between(phases.at(0) + SETTLED.toMillis(), phases.at(phases.without()));
        Completions last = load.between(
                phases.at(phases.release() - phases.without()) + SETTLED.toMillis(), phases.at(phases.release()));
        Completions after = load.between(phases.at(phases.release()) + SETTLED.toMillis(), phases.at(phases.seconds()));
        double usual = (before.perSecond() + after.perSecond()) / 2;
        stage.print("before    " + text(before));
        stage.print("pinned    " + text(last) + ", in the last " + phases.without() + " s");
        stage.print("after     " + text(after));
        stage.print(text("%.1f %% of the usual rate", 100 * last.perSecond() / Math.max(1, usual)));
        stage.expect(
                usual >= CARRIED_SHARE * perSecond(),
                text(
                        "without the snapshot only %.0f one-shots per second were completed: choose a lower --rate",
                        usual));
        stage.expect(
                last.perSecond() >= LEAST_SHARE * usual,
                text("with the snapshot %.0f one-shots per second were completed, but ", last.perSecond())
                        + text("%.0f without it", usual));
    }

    private static String text(Completions completions) {
        return text("%,.0f a second", completions.perSecond())
                + text(", late by %.2f ms (p50)", completions.medianMillis())
                + text(" and %.2f ms (p99)", completions.p99Millis());
    }

    private static String text(String format, double value) {
        return String.format(Locale.ROOT, format, value);
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) {}
}
