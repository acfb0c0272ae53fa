package io.twinbell.tools.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

    @Test
    void an_error_does_not_repeat_the_password_of_the_url() {
        for (String url : new String[] {
            "jdbc:nobody://db/shop?user=a&password=hush",
            "jdbc:postgresql://127.0.0.1:1/shop?password=hush",
            "jdbc:nobody://a:hush@db/shop",
            "jdbc:postgresql://a:hush@127.0.0.1:1/shop"
        }) {
            SourceException failure =
                    assertThrows(SourceException.class, () -> JdbcSource.open(url, new Properties(), null, 1));
            assertFalse(failure.getMessage().contains("hush"), failure.getMessage());
            assertTrue(failure.getMessage().contains("/shop:"), failure.getMessage());
        }
    }
}
