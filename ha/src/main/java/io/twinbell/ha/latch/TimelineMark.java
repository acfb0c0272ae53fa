package io.twinbell.ha.latch;

import io.twinbell.persistence.database.ServerHistory;
import io.twinbell.persistence.database.ServerHistory.Position;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The newest state of the database that any node has used, kept in ZooKeeper: its timeline and the time of the newest
 * heartbeat. A node that still uses a former primary learns from it that another node uses the promoted one, and
 * disconnects. A node that finds an older copy, after a restore, does not use it.
 *
 * <p>The nodes of a database seal the mark, because a forged newer mark could keep every node away from its database.
 */
public final class TimelineMark {
    private static final Logger LOG = LoggerFactory.getLogger(TimelineMark.class);
    static final String NAME = "timeline";
    private static final String SEPARATOR = " ";
    private static final int FIELDS = 5;
    private static final int MOST_BYTES = 512;
    /** More than any cluster has nodes. Of nodes that write together, one succeeds at each try. */
    private static final int MOST_TRIES = 10;

    private final ZooKeeperLink link;
    private final String self;
    private final KnownMembers members;
    private final ServerHistory servers;

    /** @param self the name of this node */
    public TimelineMark(ZooKeeperLink link, String self, KnownMembers members, ServerHistory servers) {
        this.link = link;
        this.self = self;
        this.members = members;
        this.servers = servers;
    }

    /**
     * Reads the mark of the other nodes and writes this node's if it is newer. Called once a second; waits for
     * ZooKeeper.
     */
    public void step() {
        if (!link.isConnected()) {
            return;
        }
        try {
            exchange();
        } catch (KeeperException.NodeExistsException | KeeperException.BadVersionException e) {
            LOG.debug("another node has just written the timeline: reading it again in a second", e);
        } catch (Exception e) {
            LOG.debug("exchanging the timeline of the database failed, retrying in a second", e);
        }
    }

    /**
     * Does the same before this node takes part, so that it knows which state the pair has used.
     *
     * @throws IllegalStateException if ZooKeeper does not answer
     */
    public void begin() {
        int left = MOST_TRIES;
        while (true) {
            try {
                exchange();
                return;
            } catch (KeeperException.NodeExistsException | KeeperException.BadVersionException e) {
                // Two nodes that start together meet here.
                if (--left == 0) {
                    throw new IllegalStateException("other nodes keep writing the timeline: it must be read again", e);
                }
            } catch (Exception e) {
                throw new IllegalStateException("could not read the database's timeline from ZooKeeper: " + e, e);
            }
        }
    }

    private void exchange() throws Exception {
        String path = link.path(NAME);
        Stat stat = new Stat();
        boolean isThere = true;
        Optional<Mark> mark = Optional.empty();
        try {
            mark = read(link.client().getData().storingStatIn(stat).forPath(path));
        } catch (KeeperException.NoNodeException e) {
            isThere = false;
        }
        // Learn this node's own mark too: it may have written the mark before a restart.
        mark.ifPresent(known -> servers.note(known.position(), "node " + known.node()));
        Optional<Position> own = servers.newest();
        if (own.isEmpty() || !isNews(own.get(), mark)) {
            return;
        }
        Optional<byte[]> written = written(own.get());
        if (written.isEmpty()) {
            return;
        }
        if (isThere) {
            link.client().setData().withVersion(stat.getVersion()).forPath(path, written.get());
        } else {
            link.client().create().creatingParentsIfNeeded().forPath(path, written.get());
        }
    }

    /**
     * Whether this node's position should replace the mark. For a different database system, for example after
     * pg_upgrade, the latest writer wins.
     */
    private static boolean isNews(Position own, Optional<Mark> mark) {
        return mark.isEmpty()
                || mark.get().position().system() != own.system()
                || mark.get().position().isRefusedAfter(own);
    }

    private record Mark(String node, Position position) {}

    private Optional<byte[]> written(Position position) {
        String text = String.join(
                SEPARATOR,
                Long.toString(position.system()),
                Long.toString(position.timeline()),
                Long.toString(position.markMillis()),
                self);
        return members.seal(text).map(seal -> (text + SEPARATOR + seal).getBytes(StandardCharsets.UTF_8));
    }

    /** Reads a mark; empty if no node of this database wrote it. */
    private Optional<Mark> read(byte[] bytes) {
        if (bytes == null || bytes.length > MOST_BYTES) {
            return Optional.empty();
        }
        String text = new String(bytes, StandardCharsets.UTF_8);
        String[] fields = text.split(SEPARATOR, -1);
        int end = text.lastIndexOf(SEPARATOR);
        if (fields.length != FIELDS || !members.hasSealed(text.substring(0, end), fields[FIELDS - 1])) {
            return Optional.empty();
        }
        return position(text).map(position -> new Mark(fields[FIELDS - 2], position));
    }

    /** Reads the text of a mark without checking its seal; empty if the text is not a mark. */
    static Optional<Position> position(String mark) {
        String[] fields = mark.split(SEPARATOR, -1);
        try {
            return fields.length == FIELDS
                    ? Optional.of(new Position(
                            Long.parseLong(fields[0]), Long.parseLong(fields[1]), Long.parseLong(fields[2])))
                    : Optional.empty();
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
