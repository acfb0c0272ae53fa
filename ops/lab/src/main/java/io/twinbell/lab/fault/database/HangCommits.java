package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** Fault: the synchronous replica is missing, so reads are answered, but no commit completes. */
public final class HangCommits extends OwnFault {
    /** Long enough for every alert: the slowest one fires when slots are 5 s late for a minute. */
    private static final Duration HANGING = Duration.ofSeconds(90);

    public HangCommits() {
        super(
                "hanging-commits",
                "Makes each commit wait for a missing synchronous replica, for " + HANGING.toSeconds() + " s.",
                RoleEffect.SAME_MASTER);
    }

    @Override
    public Duration lasts() {
        return HANGING;
    }

    @Override
    public Set<String> pages() {
        return Set.of("TwinbellMasterSilent", "TwinbellNotFiring", "TwinbellLag");
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.DATABASE);
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.undo().add("stop commits from waiting", () -> pair.database().waitForReplica(false));
        stage.strike("made commits wait for a replica", () -> pair.database().waitForReplica(true));
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal("stopped commits from waiting", () -> pair.database().waitForReplica(false));
    }
}
