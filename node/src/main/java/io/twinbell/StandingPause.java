package io.twinbell;

import java.time.Instant;
import java.util.Optional;

/**
 * A pause of all tasks of an app, with a tag or with a handler, also of tasks that are created later.
 *
 * @param key {@code app:…}, {@code tag:…} or {@code handler:…}
 * @param until when it ends by itself; empty if it lasts until it is resumed
 */
public record StandingPause(String key, Instant since, Optional<Instant> until, String reason, String by) {}
