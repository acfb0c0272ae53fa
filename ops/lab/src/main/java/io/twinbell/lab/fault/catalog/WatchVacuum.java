package io.twinbell.lab.fault.catalog;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.server.DatabaseOperator;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/** Not a fault: checks whether an undisturbed pair holds back vacuum. */
final class WatchVacuum extends Fault {
    static final Duration SHORT = Duration.ofSeconds(20);

    private static final Duration BETWEEN = Duration.ofMillis(500);

    private final Duration watched;

    WatchVacuum(Duration watched) {
        super(
                "watch-vacuum",
                "Injects no fault: checks for " + watched.toSeconds() + " s (--lasts) that the oldest snapshot of"
                        + " the nodes advances, so that vacuum keeps"
                        + " up.",
                RoleEffect.SAME_MASTER);
        this.watched = watched;
    }

    @Override
    public Optional<Fault> lasting(Duration time) {
        return Optional.of(new WatchVacuum(time));
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        DatabaseOperator database = stage.pair().database();
        stage.strike("started to watch the snapshots", () -> {});
        long oldest = 0;
        long stuckSince = 0;
        int stuck = 0;
        int longestStuck = 0;
        long first = database.transactions();
        for (long look = 0; look < watched.dividedBy(BETWEEN); look++) {
            long now = database.transactions();
            long age = database.oldestSnapshotAge();
            oldest = Math.max(oldest, age);
            long snapshot = now - age;
            stuck = age > 0 && snapshot <= stuckSince ? stuck + 1 : 0;
            longestStuck = Math.max(longestStuck, stuck);
            stuckSince = Math.max(stuckSince, snapshot);
            stage.poll().sleep(BETWEEN);
        }
        long passed = database.transactions() - first;
        stage.print("the oldest snapshot was " + oldest + " of " + passed + " transactions behind, and did not"
                + " advance for "
                + BETWEEN.multipliedBy(longestStuck).toMillis() + " ms at most");
        stage.expect(passed > 0, "no transaction was committed while the pair fires");
        stage.expect(
                longestStuck * BETWEEN.toMillis() <= 2000,
                "the oldest snapshot of the nodes did not advance for "
                        + BETWEEN.multipliedBy(longestStuck).toMillis() + " ms");
    }
}
