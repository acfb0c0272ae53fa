package io.twinbell.node.simulation;

import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.limit.LimitSource;
import io.twinbell.persistence.limit.RunLimit;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Map;

/** A database without limits. */
record NoLimitSource(Link link) implements LimitSource {
    @Override
    public List<RunLimit> limits() {
        return link.ask("limits?", List::of);
    }

    @Override
    public Map<String, Integer> runningElsewhere(Epoch epoch, Collection<String> keys) {
        return Map.of();
    }

    @Override
    public Map<String, List<Long>> startedWithin(Duration time, Collection<String> keys) {
        return Map.of();
    }
}
