package io.twinbell.persistence.database;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.UUID;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DatabaseSettingsTest {
    /** One that has vanished is waited for, and once more where every host is asked for its timeline. */
    @ParameterizedTest
    @CsvSource({
        "'jdbc:postgresql://db1:5432/twinbell', 2",
        "'jdbc:postgresql://db1:5432,db2:5432/twinbell?targetServerType=primary', 1"
    })
    void each_of_several_hosts_gets_a_shorter_wait(String url, String seconds) {
        DatabaseSettings settings = new DatabaseSettings(url, "twinbell", "secret", "a", new UUID(0, 1));
        assertEquals(seconds, settings.properties("claims", 3, "").getProperty("connectTimeout"));
        assertEquals(Integer.parseInt(seconds), settings.dataSource("survey").getConnectTimeout());
    }
}
