package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.own.SmallDisk;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Set;

/** Fault: PostgreSQL's disk is full. */
public final class DiskFull extends OwnFault {
    private static final Duration FULL = Duration.ofSeconds(15);

    public DiskFull() {
        super(
                "disk-full",
                "Fills the file system of PostgreSQL for " + FULL.toSeconds()
                        + " s, and starts PostgreSQL again if it ended because of that.",
                RoleEffect.SAME_MASTER);
    }

    @Override
    public FaultRequirements requirements() {
        return FaultRequirements.NAMESPACES;
    }

    @Override
    public Duration lasts() {
        return FULL;
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.DATABASE);
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        SmallDisk disk = pair.disk()
                .orElseThrow(() -> new DrillException.Refused("PostgreSQL does not have its own file system here"));
        stage.undo().add("empty the disk", () -> empty(pair, disk));
        stage.strike("filled the disk of PostgreSQL", disk::fill);
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.print(pair.server().runs() ? "PostgreSQL still runs" : "PostgreSQL has ended");
        stage.heal("emptied the disk", () -> empty(pair, pair.disk().orElseThrow()));
    }

    private static void empty(OwnPair pair, SmallDisk disk) throws DrillException, IOException {
        disk.empty();
        if (!pair.server().runs()) {
            pair.server().start();
        }
    }
}
