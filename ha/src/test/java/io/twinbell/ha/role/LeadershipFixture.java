package io.twinbell.ha.role;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.database.DedicatedConnection;
import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.EpochRegister;
import io.twinbell.persistence.epoch.JdbcEpochRegister;
import io.twinbell.persistence.testing.HandTicker;
import io.twinbell.persistence.testing.TestPostgres;
import io.twinbell.persistence.testing.TestSettings;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.postgresql.ds.PGSimpleDataSource;

/** Two nodes that take steps of leadership on a real epoch register, with a line in place of ZooKeeper. */
abstract class LeadershipFixture {
    static final PGSimpleDataSource DATABASE = TestPostgres.freshDatabase();
    final HandTicker ticker = new HandTicker();
    final Line line = new Line();
    final TestNode a = new TestNode(TestSettings.of(DATABASE, "a"), line, ticker);
    final TestNode b = new TestNode(TestSettings.of(DATABASE, "b"), line, ticker);

    @BeforeEach
    void forgetEveryEpoch() {
        TestPostgres.execute(
                DATABASE,
                "delete from twinbell.epoch; insert into twinbell.epoch default values;"
                        + " update twinbell.heartbeat set epoch = 0, beat_at = '-infinity';"
                        + " truncate twinbell.hand_over_request, twinbell.role_history");
    }

    @AfterEach
    void close() {
        a.close();
        b.close();
    }

    void anotherNodeOpensAnEpoch() {
        DatabaseSettings thief = TestSettings.of(DATABASE, "thief");
        try (DedicatedConnection connection = new DedicatedConnection(thief, "epoch", 5)) {
            EpochRegister register = new JdbcEpochRegister(thief, connection);
            long current = register.read().epoch();
            register.open(current, new Claimant("thief", thief.incarnation(), 1, 0), "stolen");
        }
    }

    void ownerHasNotBeatenFor(String interval) {
        TestPostgres.execute(
                DATABASE, "update twinbell.heartbeat set beat_at = clock_timestamp() - interval '" + interval + "'");
        TestPostgres.execute(
                DATABASE, "update twinbell.epoch set opened_at = clock_timestamp() - interval '" + interval + "'");
    }
}
