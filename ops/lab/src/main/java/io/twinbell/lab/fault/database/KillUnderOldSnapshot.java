package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.server.DatabaseOperator;
import io.twinbell.lab.server.OneShotLoad;
import io.twinbell.lab.server.OneShotLoad.Account;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Fault: the master crashes while a foreign transaction pins a snapshot, under a steady load of one-shots. The takeover
 * searches tables full of rows that vacuum cannot remove, and must be as fast as without them.
 */
public final class KillUnderOldSnapshot extends PinnedLoad {
    /** The load goes on for so many seconds after the kill. */
    private static final int AFTER_THE_KILL = 10;

    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);

    /**
     * Defines the drill.
     *
     * @param pinned how long the snapshot has been pinned when the master is killed; whole seconds
     * @param perSecond how many one-shots are due a second
     */
    public KillUnderOldSnapshot(Duration pinned, int perSecond) {
        super(
                "kill-while-pinned",
                "Kills the master with SIGKILL when a snapshot has been pinned for " + pinned.toSeconds()
                        + " s (--lasts) while " + perSecond + " one-shots per second are due (--rate).",
                RoleEffect.SUCCESSOR,
                pinned,
                perSecond);
    }

    @Override
    Fault with(Duration time, int rate) {
        return new KillUnderOldSnapshot(time, rate);
    }

    /** As without a pinned snapshot. */
    @Override
    public Optional<Duration> quietIfReady() {
        return Optional.of(Duration.ofSeconds(3));
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, NodeException, IOException {
        OneShotLoad load = load(stage, pair);
        int killed = (int) pinned().toSeconds();
        long start = firstSecond(stage);
        DatabaseOperator.HeldResource pin = pair.database().pinSnapshot();
        stage.undo().add("release the snapshot", pin::close);
        for (int second = -ADDED_AHEAD; second < killed + AFTER_THE_KILL; second++) {
            stage.poll().sleepUntil((start + (long) second * MILLIS) * MILLIS);
            if (second == killed) {
                stage.print("the snapshot is " + pair.database().pinnedAge() + " transactions old");
                stage.kill(stage.roles().master());
            }
            if (second + ADDED_AHEAD < killed + AFTER_THE_KILL) {
                load.addSecond(start + (long) (second + ADDED_AHEAD) * MILLIS);
            }
        }
        // Without this the takeover might have been measured on tables that vacuum had cleaned.
        stage.expect(pair.database().pinnedAge() > killed, "the snapshot did not keep vacuum from cleaning up");
        awaitOutcomes(stage, load);
        pin.close();
    }

    private static void awaitOutcomes(DrillStage stage, OneShotLoad load) throws DrillException, IOException {
        stage.poll().until("each one-shot of the load has an outcome", POLL_INTERVAL, () -> {
            Account account = load.account();
            return account.ended() == account.added();
        });
        Account account = load.account();
        stage.print(account.succeeded() + " of " + account.added() + " one-shots of the load succeeded, "
                + (account.ended() - account.succeeded()) + " were under way when the master died");
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.start(stage.roles().master());
    }
}
