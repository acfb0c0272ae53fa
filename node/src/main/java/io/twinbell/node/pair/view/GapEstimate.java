package io.twinbell.node.pair.view;

import io.twinbell.node.api.cluster.PairState;
import io.twinbell.node.api.cluster.PairState.PromotionTimings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * Estimates how long nothing would fire if the master died now. Each part is the median of this pair's own promotions
 * of the same kind; a part that was never measured is estimated from the servers' round trips. A pure decision.
 */
final class GapEstimate {
    /** The number of newest measurements that count for each part. */
    private static final int NEWEST = 5;

    /**
     * The number of sequential round trips in each part. Detect: the owner's record, its port and its sessions. Latch:
     * the election's queue and latch node twice, two for the resumed session and one for its end, and the notification.
     * Fence: the transaction that opens the epoch. Rebuild: pauses, pending rows and the first page. First fire: the
     * claim and the start check.
     */
    private static final int DETECT_TRIPS = 3;

    private static final int LATCH_TRIPS = 8;
    private static final int FENCE_TRIPS = 8;
    private static final int REBUILD_TRIPS = 3;
    private static final int FIRST_FIRE_TRIPS = 2;

    private final List<PromotionTimings> promotions;
    private final List<PromotionTimings> takeovers;
    private final Measurements measurements;
    private final List<String> basis = new ArrayList<>();

    /**
     * The present state of the pair.
     *
     * @param isArmed whether the database lock would reveal a death
     * @param sessionTimeoutMillis how long ZooKeeper keeps a dead master's session
     */
    record Measurements(
            boolean isArmed, long sessionTimeoutMillis, double databaseTripMillis, double zooKeeperTripMillis) {}

    private GapEstimate(List<PromotionTimings> promotions, Measurements measurements) {
        this.promotions = promotions;
        this.measurements = measurements;
        takeovers = promotions.stream()
                .filter(timings -> timings.detectMillis() != null && timings.latchMillis() != null)
                .toList();
    }

    /** @param promotions newest first */
    static PairState.Gap of(List<PromotionTimings> promotions, Measurements measurements) {
        return new GapEstimate(promotions, measurements).gap();
    }

    private PairState.Gap gap() {
        PromotionTimings timings = new PromotionTimings(
                measurements.isArmed()
                        ? median("detect", takeovers, PromotionTimings::detectMillis, DETECT_TRIPS, "database")
                        : sessionTimeout(),
                measurements.isArmed()
                        ? median("latch", takeovers, PromotionTimings::latchMillis, LATCH_TRIPS, "ZooKeeper")
                        : 0.0,
                median("fence", promotions, PromotionTimings::fenceMillis, FENCE_TRIPS, "database"),
                median("rebuild", promotions, PromotionTimings::rebuildMillis, REBUILD_TRIPS, "database"),
                median("first fire", promotions, PromotionTimings::firstFireMillis, FIRST_FIRE_TRIPS, "database"));
        return new PairState.Gap(timings, String.join("; ", basis));
    }

    /**
     * The session timeout as the time to detect a death. It runs from the last ping, so this is the maximum, apart from
     * one tick of the server.
     */
    private Double sessionTimeout() {
        basis.add("detect: fast takeover is off, so ZooKeeper's session timeout of "
                + measurements.sessionTimeoutMillis() + " ms");
        return Double.valueOf(measurements.sessionTimeoutMillis());
    }

    private Double median(
            String part,
            List<PromotionTimings> measured,
            Function<PromotionTimings, Double> of,
            int trips,
            String server) {
        List<Double> values = measured.stream()
                .map(of)
                .filter(value -> value != null)
                .limit(NEWEST)
                .sorted()
                .toList();
        if (values.isEmpty()) {
            double trip =
                    server.equals("ZooKeeper") ? measurements.zooKeeperTripMillis() : measurements.databaseTripMillis();
            basis.add(String.format(
                    Locale.ROOT,
                    "%s: never measured, estimated as %d round trips to %s of %.1f ms",
                    part,
                    trips,
                    server,
                    trip));
            return Math.round(trips * trip * 10) / 10.0;
        }
        basis.add(part + ": median of the last " + values.size());
        return values.get(values.size() / 2);
    }
}
