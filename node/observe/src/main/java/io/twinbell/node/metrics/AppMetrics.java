package io.twinbell.node.metrics;

import io.prometheus.metrics.model.snapshots.ClassicHistogramBuckets;
import io.prometheus.metrics.model.snapshots.CounterSnapshot;
import io.prometheus.metrics.model.snapshots.CounterSnapshot.CounterDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot;
import io.prometheus.metrics.model.snapshots.HistogramSnapshot.HistogramDataPointSnapshot;
import io.prometheus.metrics.model.snapshots.Labels;
import io.prometheus.metrics.model.snapshots.MetricMetadata;
import io.prometheus.metrics.model.snapshots.MetricSnapshot;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Function;
import java.util.function.LongSupplier;

/**
 * Counts executions, their lateness and duration, and missed slots by app. The 100 busiest apps have series of their
 * own; all others share those without the label. When a busier app takes the place of another, the other app's counts
 * are added to the shared series, and the busier app starts at zero. So no counter ever decreases. Updates take no
 * lock.
 */
public final class AppMetrics {
    static final int NAMED = 100;
    private static final int CANDIDATES = 1000;
    private static final long RANKED_EVERY = TimeUnit.MINUTES.toNanos(1);
    /**
     * How many buckets are merged into one: two remain for each decade, because there may be a hundred of these
     * histograms.
     */
    private static final int MERGED_BUCKETS = 3;

    private final LongSupplier nanos;
    private final Map<String, Series> named = new ConcurrentHashMap<>();
    private final Map<String, LongAdder> candidates = new ConcurrentHashMap<>();
    private final Series others;
    private long rankedNanos;

    /** The series of one app. */
    private static final class Series {
        private final Map<String, LongAdder> executions = new ConcurrentHashMap<>();
        private final LongAdder missed = new LongAdder();
        private final Buckets lateness;
        private final Buckets duration;
        /** Since the latest ranking. */
        private final LongAdder recent = new LongAdder();

        Series(LongSupplier nanos) {
            lateness = new Buckets(nanos);
            duration = new Buckets(nanos);
        }

        void count(String state) {
            executions.computeIfAbsent(state, s -> new LongAdder()).increment();
        }

        void add(Series other) {
            other.executions.forEach((state, count) ->
                    executions.computeIfAbsent(state, s -> new LongAdder()).add(count.sum()));
            missed.add(other.missed.sum());
            lateness.add(other.lateness);
            duration.add(other.duration);
        }
    }

    /** A series with its label. */
    private record Labelled(String app, Series series) {
        Labels labels() {
            return app == null ? Labels.EMPTY : Labels.of("app", app);
        }

        Labels labels(String state) {
            return app == null ? Labels.of("state", state) : Labels.of("app", app, "state", state);
        }
    }

    /** @param nanos a monotonic clock */
    public AppMetrics(LongSupplier nanos) {
        this.nanos = nanos;
        others = new Series(nanos);
        rankedNanos = nanos.getAsLong();
    }

    /** Counts the end of an attempt. */
    public void ended(String app, String state) {
        of(app).count(state.toLowerCase(Locale.ROOT));
    }

    /** Records how late an attempt began. */
    public void late(String app, long micros) {
        of(app).lateness.update(TimeUnit.MICROSECONDS.toNanos(micros));
    }

    /** Records how long an attempt took. */
    public void took(String app, long micros) {
        of(app).duration.update(TimeUnit.MICROSECONDS.toNanos(micros));
    }

    /** Counts slots that were missed. */
    public void missed(String app, long slots) {
        of(app).missed.add(slots);
    }

    private Series of(String app) {
        Series known = named.get(app);
        if (known == null) {
            known = named.size() < NAMED ? admit(app) : others;
        }
        if (known == others) {
            LongAdder seen = candidates.get(app);
            if (seen == null && candidates.size() < CANDIDATES) {
                seen = candidates.computeIfAbsent(app, a -> new LongAdder());
            }
            if (seen != null) {
                seen.increment();
            }
        } else {
            known.recent.increment();
        }
        return known;
    }

    private synchronized Series admit(String app) {
        Series known = named.get(app);
        if (known == null && named.size() < NAMED) {
            known = new Series(nanos);
            named.put(app, known);
        }
        return known == null ? others : known;
    }

    /** Gives the places of less busy apps to apps that were busier since the last ranking. */
    private void rank() {
        if (nanos.getAsLong() - rankedNanos < RANKED_EVERY) {
            return;
        }
        rankedNanos = nanos.getAsLong();
        List<Map.Entry<String, Series>> idlest = new ArrayList<>(named.entrySet());
        idlest.sort(Comparator.comparingLong(entry -> entry.getValue().recent.sum()));
        List<Map.Entry<String, LongAdder>> busiest = new ArrayList<>(candidates.entrySet());
        busiest.sort(Comparator.comparingLong(entry -> -entry.getValue().sum()));
        for (int i = 0; i < Math.min(idlest.size(), busiest.size()); i++) {
            Series leaving = idlest.get(i).getValue();
            if (busiest.get(i).getValue().sum() <= leaving.recent.sum()) {
                break;
            }
            named.remove(idlest.get(i).getKey());
            others.add(leaving);
            named.put(busiest.get(i).getKey(), new Series(nanos));
        }
        named.values().forEach(series -> series.recent.reset());
        candidates.clear();
    }

    /** The current values as four families. */
    synchronized List<MetricSnapshot> snapshots() {
        rank();
        List<Labelled> all = new ArrayList<>();
        named.forEach((app, series) -> all.add(new Labelled(app, series)));
        all.sort(Comparator.comparing(Labelled::app));
        all.add(new Labelled(null, others));
        return List.of(
                new CounterSnapshot(
                        new MetricMetadata(
                                "twinbell_app_executions",
                                "Attempts of this node whose end was recorded or refused, by app and final state or SNOOZED"),
                        all.stream()
                                .flatMap(one -> one.series().executions.entrySet().stream()
                                        .map(count -> new CounterDataPointSnapshot(
                                                count.getValue().sum(), one.labels(count.getKey()), null, 0)))
                                .toList()),
                new CounterSnapshot(
                        new MetricMetadata("twinbell_app_missed", "Slots that this node recorded as missed, by app"),
                        all.stream()
                                .map(one -> new CounterDataPointSnapshot(
                                        one.series().missed.sum(), one.labels(), null, 0))
                                .toList()),
                histogram(
                        "twinbell_app_lateness_seconds",
                        "Start of a first attempt minus its fire time, without runs on request, in seconds, by app",
                        all,
                        series -> series.lateness),
                histogram(
                        "twinbell_app_duration_seconds",
                        "Duration of attempts, in seconds, by app",
                        all,
                        series -> series.duration));
    }

    private static HistogramSnapshot histogram(
            String name, String help, List<Labelled> all, Function<Series, Buckets> buckets) {
        return new HistogramSnapshot(
                new MetricMetadata(name, help),
                all.stream()
                        .map(one -> point(buckets.apply(one.series()), one.labels()))
                        .toList());
    }

    private static HistogramDataPointSnapshot point(Buckets buckets, Labels labels) {
        ClassicHistogramBuckets.Builder merged = ClassicHistogramBuckets.builder();
        long count = 0;
        for (int i = 0; i < Buckets.count(); i++) {
            count += buckets.inBucket(i);
            if (i % MERGED_BUCKETS == 0 || i == Buckets.count() - 1) {
                merged.bucket(Buckets.upperSeconds(i), count);
                count = 0;
            }
        }
        return new HistogramDataPointSnapshot(merged.build(), buckets.sumSeconds(), labels, null, 0);
    }
}
