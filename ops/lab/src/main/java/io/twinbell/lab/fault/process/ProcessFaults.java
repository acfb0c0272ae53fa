package io.twinbell.lab.fault.process;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.Fault.Epochs;
import io.twinbell.lab.fault.Fault.RoleEffect;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.FaultTarget;
import io.twinbell.lab.fault.PlainFault;
import io.twinbell.lab.fault.RejoinCheck;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.DrilledPair;
import io.twinbell.tools.client.NodeClient;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Node processes crash, hang, are stopped and restarted, and the role moves on request. */
public final class ProcessFaults {
    /** The leaving master records its resignation, and its successor waits for nothing else. */
    private static final Duration TAKEOVER_AFTER_RESIGNATION = Duration.ofSeconds(2);
    /** Far below the timeout of the dead node's ZooKeeper session. */
    static final Duration TAKEOVER_AFTER_DEATH = Duration.ofSeconds(3);
    /** The approximate time of a promotion after a kill. */
    private static final int PROMOTION_MILLIS = 300;

    /** A development pair's session timeout and one tick: its ZooKeeper expires sessions by whole ticks. */
    private static final Duration SESSION_AND_A_TICK = Duration.ofSeconds(12);

    private static final Duration PAUSE = Duration.ofSeconds(3);
    private static final Duration HELD = Duration.ofSeconds(50);
    private static final Duration HOLD_LIMIT = Duration.ofSeconds(5);
    private static final Duration DARK = Duration.ofSeconds(140);
    private static final Duration SWITCHOVER_LIMIT = Duration.ofSeconds(30);

    /** A node's process crashes. */
    public static final Fault KILL = PlainFault.of("kill", "Kills the master with SIGKILL.", RoleEffect.SUCCESSOR)
            .breaks(FaultComponent.MASTER)
            .isRepairedLast()
            .quietIfReady(TAKEOVER_AFTER_DEATH)
            .strikes(stage -> stage.kill(stage.roles().master()), ProcessFaults::startMaster);

    /** A node is stopped in the ordinary way. */
    public static final Fault STOP = PlainFault.of(
                    "stop", "Stops the master with SIGTERM, so that it hands over and drains.", RoleEffect.SUCCESSOR)
            .breaks(FaultComponent.MASTER)
            .isRepairedLast()
            .quietAtMost(TAKEOVER_AFTER_RESIGNATION)
            .strikes(stage -> stage.terminate(stage.roles().master()), ProcessFaults::startMaster);

    /** A requested switchover of the master role. */
    public static final Fault SWITCHOVER = PlainFault.of(
                    "switchover", "Asks the master to hand over; no process ends.", RoleEffect.SUCCESSOR)
            .quietAtMost(TAKEOVER_AFTER_RESIGNATION)
            .strikes(ProcessFaults::switchOver);

    /** Both nodes are restarted one after another, as for a new version. */
    public static final Fault ROLLING_RESTART = PlainFault.of(
                    "rolling-restart",
                    "Stops and starts the standby, then the master, with SIGTERM.",
                    RoleEffect.SUCCESSOR)
            .quietAtMost(TAKEOVER_AFTER_RESIGNATION)
            .strikes(ProcessFaults::restartBoth, ProcessFaults::startMaster);

    /** The standby crashes; no call may be affected. */
    public static final Fault KILL_STANDBY = PlainFault.of(
                    "kill-standby", "Kills the standby with SIGKILL.", RoleEffect.SAME_MASTER)
            .breaks(FaultComponent.STANDBY)
            .isRepairedLast()
            .lasts(Duration.ofSeconds(3))
            .quietAtMost(Duration.ofSeconds(1))
            .strikes(
                    stage -> stage.kill(stage.roles().standby()),
                    stage -> stage.start(stage.roles().standby()));

    /** Both nodes crash. The first node to return takes over; the other one then finds a living master. */
    public static final Fault KILL_BOTH = PlainFault.of(
                    "kill-both", "Kills both nodes with SIGKILL and starts them again.", RoleEffect.ANY_MASTER)
            .breaks(FaultComponent.MASTER, FaultComponent.STANDBY)
            .isRepairedLast()
            .opens(Epochs.exactly(1))
            .strikes(ProcessFaults::killBoth, ProcessFaults::startBoth);

    /** Both nodes are down for minutes. */
    public static final Fault KILL_BOTH_FOR_MINUTES = PlainFault.of(
                    "dark-pair",
                    "Kills both nodes with SIGKILL, and starts them again after " + DARK.toSeconds() + " s.",
                    RoleEffect.ANY_MASTER)
            .requires(FaultRequirements.OWN)
            .opens(Epochs.exactly(1))
            .lasts(DARK)
            .pages("TwinbellNoData")
            .strikes(ProcessFaults::killBoth, ProcessFaults::startBoth);

    /**
     * The master crashes, and so does its successor during the promotion. The successor may have opened its epoch
     * before it was killed; the first node to return opens one more.
     */
    public static final Fault KILL_PROMOTING = PlainFault.of(
                    "kill-promoting",
                    "Kills the master, and its successor at a random moment within " + PROMOTION_MILLIS
                            + " ms, while it is promoted; starts both.",
                    RoleEffect.ANY_MASTER)
            .opens(new Epochs(1, 2))
            .strikes(ProcessFaults::killPromoting, stage -> {
                stage.start(DrilledPair.other(stage.roles().master()));
                stage.start(stage.roles().master());
            });

    /** The master hangs for longer than its ZooKeeper session timeout. */
    public static final Fault FREEZE = PlainFault.of(
                    "freeze",
                    "Freezes the master with SIGSTOP until the standby has taken over, and resumes it.",
                    RoleEffect.SUCCESSOR)
            .quietAtMost(SESSION_AND_A_TICK.plusMillis(500))
            .straggles(Duration.ZERO)
            .isolates(FaultTarget.MASTER, Duration.ZERO)
            .breaks(FaultComponent.MASTER)
            .expects(stage -> RejoinCheck.expect(stage, stage.roles().master()))
            .strikes(stage -> freeze(stage, FaultTarget.MASTER), stage -> thaw(stage, FaultTarget.MASTER));

    /** The master dies while automatic takeover is on hold; there is no master until the hold is released. */
    public static final Fault HOLD_AND_KILL = PlainFault.of(
                    "held-back",
                    "Puts automatic takeover on hold, kills the master with SIGKILL, and releases the hold after "
                            + HELD.toSeconds() + " s.",
                    RoleEffect.ANY_MASTER)
            .requires(FaultRequirements.OWN)
            .opens(Epochs.exactly(1))
            .lasts(HELD)
            .pages("TwinbellNoLeader", "TwinbellTakeoverHeldBack", "TwinbellMasterSilent", "TwinbellNotFiring")
            .strikes(ProcessFaults::holdAndKill, stage -> {
                stage.heal("released the hold", () -> release(stage));
                stage.awaitMaster(stage.roles().standby());
                stage.start(stage.roles().master());
            });

    private ProcessFaults() {}

    /** A node hangs for less than its ZooKeeper session timeout, as in a long garbage collection or on a busy host. */
    public static Fault pause(FaultTarget target) {
        return PlainFault.of(
                        "pause-" + target.word(),
                        "Freezes the " + target.word() + " with SIGSTOP for " + PAUSE.toSeconds() + " s.",
                        RoleEffect.SAME_MASTER)
                .lasts(PAUSE)
                .isolates(target, Duration.ZERO)
                .breaks(FaultComponent.process(target))
                .strikes(stage -> freeze(stage, target), stage -> thaw(stage, target));
    }

    private static void startMaster(DrillStage stage) throws DrillException, IOException {
        stage.start(stage.roles().master());
    }

    private static void switchOver(DrillStage stage) throws DrillException, NodeException, IOException {
        NodeClient master = stage.pair().client(stage.roles().master(), SWITCHOVER_LIMIT);
        stage.strike("asked for a switchover", () -> {});
        master.post("/api/v1/cluster/switchover");
    }

    private static void restartBoth(DrillStage stage) throws DrillException, IOException {
        stage.terminate(stage.roles().standby());
        stage.start(stage.roles().standby());
        stage.awaitBothNodes();
        stage.endPrelude();
        stage.terminate(stage.roles().master());
    }

    private static void killBoth(DrillStage stage) throws DrillException, IOException {
        // Finds both processes first: after a kill of the master alone, the standby would take over.
        stage.process(stage.roles().standby());
        stage.kill(stage.roles().master());
        stage.kill(stage.roles().standby());
    }

    private static void startBoth(DrillStage stage) throws DrillException, IOException {
        stage.start(stage.roles().master());
        stage.start(stage.roles().standby());
    }

    private static void freeze(DrillStage stage, FaultTarget target) throws DrillException, IOException {
        String node = target.of(stage.roles());
        stage.freeze("node " + node, List.of(stage.process(node)));
    }

    private static void thaw(DrillStage stage, FaultTarget target) throws DrillException, IOException {
        String node = target.of(stage.roles());
        stage.thaw("node " + node, List.of(stage.process(node)));
    }

    private static void holdAndKill(DrillStage stage) throws DrillException, NodeException, IOException {
        stage.undo().add("release the hold", () -> release(stage));
        standby(stage)
                .post(
                        "/api/v1/cluster/hold",
                        JsonNodeFactory.instance.objectNode().put("reason", "drill"));
        stage.print("put automatic takeover on hold");
        stage.kill(stage.roles().master());
    }

    private static NodeClient standby(DrillStage stage) {
        return stage.pair().client(stage.roles().standby(), HOLD_LIMIT);
    }

    private static void release(DrillStage stage) throws IOException {
        try {
            standby(stage).post("/api/v1/cluster/release");
        } catch (NodeException e) {
            throw new IOException(e.getMessage(), e);
        }
    }

    private static void killPromoting(DrillStage stage) throws DrillException, IOException {
        stage.process(stage.roles().standby());
        stage.kill(stage.roles().master());
        long micros = stage.random().nextLong(PROMOTION_MILLIS * 1000L);
        stage.poll().sleep(Duration.ofNanos(micros * 1000));
        stage.kill(stage.roles().standby());
    }
}
