package io.twinbell.persistence.testing;

import io.twinbell.persistence.database.DatabaseSettings;
import java.util.UUID;
import org.postgresql.ds.PGSimpleDataSource;

/** The settings of a node that uses a test's database. */
public final class TestSettings {
    private TestSettings() {}

    public static DatabaseSettings of(PGSimpleDataSource database, String node) {
        return new DatabaseSettings(
                database.getUrl(), database.getUser(), database.getPassword(), node, UUID.randomUUID());
    }
}
