package io.twinbell.persistence.limit;

import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** Reads the limits and the executions that count towards them, for the engine. */
public interface LimitSource {
    /** All limits. */
    List<RunLimit> limits();

    /** The number of executions of each key that are claimed under another epoch and have no outcome. */
    Map<String, Integer> runningElsewhere(Epoch epoch, Collection<String> keys);

    /**
     * When executions of the keys were claimed within that time, by the database's clock, in any order. Only slots
     * planned at most a day before that time are included; each execution counts once, whatever its attempts.
     */
    Map<String, List<Long>> startedWithin(Duration time, Collection<String> keys);
}
