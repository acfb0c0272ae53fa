package io.twinbell.node.pair;

import io.twinbell.node.api.Cluster;
import io.twinbell.node.api.PromotionTimings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;

/**
 * How long nothing would fire if the master died now: each part is the median of what this pair's own promotions took, as
 * far as they were of the same kind; what was never measured is reckoned from the servers' round trips. A pure decision.
 */
final class GapEstimate {
    /** The newest so many measurements of a part count. */
    private static final int NEWEST = 5;

    /**
     * How many answers a part waits for, one after the other: the owner's record, its port and its sessions; then the
     * latch's line and node twice, the continued session's two and its end, and the news; then the transaction that opens
     * the epoch; then pauses, pending rows and the first page; then the claim and the start check.
     */
    private static final int DETECT_TRIPS = 3;

    private static final int LATCH_TRIPS = 8;
    private static final int FENCE_TRIPS = 8;
    private static final int REBUILD_TRIPS = 3;
    private static final int FIRST_FIRE_TRIPS = 2;

    private final List<PromotionTimings> promotions;
    private final List<PromotionTimings> takeovers;
    private final Present present;
    private final List<String> basis = new ArrayList<>();

    /**
     * How things stand.
     *
     * @param isArmed whether a death would be noticed by the database lock
     * @param sessionTimeoutMillis how long ZooKeeper keeps a dead master's session
     */
    record Present(boolean isArmed, long sessionTimeoutMillis, double databaseTripMillis, double zooKeeperTripMillis) {}

    private GapEstimate(List<PromotionTimings> promotions, Present present) {
        this.promotions = promotions;
        this.present = present;
        takeovers = promotions.stream()
                .filter(timings -> timings.detectMillis() != null && timings.latchMillis() != null)
                .toList();
    }

    /** @param promotions newest first */
    static Cluster.Gap of(List<PromotionTimings> promotions, Present present) {
        return new GapEstimate(promotions, present).gap();
    }

    private Cluster.Gap gap() {
        PromotionTimings timings = new PromotionTimings(
                present.isArmed()
                        ? median("detect", takeovers, PromotionTimings::detectMillis, DETECT_TRIPS, "database")
                        : sessionTimeout(),
                present.isArmed()
                        ? median("latch", takeovers, PromotionTimings::latchMillis, LATCH_TRIPS, "ZooKeeper")
                        : 0.0,
                median("fence", promotions, PromotionTimings::fenceMillis, FENCE_TRIPS, "database"),
                median("rebuild", promotions, PromotionTimings::rebuildMillis, REBUILD_TRIPS, "database"),
                median("first fire", promotions, PromotionTimings::firstFireMillis, FIRST_FIRE_TRIPS, "database"));
        return new Cluster.Gap(timings, String.join("; ", basis));
    }

    /** The session begins to time out with the last ping, so this is the most, but for one tick of the server. */
    private Double sessionTimeout() {
        basis.add("detect: fast takeover is off, so ZooKeeper's session timeout of " + present.sessionTimeoutMillis()
                + " ms");
        return Double.valueOf(present.sessionTimeoutMillis());
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
            double trip = server.equals("ZooKeeper") ? present.zooKeeperTripMillis() : present.databaseTripMillis();
            basis.add(String.format(
                    Locale.ROOT, "%s: never measured, %d round trips to %s of %.1f ms", part, trips, server, trip));
            return Math.round(trips * trip * 10) / 10.0;
        }
        basis.add(part + ": median of the last " + values.size());
        return values.get(values.size() / 2);
    }
}
