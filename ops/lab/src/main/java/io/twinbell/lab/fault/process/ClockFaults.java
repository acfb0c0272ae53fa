package io.twinbell.lab.fault.process;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.Fault.RoleEffect;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.FaultTarget;
import io.twinbell.lab.fault.PlainFault;
import io.twinbell.lab.own.FakeClock;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;

/** Wall clocks of nodes are wrong. */
public final class ClockFaults {
    private static final int STROBE_TIMES = 6;
    private static final Duration STROBE_JUMP = Duration.ofSeconds(20);
    private static final Duration BETWEEN_JUMPS = Duration.ofMillis(1500);
    private static final Duration SKEW_SETTLES = Duration.ofSeconds(4);

    /** The master's wall clock jumps forward and back repeatedly. */
    public static final Fault STROBE = PlainFault.of(
                    "clock-strobe",
                    "Sets the clock of the master " + STROBE_JUMP.toSeconds() + " s forward and back again, "
                            + STROBE_TIMES + " times.",
                    RoleEffect.SAME_MASTER)
            .requires(FaultRequirements.CLOCKS)
            .quietAtMost(Duration.ofSeconds(1))
            .breaks(FaultComponent.MASTER_CLOCK)
            .strikesOwn(
                    ClockFaults::strobe,
                    (stage, pair) -> correct(stage, pair, stage.roles().master()));

    private ClockFaults() {}

    /**
     * Sets a node's wall clock forward or back while the node runs.
     *
     * @param jump how far ahead; negative for back
     */
    public static Fault jump(FaultTarget target, Duration jump) {
        return PlainFault.of(
                        "clock-" + (jump.isNegative() ? "back-" : "forward-") + target.word(),
                        "Sets the clock of the " + target.word() + " "
                                + jump.abs().toMinutes() + " min " + (jump.isNegative() ? "back" : "forward")
                                + ", and corrects it after 10 s.",
                        RoleEffect.SAME_MASTER)
                .requires(FaultRequirements.CLOCKS)
                .lasts(Duration.ofSeconds(10))
                .quietAtMost(Duration.ofSeconds(1))
                .breaks(FaultComponent.clock(target))
                .strikesOwn(
                        (stage, pair) -> {
                            String node = target.of(stage.roles());
                            FakeClock clock = pair.clockOf(node);
                            stage.undo().add("correct the clock", () -> clock.set(Duration.ZERO));
                            stage.strike("set the clock of node " + node + " by " + jump, () -> clock.set(jump));
                        },
                        (stage, pair) -> correct(stage, pair, target.of(stage.roles())));
    }

    /**
     * The successor's clock is wrong when it takes over.
     *
     * @param skew how far ahead; negative for behind
     */
    public static Fault skewedSuccessor(Duration skew) {
        return PlainFault.of(
                        "skewed-successor-" + (skew.isNegative() ? "behind" : "ahead"),
                        "Sets the clock of the standby " + skew.abs().toMinutes() + " min "
                                + (skew.isNegative() ? "back" : "forward") + ", and kills the master.",
                        RoleEffect.SUCCESSOR)
                .requires(FaultRequirements.CLOCKS)
                .quietIfReady(ProcessFaults.TAKEOVER_AFTER_DEATH)
                .strikesOwn(
                        (stage, pair) -> {
                            String standby = stage.roles().standby();
                            stage.undo()
                                    .add(
                                            "correct the clock",
                                            () -> pair.clockOf(standby).set(Duration.ZERO));
                            pair.clockOf(standby).set(skew);
                            stage.print("set the clock of node " + standby + " by " + skew);
                            stage.poll().sleep(SKEW_SETTLES);
                            stage.kill(stage.roles().master());
                        },
                        (stage, pair) -> {
                            stage.start(stage.roles().master());
                            correct(stage, pair, stage.roles().standby());
                        });
    }

    private static void strobe(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        FakeClock clock = pair.clockOf(stage.roles().master());
        stage.undo().add("correct the clock", () -> clock.set(Duration.ZERO));
        for (int time = 0; time < STROBE_TIMES; time++) {
            Duration ahead = time % 2 == 0 ? STROBE_JUMP : STROBE_JUMP.negated();
            stage.strike("set the clock of the master by " + ahead, () -> clock.set(ahead));
            stage.poll().sleep(BETWEEN_JUMPS);
        }
    }

    private static void correct(DrillStage stage, OwnPair pair, String node) throws DrillException, IOException {
        stage.heal("corrected the clock", () -> pair.clockOf(node).set(Duration.ZERO));
    }
}
