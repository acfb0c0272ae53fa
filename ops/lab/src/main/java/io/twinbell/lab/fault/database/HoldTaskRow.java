package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.server.DatabaseOperator;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;

/** Fault: an application locks a task's row in a long transaction. */
public final class HoldTaskRow extends Fault {
    private static final Duration HELD = Duration.ofSeconds(60);

    private DatabaseOperator.HeldResource held;
    private OptionalLong delayed = OptionalLong.empty();

    public HoldTaskRow() {
        super(
                "hold-task-row",
                "Locks the row of one task in a transaction for " + HELD.toSeconds()
                        + " s; no other task may be late because of it.",
                RoleEffect.SAME_MASTER);
    }

    @Override
    public Duration lasts() {
        return HELD;
    }

    @Override
    public Optional<Duration> quietAtMost() {
        return Optional.of(Duration.ofSeconds(1));
    }

    @Override
    public OptionalLong delayed() {
        return delayed;
    }

    @Override
    public Set<FaultComponent> parts() {
        return Set.of(FaultComponent.DATABASE);
    }

    @Override
    public void strike(DrillStage stage) throws DrillException, IOException {
        long task = stage.tasks().get(0);
        delayed = OptionalLong.of(task);
        stage.undo().add("release the row", this::releaseLock);
        stage.strike(
                "locked the row of task " + task,
                () -> held = stage.pair().database().lockTask(task));
    }

    @Override
    public void heal(DrillStage stage) throws DrillException, IOException {
        stage.heal("released the row", this::releaseLock);
    }

    private void releaseLock() throws IOException {
        if (held != null) {
            held.close();
            held = null;
        }
    }
}
