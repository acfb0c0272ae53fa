package io.twinbell.tools.devpair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PostgresHomeTest {
    @TempDir
    Path run;

    @Test
    void a_data_directory_that_was_removed_takes_the_password_of_its_roles_with_it() throws Exception {
        PostgresHome home = PostgresHome.in(run);
        assertTrue(home.prepare());
        Files.createDirectories(home.data());
        Path version = Files.createFile(home.data().resolve("PG_VERSION"));
        home.passwordSet("secret");
        assertFalse(home.hasPassword("secret"), "the first start is not over");
        home.initialised();
        assertTrue(home.hasPassword("secret"));
        assertFalse(home.hasPassword("another"));

        Files.delete(version);
        assertFalse(home.hasPassword("secret"), "a drill begins with empty data and keeps the binaries");
    }

    @Test
    void other_users_cannot_reach_the_binaries_also_of_an_earlier_start() throws Exception {
        Path home = Files.createDirectory(run.resolve("postgres"));
        Files.setPosixFilePermissions(home, PosixFilePermissions.fromString("rwxr-xr-x"));
        PostgresHome.in(run).prepare();
        assertEquals("rwx------", PosixFilePermissions.toString(Files.getPosixFilePermissions(home)));
    }
}
