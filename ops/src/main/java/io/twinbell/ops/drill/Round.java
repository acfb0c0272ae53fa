package io.twinbell.ops.drill;

import io.twinbell.ops.check.Accounts;
import io.twinbell.ops.check.Offence;
import io.twinbell.ops.check.Opening;
import java.nio.file.Path;
import java.util.List;

/**
 * What one round came to.
 *
 * @param epoch the last one that was opened
 */
record Round(
        Cast cast, long epoch, Takeover takeover, Accounts accounts, Lates lates, List<Offence> offences, Scene scene) {
    /**
     * Where it happened.
     *
     * @param directory the evidence
     * @param killMicros when the master was killed
     * @param load the machine's load average over the last minute; negative if it can't be told
     */
    record Scene(Path directory, long killMicros, double load) {}

    static Round of(Cast cast, Scene scene, Judge.Verdict verdict) {
        return new Round(
                cast,
                verdict.history().openings().stream()
                        .mapToLong(Opening::epoch)
                        .max()
                        .orElseThrow(),
                Takeover.of(
                        scene.killMicros(),
                        cast.epoch(),
                        verdict.changes(),
                        verdict.history().calls()),
                Accounts.of(verdict.history()),
                Lates.of(scene.killMicros(), cast.epoch(), verdict.history().calls()),
                verdict.offences(),
                scene);
    }

    boolean passed() {
        return offences.isEmpty();
    }
}
