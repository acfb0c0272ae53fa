package io.twinbell.node.pair;

import static org.awaitility.Awaitility.await;

import io.twinbell.ha.latch.CuratorLatch;
import io.twinbell.ha.latch.Election;
import io.twinbell.ha.latch.ZooKeeperAccess;
import io.twinbell.ha.latch.ZooKeeperLink;
import io.twinbell.ha.latch.ZooKeeperSessions;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.takeover.JdbcMasterLock;
import io.twinbell.persistence.takeover.JdbcOwnerRecords;
import io.twinbell.persistence.takeover.MasterLock;
import io.twinbell.persistence.takeover.OwnerLocation;
import io.twinbell.persistence.testing.TestSettings;
import java.io.IOException;
import java.time.Duration;
import org.postgresql.ds.PGSimpleDataSource;

/** A master a whose parts die one by one: its latch, its epoch, its lock and its port. It has no other parts. */
final class DyingMaster implements AutoCloseable {
    private final DatabaseSettings settings;
    private final DedicatedConnection records;
    private final DedicatedConnection locks;
    private final MasterLock lock;
    private final EpochRegister register;
    private final Epoch epoch;
    private final ZooKeeperLink link;
    private final CuratorLatch latch;
    private final ZooKeeperSessions sessions;
    private final RudeNode port;

    /** The cluster is called as the database is. */
    DyingMaster(PGSimpleDataSource database, String zooKeeper, Duration session) throws IOException {
        settings = TestSettings.of(database, "a");
        records = new DedicatedConnection(settings, "epoch", 3);
        locks = new DedicatedConnection(settings, "master-lock", 3);
        lock = new JdbcMasterLock(locks);
        link = new ZooKeeperLink(zooKeeper, database.getDatabaseName(), session, ZooKeeperAccess.OPEN, () -> {});
        latch = new CuratorLatch(link, "a", any -> true, Ticker.SYSTEM, () -> {});
        sessions = new ZooKeeperSessions(link, any -> true, Ticker.SYSTEM);
        link.start();
        if (!link.awaitConnection(Duration.ofSeconds(10))) {
            throw new AssertionError("ZooKeeper does not answer");
        }
        latch.enter();
        await().until(() -> latch.readElection().held());
        Election election = latch.readElection();
        Claimant claimant = new Claimant("a", settings.incarnation(), election.session(), election.czxid());
        register = new JdbcEpochRegister(settings, records);
        epoch = register.open(0, claimant, "test").orElseThrow();
        port = new RudeNode("HTTP/1.1 200 OK\r\n\r\n{\"incarnation\":\"" + settings.incarnation() + "\"}");
        lock.await(Duration.ofSeconds(1));
        new JdbcOwnerRecords(records)
                .record(
                        epoch,
                        new OwnerLocation(
                                epoch.number(),
                                "a",
                                settings.incarnation(),
                                port.url(),
                                sessions.own(election).orElseThrow(),
                                lock.backend()));
    }

    String url() {
        return port.url();
    }

    int lockBackend() {
        return lock.backend();
    }

    void beats() {
        register.beat(epoch);
    }

    void closesItsPort() throws IOException {
        port.close();
    }

    void leavesTheDatabase() {
        records.close();
        locks.close();
    }

    /** The kernel closes whatever a dead process had open; its ZooKeeper session goes on. */
    void dies() throws IOException {
        closesItsPort();
        leavesTheDatabase();
    }

    @Override
    public void close() throws IOException {
        dies();
        sessions.close();
        latch.close();
        link.close();
    }
}
