package io.twinbell.ha.latch;

import io.twinbell.persistence.clock.Ticker;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongPredicate;
import java.util.regex.Pattern;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The nodes standing in the election, in order. Only ephemeral latch nodes under a session of a node of this database
 * count; everything else that a client puts into the folder is ignored. A latch node never changes, so each is read
 * once.
 */
final class ElectionQueue {
    private static final Logger LOG = LoggerFactory.getLogger(ElectionQueue.class);
    /** The names that Curator's recipe gives to its nodes. */
    private static final Pattern NAME = Pattern.compile("(_c_[0-9a-f-]{36}-)?latch-\\d{10}");

    /** Longer than any node id. */
    private static final int MAX_OWNER = 256;

    private static final Duration ANSWERED_WITHIN = Duration.ofMillis(400);

    private final ZooKeeperLink link;
    private final String path;
    private final LongPredicate known;
    private final ForeignNodes foreignNodes;
    private final FolderQuestions questions;
    private final Map<String, LatchEntry> places = new ConcurrentHashMap<>();

    /**
     * One place in the election.
     *
     * @param session 0 if it belongs to no session
     * @param czxid its creation id, which grows and which no client can choose; it determines the order
     * @param refusal why it cannot be a node's place; null if it can
     */
    record LatchEntry(String name, String node, long session, long czxid, String refusal) {
        static LatchEntry refused(String name, String why) {
            return new LatchEntry(name, "", 0, 0, why);
        }
    }

    /** @param known whether a session belongs to a node of this database */
    ElectionQueue(ZooKeeperLink link, LongPredicate known, Ticker ticker) {
        this.link = link;
        this.path = link.path("latch");
        this.known = known;
        foreignNodes = new ForeignNodes(ticker);
        questions = new FolderQuestions(path, ANSWERED_WITHIN);
    }

    /**
     * The places, first in line first. Any thread.
     *
     * @param session a session that counts as known in addition
     */
    List<LatchEntry> read(long session) throws Exception {
        List<String> names = children();
        places.keySet().retainAll(Set.copyOf(names));
        readAll(names.stream().filter(name -> !places.containsKey(name)).toList());
        foreignNodes.retain(names.stream().map(this::pathOf).toList());
        List<LatchEntry> line = new ArrayList<>();
        for (String name : names) {
            LatchEntry latchEntry = places.get(name);
            if (latchEntry != null && counts(latchEntry, session)) {
                line.add(latchEntry);
            }
        }
        line.sort(Comparator.comparingLong(LatchEntry::czxid));
        return line;
    }

    /** Removes the places of this node id under other sessions. Stops if this client's session changes meanwhile. */
    void removeOthersOf(String node) throws Exception {
        long session = link.session();
        for (LatchEntry place : read(session)) {
            boolean isSameSession = session != 0 && link.session() == session;
            if (isSameSession && place.node().equals(node) && place.session() != session) {
                link.client().delete().quietly().forPath(pathOf(place.name()));
                LOG.info("removed the latch node {} of an earlier process of node {}", place.name(), node);
            }
        }
    }

    /** The nodes in the folder that did not count at the last look, a phrase for each. */
    List<String> foreignEntries() {
        return foreignNodes.named();
    }

    private boolean counts(LatchEntry latchEntry, long session) {
        String at = pathOf(latchEntry.name());
        if (latchEntry.refusal() != null) {
            foreignNodes.name(at, latchEntry.refusal());
            return false;
        }
        if (latchEntry.session() == session || known.test(latchEntry.session())) {
            foreignNodes.recognised(at);
            return true;
        }
        if (foreignNodes.isOut(at)) {
            foreignNodes.name(at, "does not belong to a ZooKeeper session of a node of this database");
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

    /** Reads all new nodes, and contents no longer than a node id: foreign ones may be large. Keeps the answers. */
    private void readAll(List<String> names) throws Exception {
        List<String> ownNames = new ArrayList<>();
        for (String name : names) {
            if (NAME.matcher(name).matches()) {
                ownNames.add(name);
            } else {
                places.put(name, LatchEntry.refused(name, "does not have the name of a latch node"));
            }
        }
        List<String> plausible = Collections.synchronizedList(new ArrayList<>());
        questions.ask(ownNames, link.client().checkExists()::inBackground, (name, event) -> {
            Stat stat = event.getStat();
            // ZooKeeper marks container nodes with the smallest long in place of a session id.
            if (event.getResultCode() == KeeperException.Code.NOAUTH.intValue()) {
                places.put(name, LatchEntry.refused(name, "is not readable"));
            } else if (stat != null && (stat.getEphemeralOwner() == 0 || stat.getEphemeralOwner() == Long.MIN_VALUE)) {
                places.put(name, LatchEntry.refused(name, "is not ephemeral"));
            } else if (stat != null && stat.getDataLength() > MAX_OWNER) {
                places.put(name, LatchEntry.refused(name, "does not contain a node id"));
            } else if (stat != null) {
                plausible.add(name);
            }
        });
        questions.ask(plausible, link.client().getData()::inBackground, (name, event) -> {
            if (event.getResultCode() == KeeperException.Code.NOAUTH.intValue()) {
                places.put(name, LatchEntry.refused(name, "is not readable"));
            } else if (event.getResultCode() == KeeperException.Code.OK.intValue()) {
                places.put(name, read(name, event.getStat(), event.getData()));
            }
        });
    }

    private static LatchEntry read(String name, Stat stat, byte[] data) {
        return data == null
                ? LatchEntry.refused(name, "does not contain a node id")
                : new LatchEntry(
                        name,
                        new String(data, StandardCharsets.UTF_8),
                        stat.getEphemeralOwner(),
                        stat.getCzxid(),
                        null);
    }

    private String pathOf(String name) {
        return path + "/" + name;
    }
}
