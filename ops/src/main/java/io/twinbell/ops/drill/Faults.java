package io.twinbell.ops.drill;

import io.twinbell.ops.drill.Fault.Act;
import io.twinbell.ops.drill.Fault.Aftermath;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Every fault that can be drilled on the pair of {@code scripts/pair}. */
final class Faults {
    private static final Act NOTHING = stage -> {};
    /** Longer than the ZooKeeper session of the pair. */
    private static final Duration OUTAGE = Duration.ofSeconds(15);
    /** Longer than a heartbeat may be old, so that the master counts as dead when the database goes on. */
    private static final Duration HANG = Duration.ofSeconds(6);

    static final List<Fault> ALL = List.of(
            new Fault(
                    "kill",
                    "Kills the master with SIGKILL.",
                    Aftermath.SUCCESSOR,
                    Duration.ZERO,
                    stage -> stage.kill(stage.cast().master()),
                    stage -> stage.start(stage.cast().master())),
            new Fault(
                    "stop",
                    "Stops the master with SIGTERM, so that it hands over and drains.",
                    Aftermath.SUCCESSOR,
                    Duration.ZERO,
                    stage -> stage.terminate(stage.cast().master()),
                    stage -> stage.start(stage.cast().master())),
            new Fault(
                    "switchover",
                    "Asks the master to hand over; no process ends.",
                    Aftermath.SUCCESSOR,
                    Duration.ZERO,
                    Stage::switchOver,
                    NOTHING),
            new Fault(
                    "freeze",
                    "Freezes the master with SIGSTOP until the standby has taken over, and lets it go on.",
                    Aftermath.SUCCESSOR,
                    Duration.ZERO,
                    stage -> stage.freeze(stage.cast().master()),
                    stage -> stage.thaw(stage.cast().master())),
            new Fault(
                    "kill-standby",
                    "Kills the standby with SIGKILL.",
                    Aftermath.SAME_MASTER,
                    Duration.ofSeconds(3),
                    stage -> stage.kill(stage.cast().standby()),
                    stage -> stage.start(stage.cast().standby())),
            new Fault(
                    "kill-both",
                    "Kills both nodes with SIGKILL and starts them again.",
                    Aftermath.ANY_MASTER,
                    Duration.ZERO,
                    Stage::killBoth,
                    Stage::startBoth),
            new Fault(
                    "end-sessions",
                    "Ends every session of PostgreSQL at once.",
                    Aftermath.SAME_MASTER,
                    Duration.ofSeconds(3),
                    Stage::endSessions,
                    NOTHING),
            new Fault(
                    "crash-database",
                    "Kills a server process of PostgreSQL with SIGKILL, so that it recovers from its log.",
                    Aftermath.SAME_MASTER,
                    Duration.ofSeconds(3),
                    Stage::crashDatabase,
                    NOTHING),
            new Fault(
                    "freeze-database",
                    "Freezes PostgreSQL for " + HANG.toSeconds() + " s.",
                    Aftermath.SAME_MASTER,
                    HANG,
                    Stage::freezeDatabase,
                    Stage::thawDatabase),
            new Fault(
                    "freeze-zookeeper",
                    "Freezes ZooKeeper for " + OUTAGE.toSeconds() + " s.",
                    Aftermath.SAME_MASTER,
                    OUTAGE,
                    Stage::freezeZooKeeper,
                    Stage::thawZooKeeper));

    private Faults() {}

    static Optional<Fault> named(String name) {
        return ALL.stream().filter(fault -> fault.name().equals(name)).findFirst();
    }
}
