package io.twinbell.ops.drill;

import io.twinbell.ops.check.Accounts;
import io.twinbell.ops.check.Offence;
import io.twinbell.ops.check.Opening;
import io.twinbell.ops.drill.stage.Cast;
import io.twinbell.ops.drill.stage.Mark;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;

/**
 * What one round came to.
 *
 * @param epoch the last one that was opened
 */
record Round(Cast cast, long epoch, Gap gap, Accounts accounts, Lates lates, List<Offence> offences, Scene scene) {
    /**
     * How long it was quiet.
     *
     * @param silence the longest time without any call, from the fault on, in milliseconds
     */
    record Gap(Takeover takeover, Reruns reruns, OptionalLong silence) {
        /** Until the first call of a successor; without one, the longest silence. */
        OptionalLong millis() {
            return takeover.call().isPresent() ? takeover.call() : silence;
        }
    }

    /**
     * Where it happened.
     *
     * @param fault the name of what was done
     * @param directory the evidence
     * @param marks what was done
     * @param load the machine's load average over the last minute; negative if it can't be told
     */
    record Scene(String fault, Path directory, List<Mark> marks, double load) {
        /** When the fault struck. */
        long faultMicros() {
            return marks.stream()
                    .filter(Mark::strikes)
                    .mapToLong(Mark::atMicros)
                    .min()
                    .orElse(Long.MAX_VALUE);
        }
    }

    static Round of(Cast cast, Scene scene, Judge.Verdict verdict) {
        return new Round(
                cast,
                verdict.history().openings().stream()
                        .mapToLong(Opening::epoch)
                        .max()
                        .orElseThrow(),
                new Gap(
                        Takeover.of(
                                scene.faultMicros(),
                                cast.epoch(),
                                verdict.changes(),
                                verdict.history().calls()),
                        Reruns.of(
                                scene.faultMicros(),
                                cast.epoch(),
                                verdict.history().calls()),
                        Silence.longest(scene.faultMicros(), verdict.history().calls())),
                Accounts.of(verdict.history()),
                Lates.of(scene.faultMicros(), cast.epoch(), verdict.history().calls()),
                verdict.offences(),
                scene);
    }

    boolean passed() {
        return offences.isEmpty();
    }
}
