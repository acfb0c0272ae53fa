package io.twinbell.tools.cli.importer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.TypedCommand;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories of unit files, as they are on a host. */
class ImportSystemdCommandTest {
    @TempDir
    private Path directory;

    private Path own;
    private Path vendor;

    @BeforeEach
    void create() throws IOException {
        own = Files.createDirectory(directory.resolve("etc"));
        vendor = Files.createDirectory(directory.resolve("usr"));
        Files.writeString(vendor.resolve("tidy.timer"), "[Timer]\nOnCalendar=daily\n");
        Files.writeString(vendor.resolve("tidy.service"), "[Service]\nExecStart=/bin/tidy\n");
    }

    private TypedCommand imported() {
        return TypedCommand.twinbell(
                "import",
                "systemd",
                own.toString(),
                vendor.toString(),
                "--app",
                "host",
                "--node-user",
                "root",
                "--to",
                directory.resolve("tasks.yaml").toString());
    }

    @Test
    void a_timer_that_the_host_has_masked_stays_off() throws IOException {
        assertEquals(0, imported().exitCode());
        Files.createSymbolicLink(own.resolve("tidy.timer"), Path.of("/dev/null"));
        TypedCommand masked = imported();
        assertEquals(1, masked.exitCode());
        assertTrue(masked.out().contains("is masked"), masked.out());
        assertFalse(Files.readString(directory.resolve("tasks.yaml")).contains("/bin/tidy"));
    }

    @Test
    void a_file_that_is_no_unit_is_named() throws IOException {
        Files.write(vendor.resolve("old.service"), "# für".getBytes(StandardCharsets.ISO_8859_1));
        assertTrue(imported().err().contains("old.service as UTF-8"), imported().err());
        Files.writeString(vendor.resolve("old.service"), "#".repeat(1024 * 1024 + 1));
        assertTrue(
                imported().err().contains("old.service: it has more than"),
                imported().err());
    }
}
