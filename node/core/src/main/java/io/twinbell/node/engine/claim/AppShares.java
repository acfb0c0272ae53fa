package io.twinbell.node.engine.claim;

import io.twinbell.node.engine.run.AppHash;
import io.twinbell.node.engine.run.AppLoads;
import io.twinbell.node.engine.run.ClaimRoom;
import io.twinbell.persistence.ledger.Attempt;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Lets apps take turns while more rows wait in the ledger than can be claimed, as {@code AppQueues} does for planned
 * slots. The apps that have waiting rows are read again every {@link #LOOK} or more. Between two reads, an app is
 * dropped once it has fewer rows than its share.
 */
final class AppShares {
    static final Duration LOOK = Duration.ofMillis(50);
    /** Reads take at most this fraction (one part in this many) of the time. */
    private static final int LOOK_PART = 10;
    /** The largest number of apps that take turns at once. Further apps follow at the next read. */
    static final int MOST_APPS = 100;

    private final List<String> apps = new ArrayList<>();
    /** The last app of the last read if there may be more after it; otherwise empty. */
    private String after = "";
    /** The index in {@link #apps} of the app that gets its share first. */
    private int first;

    private boolean isScarce;
    private long nextLookMillis;

    /** Whether more rows are due than could be claimed, as far as is known. */
    boolean isScarce() {
        return isScarce;
    }

    /** Begins to take turns, because more is due than was claimed in order. */
    void begin() {
        end();
        isScarce = true;
        nextLookMillis = Long.MIN_VALUE;
    }

    void end() {
        isScarce = false;
        apps.clear();
        after = "";
    }

    boolean isLookDue(long nowMillis) {
        return nowMillis >= nextLookMillis || apps.isEmpty() && !after.isEmpty();
    }

    long nextLookMillis() {
        return nextLookMillis;
    }

    /** The name after which the next read of apps begins. */
    String after() {
        return after;
    }

    /**
     * Records the result of a read.
     *
     * @param found apps that have due rows waiting, at most {@link #MOST_APPS}, ordered by name
     * @param took how long the read took; it may be slow, because a partition created by an earlier version has no
     *     index for it
     */
    void recordRead(List<String> found, long nowMillis, Duration took) {
        apps.clear();
        apps.addAll(found);
        after = found.size() < MOST_APPS ? "" : found.get(MOST_APPS - 1);
        isScarce = isAnyKnown();
        nextLookMillis = nowMillis + Math.max(LOOK.toMillis(), LOOK_PART * took.toMillis());
    }

    private boolean isAnyKnown() {
        return !apps.isEmpty() || !after.isEmpty();
    }

    /** How many rows of each app may be claimed now; only apps with at least one. */
    Map<String, Integer> shares(ClaimRoom room, AppLoads loads) {
        Map<String, Integer> shares = new LinkedHashMap<>();
        int soon = Math.max(0, Math.min(room.soon(), room.all()));
        int left = soon;
        boolean goesOn = left > 0;
        while (goesOn) {
            goesOn = false;
            for (int i = 0; i < apps.size() && left > 0; i++) {
                String app = apps.get((first + i) % apps.size());
                if (count(app, shares, loads) < room.mostOfApp()) {
                    shares.merge(app, 1, Integer::sum);
                    left--;
                    goesOn = left > 0;
                }
            }
        }
        if (!apps.isEmpty()) {
            first = (first + soon - left) % apps.size();
        }
        fillUp(shares, room, loads);
        return shares;
    }

    /** Gives each app a few runs in advance, even if no more could start soon. */
    private void fillUp(Map<String, Integer> shares, ClaimRoom room, AppLoads loads) {
        int all = room.all() - shares.values().stream().mapToInt(share -> share).sum();
        for (String app : apps) {
            int more = Math.min(all, room.leastOfApp() - count(app, shares, loads));
            if (more > 0) {
                shares.merge(app, more, Integer::sum);
                all -= more;
            }
        }
    }

    private static int count(String app, Map<String, Integer> shares, AppLoads loads) {
        return loads.count(AppHash.of(app)) + shares.getOrDefault(app, 0);
    }

    /** Returns whether some app had its whole share claimed, and so may have more rows. */
    boolean claimed(Map<String, Integer> shares, List<Attempt> attempts) {
        Map<String, Integer> claimed = new HashMap<>();
        attempts.forEach(attempt -> claimed.merge(attempt.app(), 1, Integer::sum));
        apps.removeIf(app -> claimed.getOrDefault(app, 0) < shares.getOrDefault(app, 0));
        isScarce = isAnyKnown();
        return shares.entrySet().stream().anyMatch(share -> share.getValue().equals(claimed.get(share.getKey())));
    }
}
