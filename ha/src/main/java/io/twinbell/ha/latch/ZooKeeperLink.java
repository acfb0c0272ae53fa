package io.twinbell.ha.latch;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.SessionConnectionStateErrorPolicy;
import org.apache.curator.retry.RetryOneTime;
import org.apache.zookeeper.ZooKeeper;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * This node's connection to ZooKeeper. A master keeps firing without it, because the authority to write lies in the
 * database's epoch. A suspended connection is therefore not treated as a lost one.
 */
public final class ZooKeeperLink implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(ZooKeeperLink.class);

    private final CuratorFramework client;
    private final String connect;
    private final String root;
    private final Duration sessionTimeout;
    private final ZooKeeperAccess access;
    private final Runnable onChange;
    private volatile ConnectionState state = ConnectionState.LOST;
    private boolean wasOutOfOrder;

    /**
     * @param cluster names the ZooKeeper folder that contains everything of the cluster
     * @param sessionTimeout the timeout asked for; the server may grant another
     * @param access how this node proves who it is, and who may use what it creates
     * @param onChange called on ZooKeeper's event thread after each change of state; must return at once
     */
    public ZooKeeperLink(
            String connect, String cluster, Duration sessionTimeout, ZooKeeperAccess access, Runnable onChange) {
        this.connect = connect;
        this.root = "/twinbell/" + cluster;
        this.sessionTimeout = sessionTimeout;
        this.access = access;
        this.onChange = onChange;
        CuratorFrameworkFactory.Builder builder = CuratorFrameworkFactory.builder()
                .connectString(connect)
                .sessionTimeoutMs(Math.toIntExact(sessionTimeout.toMillis()))
                .connectionTimeoutMs(2000)
                .retryPolicy(new RetryOneTime(50))
                .connectionStateErrorPolicy(new SessionConnectionStateErrorPolicy());
        access.apply(builder);
        client = builder.build();
        client.getConnectionStateListenable().addListener((source, changed) -> changed(changed));
    }

    /** Begins to connect, in the background and without a time limit. */
    public void start() {
        client.start();
    }

    /**
     * Starts a new session if Curator's state stays LOST although the client is connected. Call it about once a second,
     * from one thread that may block briefly.
     *
     * <p>Curator 5.9 reports the end of a session only once it has begun the next one. If the next one connects sooner,
     * LOST is the last reported state, no event follows, and the node would never return to the election. If this
     * state is seen twice in a row, a new session is begun, and Curator reports that one.
     */
    void repairSession() {
        boolean isOutOfOrder =
                state == ConnectionState.LOST && client.getZookeeperClient().isConnected();
        if (isOutOfOrder && wasOutOfOrder) {
            LOG.warn("ZooKeeper is connected, but the last reported state is LOST: starting a new session");
            try {
                client.getZookeeperClient().reset();
            } catch (Exception e) {
                LOG.warn("a new ZooKeeper session cannot be started yet", e);
            }
            isOutOfOrder = false;
        }
        wasOutOfOrder = isOutOfOrder;
    }

    void changed(ConnectionState now) {
        state = now;
        LOG.info("ZooKeeper: {}", now);
        if (now == ConnectionState.CONNECTED) {
            warnOfAnotherTimeout();
        }
        onChange.run();
    }

    private void warnOfAnotherTimeout() {
        long negotiated = negotiatedTimeoutMillis();
        if (negotiated != sessionTimeout.toMillis()) {
            LOG.warn(
                    "zookeeper.sessionTimeout requests {} ms, but the server granted {} ms",
                    sessionTimeout.toMillis(),
                    negotiated);
        }
    }

    /** Waits for the first connection; false if it was not made within {@code bound}. */
    public boolean awaitConnection(Duration bound) {
        try {
            return client.blockUntilConnected(Math.toIntExact(bound.toMillis()), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    public boolean isConnected() {
        return state.isConnected();
    }

    /** CONNECTED, SUSPENDED, RECONNECTED, LOST or READ_ONLY. */
    public String state() {
        return state.name();
    }

    /** The id of the current session; 0 if there is none. Does not touch the network. */
    public long session() {
        try {
            return client.getZookeeperClient().getZooKeeper().getSessionId();
        } catch (Exception e) {
            LOG.debug("no ZooKeeper handle", e);
            return 0;
        }
    }

    /** The password of a session if it is the current one; empty otherwise. Does not touch the network. */
    Optional<byte[]> password(long session) {
        try {
            ZooKeeper handle = client.getZookeeperClient().getZooKeeper();
            byte[] password = handle.getSessionPasswd();
            return handle.getSessionId() == session ? Optional.of(password) : Optional.empty();
        } catch (Exception e) {
            LOG.debug("no ZooKeeper handle", e);
            return Optional.empty();
        }
    }

    /** The session timeout that the server granted, in milliseconds; 0 before the first connection. */
    public long negotiatedTimeoutMillis() {
        return client.getZookeeperClient().getLastNegotiatedSessionTimeoutMs();
    }

    /** The session timeout that this node asks for, in milliseconds. */
    public long askedTimeoutMillis() {
        return sessionTimeout.toMillis();
    }

    /** The configured connect string: the servers, and the folder if there is one. */
    public String address() {
        return connect;
    }

    ZooKeeperAccess access() {
        return access;
    }

    CuratorFramework client() {
        return client;
    }

    String path(String name) {
        return root + "/" + name;
    }

    @Override
    public void close() {
        client.close();
    }
}
