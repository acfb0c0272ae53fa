package io.twinbell.ha.latch;

import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.takeover.OwnerLocation.LatchSession;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongPredicate;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.client.ConnectStringParser;
import org.apache.zookeeper.client.StaticHostProvider;
import org.apache.zookeeper.client.ZKClientConfig;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends another process's ZooKeeper session by resuming it with its id and password and closing it. Any client that
 * ZooKeeper accepts may do so; the password only prevents accidents.
 */
public final class ZooKeeperSessions implements LatchSessions, AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperSessions.class);
    private static final Duration CONNECTED_WITHIN = Duration.ofSeconds(1);

    /** Resuming session 0 begins a new session. */
    private static final LatchSession OWN_AND_NEW = new LatchSession(0, "00".repeat(16), 0);

    private final ZooKeeperLink link;
    private final BoundedZooKeeperCall boundedZooKeeperCall = new BoundedZooKeeperCall();
    private final ElectionQueue electionQueue;

    /** @param known whether a session belongs to a node of this database; only those count in the election */
    public ZooKeeperSessions(ZooKeeperLink link, LongPredicate known, Ticker ticker) {
        this.link = link;
        electionQueue = new ElectionQueue(link, known, ticker);
    }

    @Override
    public Optional<LatchSession> own(Election seen) {
        if (!seen.standing()) {
            return Optional.empty();
        }
        return link.password(seen.session())
                .map(password -> new LatchSession(seen.session(), HexFormat.of().formatHex(password), seen.czxid()));
    }

    @Override
    public EndResult end(LatchSession session) {
        EndResult before = boundedZooKeeperCall.ask(
                () -> isHolder(session) ? EndResult.ENDED : EndResult.NOT_THE_HOLDER, EndResult.NOT_ANSWERED);
        if (before != EndResult.ENDED) {
            return before;
        }
        try {
            continueAndClose(session);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return EndResult.NOT_ANSWERED;
        } catch (Exception e) {
            LOG.warn("ending {} failed: {}", session, e.toString());
            return EndResult.NOT_ANSWERED;
        }
        return boundedZooKeeperCall.ask(
                () -> isHolder(session) ? EndResult.NOT_ANSWERED : EndResult.ENDED, EndResult.NOT_ANSWERED);
    }

    /**
     * Whether the session's latch node is first in line. The session is recorded in the database, so it counts as known
     * whatever its entry says.
     */
    private boolean isHolder(LatchSession session) throws Exception {
        return electionQueue.read(session.id()).stream()
                .limit(1)
                .anyMatch(first -> first.session() == session.id() && first.czxid() == session.latchCzxid());
    }

    @Override
    public void warmUp() {
        try {
            continueAndClose(OWN_AND_NEW);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (Exception e) {
            LOG.debug("warming up failed", e);
        }
    }

    private void continueAndClose(LatchSession session) throws Exception {
        CountDownLatch answered = new CountDownLatch(1);
        Watcher watcher = event -> {
            if (List.of(Watcher.Event.KeeperState.SyncConnected, Watcher.Event.KeeperState.Expired)
                    .contains(event.getState())) {
                answered.countDown();
            }
        };
        String connect = link.client().getZookeeperClient().getCurrentConnectionString();
        ZKClientConfig settings = ClientSettings.make(link.access().tls());
        // Without this bound, closing would wait for an answer for as long as the client considers the server alive.
        settings.setProperty(ZKClientConfig.ZOOKEEPER_REQUEST_TIMEOUT, Long.toString(CONNECTED_WITHIN.toMillis()));
        ZooKeeper continued = new ZooKeeper(
                connect,
                Math.toIntExact(link.negotiatedTimeoutMillis()),
                watcher,
                session.id(),
                HexFormat.of().parseHex(session.password()),
                false,
                new StaticHostProvider(new ConnectStringParser(connect).getServerAddresses()),
                settings);
        try {
            if (!answered.await(CONNECTED_WITHIN.toMillis(), TimeUnit.MILLISECONDS)) {
                LOG.warn("ZooKeeper did not resume {} in time", session);
            }
        } finally {
            continued.close();
        }
    }

    @Override
    public void close() {
        boundedZooKeeperCall.close();
    }
}
