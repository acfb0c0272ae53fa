package io.twinbell.ha.latch;

import io.twinbell.persistence.database.Ticker;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import java.util.regex.Pattern;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * The nodes that stand in the election, in order. Only ephemeral latch nodes under a session of a node of this database
 * count, whatever else a client puts into the folder. A latch node never changes, so each is read once.
 */
final class Line {
    /** What the recipe calls its nodes. */
    private static final Pattern NAME = Pattern.compile("(_c_[0-9a-f-]{36}-)?latch-\\d{10}");

    /** Longer than any node id. */
    private static final int MAX_OWNER = 256;

    private final ZooKeeperLink link;
    private final String path;
    private final LongPredicate known;
    private final Strangers strangers;
    private final Map<String, Place> places = new ConcurrentHashMap<>();

    /**
     * One node's place.
     *
     * @param session 0 if it belongs to none
     * @param czxid its creation id, which grows and which nobody can choose: the order of the line
     * @param refusal why it cannot be a node's place; null if it can
     */
    record Place(String name, String node, long session, long czxid, String refusal) {
        static Place refused(String name, String why) {
            return new Place(name, "", 0, 0, why);
        }
    }

    /** @param known whether a session is one of a node of this database */
    Line(ZooKeeperLink link, LongPredicate known, Ticker ticker) {
        this.link = link;
        this.path = link.path("latch");
        this.known = known;
        strangers = new Strangers(ticker);
    }

    /**
     * The places, the first in line first. Any thread.
     *
     * @param session one that is known beside the others
     */
    List<Place> read(long session) throws Exception {
        List<String> names = children();
        places.keySet().retainAll(names);
        strangers.retain(names.stream().map(this::pathOf).toList());
        List<Place> line = new ArrayList<>();
        for (String name : names) {
            place(name).filter(place -> counts(place, session)).ifPresent(line::add);
        }
        line.sort(Comparator.comparingLong(Place::czxid));
        return line;
    }

    /** What stood in the folder at the last look and does not count, a phrase for each. */
    List<String> strangers() {
        return strangers.named();
    }

    private boolean counts(Place place, long session) {
        String at = pathOf(place.name());
        if (place.refusal() != null) {
            strangers.name(at, place.refusal());
            return false;
        }
        if (place.session() == session || known.test(place.session())) {
            strangers.recognised(at);
            return true;
        }
        if (strangers.isOut(at)) {
            strangers.name(at, "belongs to a ZooKeeper session of no node of this database");
            return false;
        }
        return true;
    }

    private List<String> children() throws Exception {
        try {
            return link.client().getChildren().forPath(path);
        } catch (KeeperException.NoNodeException e) {
            return List.of();
        }
    }

    /** Empty if it has left meanwhile. */
    private Optional<Place> place(String name) throws Exception {
        Place place = places.get(name);
        if (place == null) {
            place = NAME.matcher(name).matches() ? read(name) : Place.refused(name, "is not called like a latch node");
            if (place != null) {
                places.put(name, place);
            }
        }
        return Optional.ofNullable(place);
    }

    private Place read(String name) throws Exception {
        Stat stat = new Stat();
        try {
            byte[] data = link.client().getData().storingStatIn(stat).forPath(pathOf(name));
            // Containers have the smallest number in place of a session.
            if (stat.getEphemeralOwner() == 0 || stat.getEphemeralOwner() == Long.MIN_VALUE) {
                return Place.refused(name, "is not ephemeral");
            }
            if (data == null || data.length > MAX_OWNER) {
                return Place.refused(name, "does not hold the id of a node");
            }
            String owner = new String(data, StandardCharsets.UTF_8);
            return new Place(name, owner, stat.getEphemeralOwner(), stat.getCzxid(), null);
        } catch (KeeperException.NoNodeException e) {
            return null;
        } catch (KeeperException.NoAuthException e) {
            return Place.refused(name, "may not be read");
        }
    }

    private String pathOf(String name) {
        return path + "/" + name;
    }
}
