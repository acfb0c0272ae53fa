package io.twinbell.lab.fault.replica;

import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.Backup;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.tools.check.history.History;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * Fault: a physical backup is restored, under the running pair or while it is stopped. The pair must call nothing until
 * a person has decided about the time since the backup.
 */
public final class RestoreBackup extends OwnFault {
    private static final Duration SHORTEST = Duration.ofSeconds(4);
    private static final Duration LONGEST = Duration.ofSeconds(9);
    /** Calls started on the lost server may still arrive within this time. */
    private static final Duration NOBODY_CALLS = Duration.ofSeconds(2);

    private static final Duration UNADOPTED = Duration.ofSeconds(8);
    private static final Duration POLL_INTERVAL = Duration.ofMillis(50);

    private long backedUpMillis;
    private QuietPeriod quiet = new QuietPeriod(0, 0, "nothing has been restored");

    public RestoreBackup() {
        super(
                "restore-backup",
                "Backs up PostgreSQL, restores the files " + SHORTEST.toSeconds() + " to " + LONGEST.toSeconds()
                        + " s later, while the pair runs or is stopped, and adopts them after "
                        + UNADOPTED.toSeconds() + " s; slots that were due meanwhile become MISSED.",
                RoleEffect.ANY_MASTER);
    }

    @Override
    public Epochs epochs() {
        return new Epochs(1, 2);
    }

    @Override
    public List<QuietPeriod> quiet() {
        return List.of(quiet);
    }

    /** Everything since the backup; a person has named that time. */
    @Override
    public Optional<History.LossWindow> loss() {
        return Optional.of(
                new History.LossWindow(backedUpMillis - NOBODY_CALLS.toMillis(), quiet.untilMicros() / 1000));
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        backedUpMillis = stage.poll().wallMicros() / 1000;
        Backup backup = pair.backUp();
        stage.print("backed up PostgreSQL, as of " + Instant.ofEpochMilli(backedUpMillis));
        stage.poll().sleep(Duration.ofMillis(stage.random().nextLong(SHORTEST.toMillis(), LONGEST.toMillis() + 1)));
        boolean isRunning = stage.random().nextBoolean();
        if (!isRunning) {
            stopNodes(stage);
        }
        stage.strike("killed PostgreSQL", pair.server()::kill);
        stage.poll().sleep(NOBODY_CALLS);
        long nobodyCalls = stage.poll().wallMicros();
        stage.strike("restored the files of the backup", backup::putBack);
        if (!isRunning) {
            for (String node : DrilledPair.NODES) {
                pair.launch(node);
            }
            stage.print("started both nodes, which must refuse the older copy");
        }
        stage.poll().sleep(UNADOPTED);
        quiet = new QuietPeriod(nobodyCalls, stage.poll().wallMicros(), "an older copy of the database is not adopted");
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stopNodes(stage);
        String since = Instant.ofEpochMilli(backedUpMillis).toString();
        stage.print(firstLines(pair.doctor("a", "--adopt", "--since", since)));
        stage.heal(
                "adopted the backup: slots that were due since are MISSED",
                () -> pair.doctor("a", "--adopt", "--since", since, "--slots", "MISSED"));
        quiet = new QuietPeriod(quiet.fromMicros(), stage.poll().wallMicros(), quiet.why());
        for (String node : DrilledPair.NODES) {
            stage.start(node);
        }
    }

    private static String firstLines(String said) {
        List<String> lines = said.lines().toList();
        return "doctor --adopt reports: " + String.join("; ", lines.subList(0, Math.min(3, lines.size())));
    }

    /** Stops the standby first, so that it does not become master. */
    private static void stopNodes(DrillStage stage) throws DrillException, IOException {
        for (String node : List.of(stage.roles().standby(), stage.roles().master())) {
            stage.terminate(node);
            stage.poll()
                    .until(
                            "node " + node + " has ended",
                            POLL_INTERVAL,
                            () -> stage.pair().process(node).isEmpty());
        }
    }
}
