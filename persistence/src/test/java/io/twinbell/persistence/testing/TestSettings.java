package io.twinbell.persistence.testing;

import io.twinbell.persistence.database.DatabaseSettings;
import io.twinbell.persistence.epoch.Claimant;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import java.util.UUID;
import org.postgresql.ds.PGSimpleDataSource;

/** The settings of a node that uses a test's database. */
public final class TestSettings {
    private TestSettings() {}

    public static DatabaseSettings of(PGSimpleDataSource database, String node) {
        return new DatabaseSettings(
                database.getUrl(), database.getUser(), database.getPassword(), node, UUID.randomUUID());
    }

    /** Opens the epoch that follows the expected one for this node. */
    public static Epoch openEpoch(EpochRegister register, DatabaseSettings node, long expected) {
        return register.open(expected, new Claimant(node.node(), node.incarnation(), 1, 0), "test")
                .orElseThrow();
    }
}
