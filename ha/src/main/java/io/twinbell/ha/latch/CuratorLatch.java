package io.twinbell.ha.latch;

import java.util.List;
import java.util.concurrent.Executor;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
import org.apache.curator.framework.recipes.leader.Participant;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.data.Stat;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The latch on ZooKeeper.
 *
 * <p>When a session is lost, Curator's recipe would stand again by itself as soon as it is connected. This node may have
 * to let the owner stand first, so the place is given up at the loss, and whoever decides enters again.
 */
public final class CuratorLatch implements Latch, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(CuratorLatch.class);

    private final ZooKeeperLink link;
    private final String nodeId;
    private final Runnable onChange;
    private final Inquiry inquiry = new Inquiry();
    private LeaderLatch place;

    /** @param onChange called when the latch was won or lost; must return at once */
    public CuratorLatch(ZooKeeperLink link, String nodeId, Runnable onChange) {
        this.link = link;
        this.nodeId = nodeId;
        this.onChange = onChange;
        link.client().getConnectionStateListenable().addListener((client, state) -> {
            if (state == ConnectionState.LOST) {
                leave();
            }
        });
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
            throw new IllegalStateException("could not stand in the election", e);
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
                // Its node goes with the session; nobody else is hindered longer than that.
                LOG.warn("leaving the election failed: {}", e.toString());
            }
        }
    }

    @Override
    public Election look() {
        LeaderLatch current;
        synchronized (this) {
            current = place;
        }
        return link.isConnected() ? inquiry.ask(() -> look(current), Election.UNREACHABLE) : Election.UNREACHABLE;
    }

    private Election look(LeaderLatch current) throws Exception {
        long session = link.session();
        Stat own = current == null ? null : ownNode(current, session);
        return new Election(
                true,
                own != null,
                own != null && current.hasLeadership(),
                session,
                own == null ? 0 : own.getCzxid(),
                standing(current));
    }

    private Stat ownNode(LeaderLatch latch, long session) throws Exception {
        String path = latch.getOurPath();
        Stat stat = path == null ? null : link.client().checkExists().forPath(path);
        return stat != null && stat.getEphemeralOwner() == session ? stat : null;
    }

    /** The recipe reads the line also for one who does not stand in it. */
    private List<String> standing(LeaderLatch current) throws Exception {
        LeaderLatch reader = current != null ? current : new LeaderLatch(link.client(), link.path("latch"), nodeId);
        try {
            return reader.getParticipants().stream().map(Participant::getId).toList();
        } catch (KeeperException.NoNodeException e) {
            return List.of();
        }
    }

    @Override
    public void close() {
        leave();
        inquiry.close();
    }
}
