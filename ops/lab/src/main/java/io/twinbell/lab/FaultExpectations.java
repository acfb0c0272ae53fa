package io.twinbell.lab;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.check.Rule;
import io.twinbell.tools.check.Violation;
import io.twinbell.tools.check.history.EpochOpening;
import io.twinbell.tools.check.history.ReceivedCall;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;

/** Checks the expectations of a fault besides slots: changes of the role, the longest gap without calls, and others. */
final class FaultExpectations {
    private FaultExpectations() {}

    static void check(Fault fault, DrillStage stage, List<ReceivedCall> calls, Consumer<Violation> offences) {
        stage.broken().forEach(broken -> offences.accept(new Violation(Rule.PROMISE_BROKEN, null, broken)));
        fault.quiet().forEach(quiet -> checkQuiet(quiet, calls, offences));
        fault.delayed()
                .ifPresent(task ->
                        checkOtherTasks(task, fault.quietAtMost().orElseThrow(), stage.faultMicros(), calls, offences));
        OptionalLong silence = longestSilence(stage.faultMicros(), calls);
        fault.quietAtMost()
                .or(() -> stage.wasReady() ? fault.quietIfReady() : Optional.empty())
                .filter(bound -> silence.orElse(Long.MAX_VALUE) > bound.toMillis())
                .ifPresent(bound -> offences.accept(new Violation(
                        Rule.PROMISE_BROKEN,
                        null,
                        (silence.isPresent()
                                        ? "there was no call for " + silence.getAsLong() + " ms"
                                        : "there was no call at all")
                                + ", but the limit is " + bound.toMillis() + " ms")));
    }

    static void checkQuiet(Fault.QuietPeriod quiet, List<ReceivedCall> calls, Consumer<Violation> offences) {
        calls.stream()
                .filter(call -> quiet.has(call.arrivedMicros()))
                .forEach(call -> offences.accept(new Violation(
                        Rule.PROMISE_BROKEN, call.slot(), "called, but no call is allowed while " + quiet.why())));
    }

    /**
     * Checks the lateness of each call since the fault, except those of one task. The gap alone would not show tasks
     * that wait while others are called.
     */
    static void checkOtherTasks(
            long delayed, Duration bound, long faultMicros, List<ReceivedCall> calls, Consumer<Violation> offences) {
        calls.stream()
                .filter(call -> call.slot().taskId() != delayed && call.arrivedMicros() >= faultMicros)
                .filter(call -> call.latenessMicros() > bound.toNanos() / 1000)
                .forEach(call -> offences.accept(new Violation(
                        Rule.PROMISE_BROKEN,
                        call.slot(),
                        "called " + call.latenessMicros() / 1000 + " ms late, but the limit is " + bound.toMillis()
                                + " ms for every task except " + delayed)));
    }

    /**
     * Checks that the master changed as often as the fault allows.
     *
     * @param openings the epoch before the fault, and all epochs opened since
     */
    static void checkRoleChanges(Fault.Epochs owed, List<EpochOpening> openings, Consumer<Violation> offences) {
        List<EpochOpening> opened = openings.subList(1, openings.size());
        if (owed.most() == 0 && !opened.isEmpty()) {
            offences.accept(new Violation(Rule.MASTER_CHANGED, null, "new epochs: " + opened));
        } else if (opened.size() < owed.least() || opened.size() > owed.most()) {
            offences.accept(new Violation(
                    Rule.NOT_ONE_SUCCESSOR,
                    null,
                    opened.size() + " epochs were opened, but the fault explains " + words(owed) + ": " + opened));
        }
    }

    private static String words(Fault.Epochs owed) {
        return owed.least() == owed.most() ? Integer.toString(owed.least()) : owed.least() + " to " + owed.most();
    }

    /**
     * The longest time between two calls after an instant, in milliseconds; empty if there are fewer than two calls.
     *
     * @param fromMicros a silence that began earlier counts from here
     */
    static OptionalLong longestSilence(long fromMicros, List<ReceivedCall> calls) {
        long[] arrivals = calls.stream()
                .mapToLong(ReceivedCall::arrivedMicros)
                .filter(arrived -> arrived >= fromMicros)
                .sorted()
                .toArray();
        long longest = -1;
        long before = fromMicros;
        for (long arrived : arrivals) {
            longest = Math.max(longest, arrived - before);
            before = arrived;
        }
        return longest < 0 ? OptionalLong.empty() : OptionalLong.of(longest / 1000);
    }
}
