package io.twinbell.persistence.limit;

import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** What whoever fires needs to know of limits. */
public interface LimitSource {
    /** All of them. */
    List<RunLimit> limits();

    /** How many executions of each key are claimed under another epoch and without an outcome. */
    Map<String, Integer> runningElsewhere(Epoch epoch, Collection<String> keys);

    /**
     * When executions of the keys were claimed within that time, by the database's clock, in any order. Of slots that
     * were planned up to a day before it; each execution counts once, whatever its attempts.
     */
    Map<String, List<Long>> startedWithin(Duration time, Collection<String> keys);
}
