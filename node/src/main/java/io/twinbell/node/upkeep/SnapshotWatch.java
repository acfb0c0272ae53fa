package io.twinbell.node.upkeep;

import io.twinbell.node.execution.PeriodicQuery;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.upkeep.store.SnapshotSurvey.Holder;
import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Finds every 15 s the holders of old snapshots, such as sessions and replication slots, which keep vacuum from
 * cleaning up, and logs each once.
 */
public final class SnapshotWatch {
    private static final Logger LOG = LoggerFactory.getLogger(SnapshotWatch.class);
    private static final Duration BETWEEN_LOOKS = Duration.ofSeconds(15);

    private final Supplier<List<Holder>> survey;
    private final PeriodicQuery look;
    private List<String> named = List.of();
    private volatile long seconds;

    /** @param survey returns the holders of old snapshots, the oldest first */
    public SnapshotWatch(Supplier<List<Holder>> survey, Ticker ticker, Loop loop) {
        this.survey = survey;
        look = new PeriodicQuery(BETWEEN_LOOKS, ticker, loop);
    }

    /** Makes the query if it is due; returns how long until the next, in nanoseconds. */
    public long step() {
        return look.step(() -> saw(survey.get()));
    }

    private void saw(List<Holder> holders) {
        seconds = holders.stream().mapToLong(Holder::seconds).max().orElse(0);
        for (Holder holder : holders) {
            if (!named.contains(holder.holder())) {
                LOG.warn(
                        "{} has held a snapshot for more than a minute, so vacuum cannot clean up: {}",
                        holder.holder(),
                        holder.wayOut());
            }
        }
        named = holders.stream().map(Holder::holder).toList();
    }

    /** For how many seconds the oldest snapshot has been held; 0 if none has been for more than a minute. */
    public long seconds() {
        return seconds;
    }
}
