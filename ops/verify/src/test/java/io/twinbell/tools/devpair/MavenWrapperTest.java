package io.twinbell.tools.devpair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code ./mvnw} on a machine that has a JDK and no Maven, no curl and no wget, with a repository of our own. */
class MavenWrapperTest {
    private static final List<String> POSIX_TOOLS =
            List.of("bash", "sh", "dirname", "sed", "mktemp", "mkdir", "rm", "mv", "chmod");

    @TempDir
    private Path temporary;

    private TestShell shell;
    private Path archive;
    private Path pins;

    @BeforeEach
    void standAlone() throws Exception {
        Path top = temporary.resolve("a place with spaces");
        pins = top.resolve(".mvn/wrapper/maven-wrapper.properties");
        archive = temporary.resolve("repository/org/apache/maven/apache-maven/0.1/apache-maven-0.1-bin.zip");
        shell = TestShell.withCopyOf(top, "mvnw", ".mvn/wrapper")
                .inOnly(Map.of(
                        "PATH",
                        commands().toString(),
                        "HOME",
                        temporary.resolve("home").toString(),
                        "JAVA_HOME",
                        System.getProperty("java.home"),
                        "MVNW_REPOURL",
                        temporary.resolve("repository").toUri().toString()));
        publish("echo maven got \"$@\"\n");
    }

    @Test
    void the_pinned_maven_is_fetched_once_and_run() throws Exception {
        pin(sha512());

        TestShell.Outcome first = shell.run("mvnw", "-B", "verify");
        assertEquals("maven got -B verify\n", first.out(), first.err());
        assertTrue(first.err().contains("Fetching"), first.err());

        Files.delete(archive);
        TestShell.Outcome second = shell.run("mvnw", "test");
        assertEquals("maven got test\n", second.out(), second.err());
        assertEquals("", second.err());
    }

    @Test
    void an_archive_with_another_sum_is_never_run() throws Exception {
        pin("0".repeat(128));

        TestShell.Outcome outcome = shell.run("mvnw", "test");

        assertEquals(1, outcome.exitCode());
        assertEquals("", outcome.out());
        assertTrue(outcome.err().contains("is not the pinned Maven 0.1"), outcome.err());
    }

    private void publish(String maven) throws Exception {
        Files.createDirectories(archive.getParent());
        try (OutputStream file = Files.newOutputStream(archive);
                ZipOutputStream zip = new ZipOutputStream(file)) {
            zip.putNextEntry(new ZipEntry("apache-maven-0.1/bin/mvn"));
            zip.write(("#!/usr/bin/env bash\n" + maven).getBytes(StandardCharsets.UTF_8));
            zip.closeEntry();
        }
    }

    private void pin(String sum) throws Exception {
        Files.writeString(pins, "mavenVersion=0.1\nmavenSha512=" + sum + "\n");
    }

    private String sha512() throws Exception {
        return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-512").digest(Files.readAllBytes(archive)));
    }

    /** A directory with links to a few commands, to be the whole PATH. */
    private Path commands() throws Exception {
        Path directory = Files.createDirectories(temporary.resolve("bin"));
        for (String tool : POSIX_TOOLS) {
            for (String place : System.getenv("PATH").split(":")) {
                Path command = Path.of(place, tool);
                if (Files.isExecutable(command) && Files.notExists(directory.resolve(tool))) {
                    Files.createSymbolicLink(directory.resolve(tool), command);
                }
            }
        }
        return directory;
    }
}
