package io.twinbell.lab;

import io.twinbell.lab.stage.DrillEvent;
import io.twinbell.lab.stage.RoleAssignment;
import io.twinbell.tools.check.Violation;
import io.twinbell.tools.check.history.EpochOpening;
import io.twinbell.tools.check.history.ReceivedCall;
import io.twinbell.tools.check.history.SlotTotals;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.Predicate;

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
                        FaultExpectations.longestSilence(
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

    /**
     * Delays of reruns: for each run that was orphaned by the master's death and rerun by its policy, the time from the
     * (first) fault to its next call at the receiver, in microseconds. In a drill there is no other reason for a further
     * attempt.
     */
    record RerunDelay(List<Long> micros) {
        static RerunDelay of(long faultMicros, long epochBefore, List<ReceivedCall> calls) {
            return new RerunDelay(calls.stream()
                    .filter(call -> call.attempt() > 1 && call.epoch() > epochBefore)
                    .map(call -> call.arrivedMicros() - faultMicros)
                    .toList());
        }

        boolean isEmpty() {
            return micros.isEmpty();
        }

        Lateness summary() {
            return Lateness.of(micros.stream().mapToLong(Long::longValue));
        }
    }

    /**
     * Lateness of the calls before, during and after the takeover.
     *
     * @param before calls that arrived before the fault
     * @param backlog calls that waited for the new master; all calls after the fault if there was no new master
     * @param after calls that became due after the new master's first call
     */
    record LatenessBreakdown(Lateness before, Lateness backlog, Lateness after) {
        static LatenessBreakdown of(long faultMicros, long epochBefore, List<ReceivedCall> calls) {
            long firstMicros = calls.stream()
                    .filter(call -> call.epoch() > epochBefore)
                    .mapToLong(ReceivedCall::arrivedMicros)
                    .min()
                    .orElse(Long.MAX_VALUE);
            Predicate<ReceivedCall> isLater = call -> call.slot().fireMillis() > Math.floorDiv(firstMicros, 1000L);
            Predicate<ReceivedCall> isBehind = firstMicros == Long.MAX_VALUE
                    ? call -> call.arrivedMicros() >= faultMicros
                    : isLater.negate().and(call -> call.epoch() > epochBefore);
            return new LatenessBreakdown(
                    late(calls, call -> call.arrivedMicros() < faultMicros),
                    late(calls, isBehind),
                    late(calls, isLater));
        }

        private static Lateness late(List<ReceivedCall> calls, Predicate<ReceivedCall> which) {
            return Lateness.of(calls.stream().filter(which).mapToLong(ReceivedCall::latenessMicros));
        }
    }
}
