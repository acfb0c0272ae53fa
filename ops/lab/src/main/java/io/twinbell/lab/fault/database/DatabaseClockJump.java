package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.OwnFault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.server.DevDatabaseClock;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;

/** Fault: sets the database's clock, by which the pair fires, forward or back, and later right again. */
public final class DatabaseClockJump extends OwnFault {
    private static final Duration SETTLES = Duration.ofSeconds(5);

    private final Duration jump;
    private DevDatabaseClock clock;

    /** @param jump how far ahead; negative for back */
    public DatabaseClockJump(Duration jump) {
        super(
                "database-clock-" + (jump.isNegative() ? "back" : "forward"),
                "Sets the clock of the database " + jump.abs().toMillis() + " ms "
                        + (jump.isNegative() ? "back" : "forward") + ", and corrects it after 8 s.",
                RoleEffect.SAME_MASTER);
        this.jump = jump;
    }

    @Override
    public Duration lasts() {
        return Duration.ofSeconds(8);
    }

    @Override
    public void strike(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.undo().add("restore the clock of the database", () -> {
            if (clock != null) {
                clock.close();
            }
        });
        clock = stage.pair().database().settableClock();
        stage.print("gave the database an adjustable clock, and every node new sessions");
        stage.poll().sleep(SETTLES);
        stage.awaitBothNodes();
        stage.strike("set the clock of the database by " + jump, () -> set(stage, jump));
    }

    @Override
    public void heal(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.heal("corrected the clock of the database", () -> set(stage, Duration.ZERO));
    }

    private void set(DrillStage stage, Duration ahead) throws IOException {
        clock.set(ahead);
        stage.databaseClockIsAhead(ahead);
    }
}
