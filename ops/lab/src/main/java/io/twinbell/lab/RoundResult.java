package io.twinbell.lab;

import io.twinbell.lab.stage.DrillEvent;
import io.twinbell.lab.stage.RoleAssignment;
import io.twinbell.tools.check.Violation;
import io.twinbell.tools.check.history.EpochOpening;
import io.twinbell.tools.check.history.SlotTotals;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * The result of one round.
 *
 * @param epoch the last epoch that was opened
 */
record RoundResult(
        RoleAssignment roles,
        long epoch,
        Gap gap,
        SlotTotals totals,
        LatenessBreakdown lateness,
        List<Violation> violations,
        Scene scene) {
    /**
     * The time without calls.
     *
     * @param silence the longest time without any call, from the fault on, in milliseconds
     */
    record Gap(TakeoverTimings takeover, RerunDelay rerunDelay, OptionalLong silence) {
        /** The time until the successor's first call; without a successor, the longest silence. */
        OptionalLong millis() {
            return takeover.call().isPresent() ? takeover.call() : silence;
        }
    }

    /**
     * The circumstances of the round.
     *
     * @param fault the fault's name
     * @param directory the directory of the evidence
     * @param marks the drill's actions
     * @param load the machine's load average over the last minute; negative if unknown
     */
    record Scene(String fault, Path directory, List<DrillEvent> marks, double load) {
        /** When the fault struck. */
        long faultMicros() {
            return marks.stream()
                    .filter(DrillEvent::strikes)
                    .mapToLong(DrillEvent::atMicros)
                    .min()
                    .orElse(Long.MAX_VALUE);
        }
    }

    static RoundResult of(RoleAssignment roles, Scene scene, RoundChecker.Verdict verdict) {
        return new RoundResult(
                roles,
                verdict.history().openings().stream()
                        .mapToLong(EpochOpening::epoch)
                        .max()
                        .orElseThrow(),
                new Gap(
                        TakeoverTimings.of(
                                scene.faultMicros(),
                                roles.epoch(),
                                verdict.changes(),
                                verdict.history().calls()),
                        RerunDelay.of(
                                scene.faultMicros(),
                                roles.epoch(),
                                verdict.history().calls()),
                        SilenceMeter.longest(
                                scene.faultMicros(), verdict.history().calls())),
                SlotTotals.of(verdict.history()),
                LatenessBreakdown.of(
                        scene.faultMicros(), roles.epoch(), verdict.history().calls()),
                verdict.violations(),
                scene);
    }

    boolean passed() {
        return violations.isEmpty();
    }
}
