package io.twinbell.tools.drill.fault.database;

import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.devpair.DatabaseOperator;
import io.twinbell.tools.devpair.OneShotLoad;
import io.twinbell.tools.devpair.OneShotLoad.Account;
import io.twinbell.tools.drill.fault.Fault;
import io.twinbell.tools.drill.fault.FaultRequirements;
import io.twinbell.tools.drill.fault.OwnFault;
import io.twinbell.tools.drill.own.OwnPair;
import io.twinbell.tools.drill.stage.DrillException;
import io.twinbell.tools.drill.stage.DrillStage;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;

/**
 * Fault: the master crashes while a foreign transaction pins a snapshot, under a steady load of one-shots. The takeover
 * searches tables full of rows that vacuum cannot remove, and must be as fast as without them.
 */
public final class KillWhilePinned extends OwnFault {
    public static final Duration SHORT = Duration.ofSeconds(20);
    public static final int RATE = 1000;

    /** Tasks are added this many seconds before they are due. */
    private static final int ADDED_AHEAD = 5;
    /** The load goes on for so many seconds after the kill. */
    private static final int AFTER_THE_KILL = 10;

    private static final Duration POLL_INTERVAL = Duration.ofMillis(200);
    private static final int MILLIS = 1000;

    private final Duration pinned;
    private final int perSecond;

    /**
     * Defines the drill.
     *
     * @param pinned how long the snapshot has been pinned when the master is killed; whole seconds
     * @param perSecond how many one-shots are due a second
     */
    public KillWhilePinned(Duration pinned, int perSecond) {
        super(
                "kill-while-pinned",
                "Kills the master with SIGKILL when a snapshot has been pinned for " + pinned.toSeconds()
                        + " s (--lasts) while " + perSecond + " one-shots per second are due (--rate).",
                RoleEffect.SUCCESSOR);
        this.pinned = pinned;
        this.perSecond = perSecond;
    }

    @Override
    public FaultRequirements requirements() {
        return FaultRequirements.DISK;
    }

    @Override
    public Optional<Fault> lasting(Duration time) {
        return Optional.of(new KillWhilePinned(time, perSecond));
    }

    @Override
    public Optional<Fault> under(int rate) {
        return Optional.of(new KillWhilePinned(pinned, rate));
    }

    /** As without a pinned snapshot. */
    @Override
    public Optional<Duration> quietIfReady() {
        return Optional.of(Duration.ofSeconds(3));
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, NodeException, IOException {
        String app = "pinned-" + Long.toHexString(stage.random().nextLong() >>> 32);
        OneShotLoad load = new OneShotLoad(pair.database(), app, perSecond);
        int killed = (int) pinned.toSeconds();
        long start = (stage.poll().wallMicros() / MILLIS / MILLIS + ADDED_AHEAD + 1) * MILLIS;
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
