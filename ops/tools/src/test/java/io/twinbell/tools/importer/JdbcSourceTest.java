package io.twinbell.tools.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Path;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Databases of other schedulers that cannot be opened. */
class JdbcSourceTest {
    @Test
    void a_driver_jar_that_is_missing_is_named(@TempDir Path directory) {
        Path jar = directory.resolve("mysql.jar");
        SourceException failure = assertThrows(
                SourceException.class, () -> JdbcSource.open("jdbc:mysql://db/shop", new Properties(), jar, 1));
        assertEquals("Jar " + jar + " does not exist or can't be read", failure.getMessage());
    }
}
