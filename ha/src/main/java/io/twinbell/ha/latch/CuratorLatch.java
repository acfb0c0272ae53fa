package io.twinbell.ha.latch;

import io.twinbell.persistence.clock.Ticker;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.LongPredicate;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.state.ConnectionState;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The latch in ZooKeeper.
 *
 * <p>When a session is lost, Curator's recipe would enter the election again by itself as soon as it reconnects. This
 * node may have to let the owner enter first, so it gives up its place when the session is lost and enters again only
 * when {@link #enter} is called.
 */
public final class CuratorLatch implements Latch, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CuratorLatch.class);

    private final ZooKeeperLink link;
    private final String nodeId;
    private final Runnable onChange;
    private final BoundedZooKeeperCall boundedZooKeeperCall = new BoundedZooKeeperCall();
    private final ElectionQueue electionQueue;
    private LeaderLatch place;

    /**
     * @param known whether a session belongs to a node of this database; only those count in the election
     * @param onChange called when the latch was won or lost; must return at once
     */
    public CuratorLatch(ZooKeeperLink link, String nodeId, LongPredicate known, Ticker ticker, Runnable onChange) {
        this.link = link;
        this.nodeId = nodeId;
        this.onChange = onChange;
        electionQueue = new ElectionQueue(link, known, ticker);
        link.client().getConnectionStateListenable().addListener((client, state) -> {
            if (state == ConnectionState.LOST) {
                leave();
            }
        });
    }

    @Override
    public void removePredecessors() {
        boundedZooKeeperCall.ask(
                () -> {
                    electionQueue.removeOthersOf(nodeId);
                    return null;
                },
                null);
    }

    @Override
    public synchronized void enter() {
        if (place != null) {
            return;
        }
        LeaderLatch latch = new LeaderLatch(link.client(), link.path("latch"), nodeId);
        Executor sameThread = Runnable::run;
        latch.addListener(
                new LeaderLatchListener() {
                    @Override
                    public void isLeader() {
                        onChange.run();
                    }

                    @Override
                    public void notLeader() {
                        onChange.run();
                    }
                },
                sameThread);
        try {
            latch.start();
            place = latch;
        } catch (Exception e) {
            throw new IllegalStateException("could not enter the election", e);
        }
    }

    @Override
    public void leave() {
        LeaderLatch left;
        synchronized (this) {
            left = place;
            place = null;
        }
        if (left != null) {
            try {
                left.close(LeaderLatch.CloseMode.SILENT);
            } catch (Exception e) {
                // The latch node disappears with the session, so it blocks other nodes no longer than that.
                LOG.warn("leaving the election failed: {}", e.toString());
            }
        }
    }

    @Override
    public Election readElection() {
        LeaderLatch current;
        synchronized (this) {
            current = place;
        }
        return link.isConnected()
                ? boundedZooKeeperCall.ask(() -> readElection(current), Election.UNREACHABLE)
                : Election.UNREACHABLE;
    }

    /**
     * Determines itself which node is first in line. The recipe would count every node in the folder, so its
     * notification only triggers this check.
     */
    private Election readElection(LeaderLatch current) throws Exception {
        long session = link.session();
        String path = current == null ? null : current.getOurPath();
        List<ElectionQueue.LatchEntry> places = electionQueue.read(session);
        ElectionQueue.LatchEntry own = path == null
                ? null
                : places.stream()
                        .filter(one -> one.session() == session && path.endsWith("/" + one.name()))
                        .findFirst()
                        .orElse(null);
        return new Election(
                true,
                own != null,
                own != null && own.equals(places.get(0)),
                session,
                own == null ? 0 : own.czxid(),
                places.stream().map(ElectionQueue.LatchEntry::node).toList(),
                electionQueue.foreignEntries());
    }

    @Override
    public void close() {
        leave();
        boundedZooKeeperCall.close();
    }
}
