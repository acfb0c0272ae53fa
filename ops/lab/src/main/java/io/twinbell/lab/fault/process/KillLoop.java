package io.twinbell.lab.fault.process;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;

/** Fault: repeated crashes; each new master is killed. */
public final class KillLoop extends Fault {
    public static final int FEW = 5;

    /** A master is killed within this time after the pair is complete. */
    private static final Duration ANY_MOMENT = Duration.ofSeconds(2);
    /** The approximate time of a promotion after a kill: a kill within it hits the successor. */
    private static final Duration ON_THE_WAY = Duration.ofMillis(300);
    /** One kill in three also hits the successor. */
    private static final int BOTH_OF = 3;

    private final int times;
    private int reigns;

    public KillLoop(int times) {
        super(
                "kill-loop",
                "Kills the master at a random moment whenever the pair is whole, and sometimes also its successor"
                        + " during the promotion: " + times + " kills (--times). Starts the killed nodes again.",
                RoleEffect.ANY_MASTER);
        this.times = times;
    }

    @Override
    public Optional<Fault> times(int wanted) {
        return Optional.of(new KillLoop(wanted));
    }

    /**
     * One epoch at least for each recovery of the pair. A killed successor may or may not have opened an epoch before.
     */
    @Override
    public Epochs epochs() {
        return new Epochs(reigns, times);
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        SplittableRandom random = stage.random();
        String master = stage.roles().master();
        reigns = 0;
        int kills = 0;
        while (kills < times) {
            rest(stage, kills == 0 ? Duration.ZERO : ANY_MOMENT);
            boolean both = random.nextInt(BOTH_OF) == 0 && kills + 1 < times;
            kills += both ? 2 : 1;
            master = kill(stage, master, both);
            reigns++;
        }
    }

    /** Kills the master; returns the node that is master afterwards. */
    private static String kill(DrillStage stage, String master, boolean both) throws DrillException, IOException {
        String successor = DrilledPair.other(master);
        stage.kill(master);
        if (both) {
            rest(stage, ON_THE_WAY);
            stage.kill(successor);
            stage.start(successor);
        } else {
            stage.awaitMaster(successor);
        }
        stage.start(master);
        return stage.awaitBothNodes();
    }

    private static void rest(DrillStage stage, Duration atMost) throws DrillException {
        stage.poll().sleep(Duration.ofNanos(stage.random().nextLong(atMost.toNanos() + 1)));
    }
}
