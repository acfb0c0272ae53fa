package io.twinbell;

import io.twinbell.node.json.ControlCharacterCheck;
import io.twinbell.node.limit.store.StandingPauses;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.limit.LimitKey;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * Pauses and resumes all tasks of an app, with a tag or with a handler, from the program that embeds a node. All methods
 * throw {@link DatabaseException} if the database does not answer.
 */
public final class Pauses {
    private final Supplier<StandingPauses> pauses;

    Pauses(Supplier<StandingPauses> pauses) {
        this.pauses = pauses;
    }

    /** Returns the open pauses in the order of their keys, {@value StandingPauses#MAX_OPEN} at most. */
    public List<StandingPause> list() {
        return Failures.translated(
                () -> pauses.get().open().stream().map(Pauses::entry).toList());
    }

    /** As {@link #pause(String, String, String, Instant)}, until {@link #resume}. */
    public boolean pause(String key, String reason, String by) {
        return pause(key, reason, by, null);
    }

    /**
     * Pauses the tasks. An open pause of the same key gets the new reason and end.
     *
     * @param key {@code app:…}, {@code tag:…} or {@code handler:…}
     * @param by who pauses them
     * @param until when the pause ends by itself; null for never
     * @return whether they were not paused under this key before
     * @throws IllegalArgumentException if the key is invalid, or if too many pauses are open
     */
    public boolean pause(String key, String reason, String by, Instant until) {
        requireKey(key);
        Failures.required(reason, "a reason");
        Failures.required(by, "the name of who pauses");
        Failures.translated(() -> {
            ControlCharacterCheck.checkLine("/key", key);
            ControlCharacterCheck.checkLine("/reason", reason);
            ControlCharacterCheck.checkLine("/by", by);
            return null;
        });
        OptionalLong end = until == null ? OptionalLong.empty() : OptionalLong.of(Failures.millis(until, "the end"));
        StandingPauses.SetResult result = Failures.translated(() -> pauses.get().set(key, reason, by, end));
        if (result == StandingPauses.SetResult.FULL) {
            throw new IllegalArgumentException(
                    "there are already " + StandingPauses.MAX_OPEN + " standing pauses; end one first");
        }
        return result == StandingPauses.SetResult.CREATED;
    }

    /** Ends the pause of this key; returns false if none is open. */
    public boolean resume(String key) {
        requireKey(key);
        return Failures.translated(() -> pauses.get().end(key));
    }

    private static void requireKey(String key) {
        if (key == null || !LimitKey.isReserved(key) || !LimitKey.isWellFormed(key)) {
            throw new IllegalArgumentException(
                    "a pause needs a key such as app:shop, tag:nightly or handler:http, not " + key);
        }
    }

    private static StandingPause entry(Pause pause) {
        return new StandingPause(
                pause.key(),
                Instant.ofEpochMilli(pause.fromMillis()),
                pause.untilMillis() == Long.MAX_VALUE
                        ? Optional.empty()
                        : Optional.of(Instant.ofEpochMilli(pause.untilMillis())),
                pause.reason(),
                pause.by());
    }
}
