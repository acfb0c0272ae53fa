package io.twinbell.persistence.testing;

import java.io.IOException;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingServer;
import org.apache.zookeeper.CreateMode;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.ZooDefs;
import org.apache.zookeeper.ZooKeeper;
import org.apache.zookeeper.data.ACL;
import org.apache.zookeeper.data.Id;

/**
 * One real ZooKeeper for all tests of a JVM, and a fresh folder for each test that asks. A test that stops its server
 * starts one of its own.
 */
public final class TestZooKeeper {
    /** The longest session that the server grants; a node that asks for so much waits for no timeout in any test. */
    public static final Duration LONGEST_SESSION = Duration.ofMinutes(5);

    private static final List<ACL> EVERYBODY =
            Collections.singletonList(new ACL(ZooDefs.Perms.ALL, new Id("world", "anyone")));
    private static final int TICK_MILLIS = 100;
    private static final AtomicInteger FOLDERS = new AtomicInteger();
    private static final TestingServer SERVER = start();
    private static final ZooKeeper CLIENT = connect();

    private TestZooKeeper() {}

    /** The connect string of an empty folder, which the clients of the test see as the whole of ZooKeeper. */
    public static String freshFolder() {
        String folder = "/test_" + FOLDERS.incrementAndGet();
        try {
            CLIENT.create(folder, new byte[0], EVERYBODY, CreateMode.PERSISTENT);
        } catch (KeeperException e) {
            throw new IllegalStateException("the embedded ZooKeeper does not answer", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
        return SERVER.getConnectString() + folder;
    }

    private static TestingServer start() {
        Map<String, Object> settings = Map.of("maxSessionTimeout", String.valueOf(LONGEST_SESSION.toMillis()));
        try {
            TestingServer server =
                    new TestingServer(new InstanceSpec(null, -1, -1, -1, true, -1, TICK_MILLIS, -1, settings), true);
            Runtime.getRuntime().addShutdownHook(new Thread(() -> remove(server), "remove-zookeeper"));
            return server;
        } catch (Exception e) {
            throw new IllegalStateException("the embedded ZooKeeper did not start", e);
        }
    }

    private static void remove(TestingServer server) {
        try {
            server.close();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Stays for the life of the JVM. Its first request waits for the connection. */
    private static ZooKeeper connect() {
        try {
            return new ZooKeeper(SERVER.getConnectString(), Math.toIntExact(LONGEST_SESSION.toMillis()), event -> {});
        } catch (IOException e) {
            throw new IllegalStateException("the embedded ZooKeeper does not answer", e);
        }
    }
}
