package io.twinbell.ha.latch;

import io.twinbell.persistence.clock.Ticker;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Names the nodes in the cluster's ZooKeeper folders that were not created by a node of this database. A node that
 * looks like a Twinbell node's gets a few seconds first, because the entry that identifies it may arrive later than the
 * node itself.
 */
final class ForeignNodes {
    static final Duration GRACE = Duration.ofSeconds(5);

    private static final Logger LOG = LoggerFactory.getLogger(ForeignNodes.class);
    /** Bounds on the nodes named at once, and on the log lines in the life of a process. */
    private static final int NAMED = 20;

    private static final int LOGGED = 200;
    private static final int PATH_LENGTH = 200;

    private final Ticker ticker;
    private final Map<String, Long> doubtfulSince = new HashMap<>();
    private final Map<String, String> named = new TreeMap<>();
    private final Set<String> logged = new HashSet<>();

    ForeignNodes(Ticker ticker) {
        this.ticker = ticker;
    }

    /** Forgets nodes that no longer exist. */
    synchronized void retain(Collection<String> paths) {
        Set<String> there = Set.copyOf(paths);
        doubtfulSince.keySet().retainAll(there);
        named.keySet().retainAll(there);
    }

    /** Whether a node that looks like a Twinbell node's has gone unrecognised for so long that it is foreign. */
    synchronized boolean isOut(String path) {
        return ticker.nanos() - doubtfulSince.computeIfAbsent(path, first -> ticker.nanos()) >= GRACE.toNanos();
    }

    synchronized void recognised(String path) {
        doubtfulSince.remove(path);
        named.remove(path);
    }

    synchronized void name(String path, String why) {
        if (named.size() < NAMED || named.containsKey(path)) {
            named.put(path, shown(path) + " " + why);
        }
        if (logged.size() < LOGGED && logged.add(path)) {
            LOG.warn("ignoring {} in ZooKeeper: it {}", shown(path), why);
        }
    }

    /** The named nodes, a phrase for each. */
    synchronized List<String> named() {
        return List.copyOf(named.values());
    }

    /**
     * The path in printable form of limited length: names in ZooKeeper may contain characters that deceive the reader
     * of a terminal.
     */
    static String shown(String path) {
        String printable = path.replaceAll("[\\p{Cntrl}\\p{Cf}\\u2028\\u2029]", "?");
        return printable.length() > PATH_LENGTH ? printable.substring(0, PATH_LENGTH) + "…" : printable;
    }
}
