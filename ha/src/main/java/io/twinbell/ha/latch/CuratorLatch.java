package io.twinbell.ha.latch;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.apache.curator.framework.recipes.leader.LeaderLatch;
import org.apache.curator.framework.recipes.leader.LeaderLatchListener;
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
    private final Line line;
    private LeaderLatch place;

    /** @param onChange called when the latch was won or lost; must return at once */
    public CuratorLatch(ZooKeeperLink link, String nodeId, Runnable onChange) {
        this.link = link;
        this.nodeId = nodeId;
        this.onChange = onChange;
        line = new Line(link, link.path("latch"));
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

    /** The own place and the line are asked for at once: a promotion waits for the answers. */
    private Election look(LeaderLatch current) throws Exception {
        long session = link.session();
        CompletableFuture<Stat> asked = ownNode(current);
        List<String> nodes = line.read();
        Stat found = asked.get();
        Stat own = found != null && found.getEphemeralOwner() == session ? found : null;
        return new Election(
                true,
                own != null,
                own != null && current.hasLeadership(),
                session,
                own == null ? 0 : own.getCzxid(),
                nodes);
    }

    /** Null if there is none. */
    private CompletableFuture<Stat> ownNode(LeaderLatch current) throws Exception {
        String path = current == null ? null : current.getOurPath();
        if (path == null) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Stat> answer = new CompletableFuture<>();
        link.client()
                .checkExists()
                .inBackground((client, event) -> settle(answer, event.getResultCode(), event.getStat()))
                .forPath(path);
        return answer;
    }

    /** A question that failed is no answer: whoever took it for "there is none" would leave the place and stand anew. */
    static void settle(CompletableFuture<Stat> answer, int resultCode, Stat found) {
        KeeperException.Code code = KeeperException.Code.get(resultCode);
        if (code == KeeperException.Code.OK || code == KeeperException.Code.NONODE) {
            answer.complete(found);
        } else {
            answer.completeExceptionally(KeeperException.create(code));
        }
    }

    @Override
    public void close() {
        leave();
        inquiry.close();
    }
}
