package io.twinbell.ha.latch;

import io.twinbell.persistence.clock.Ticker;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.regex.Pattern;
import org.apache.curator.framework.api.BackgroundCallback;
import org.apache.curator.framework.api.CuratorEvent;
import org.apache.curator.framework.api.Pathable;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;

/**
 * The nodes standing in the election, in order. Only ephemeral latch nodes under a session of a node of this database
 * count; everything else that a client puts into the folder is ignored. A latch node never changes, so each is read
 * once.
 */
final class ElectionQueue {
    /** The names that Curator's recipe gives to its nodes. */
    private static final Pattern NAME = Pattern.compile("(_c_[0-9a-f-]{36}-)?latch-\\d{10}");

    /** Longer than any node id. */
    private static final int MAX_OWNER = 256;

    private static final int ANSWER_MILLIS = 400;

    private static final Set<KeeperException.Code> ANSWERS =
            Set.of(KeeperException.Code.OK, KeeperException.Code.NONODE, KeeperException.Code.NOAUTH);

    private final ZooKeeperLink link;
    private final String path;
    private final LongPredicate known;
    private final ForeignNodes foreignNodes;
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

    /**
     * Reads all new nodes. Every question is sent before the first answer is awaited, because a foreign client may
     * create thousands of nodes and one question after the other would take longer than a look may. Answers are kept
     * for the next look. Contents are read only if they can be a node id, because foreign contents may be large.
     */
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
        ask(ownNames, link.client().checkExists()::inBackground, (name, event) -> {
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
        ask(plausible, link.client().getData()::inBackground, (name, event) -> {
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

    /**
     * Asks about all names and waits for the answers. Throws if not all answers come in time or one reports a lost
     * connection, because an incomplete queue must not be used.
     */
    private void ask(
            List<String> names,
            Function<BackgroundCallback, Pathable<?>> question,
            BiConsumer<String, CuratorEvent> answer)
            throws Exception {
        CountDownLatch pending = new CountDownLatch(names.size());
        AtomicBoolean isLost = new AtomicBoolean();
        for (String name : names) {
            question.apply((client, event) -> {
                        int code = event.getResultCode();
                        isLost.compareAndSet(false, !ANSWERS.contains(KeeperException.Code.get(code)));
                        answer.accept(name, event);
                        pending.countDown();
                    })
                    .forPath(pathOf(name));
        }
        if (!pending.await(ANSWER_MILLIS, TimeUnit.MILLISECONDS) || isLost.get()) {
            throw new TimeoutException("ZooKeeper has not returned the nodes in " + path + " in time");
        }
    }

    private String pathOf(String name) {
        return path + "/" + name;
    }
}
