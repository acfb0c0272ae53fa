package io.twinbell.node.settings;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Files of the real file system, with the rights that let others change them. */
@EnabledOnOs(OS.LINUX)
class TrustedFilesTest {
    @TempDir
    private Path folder;

    private Path own;

    @BeforeEach
    void make() throws IOException {
        own = Files.createDirectory(folder.resolve("own"));
        rights(folder, "rwx------");
        rights(own, "rwxr-xr-x");
    }

    @Test
    void a_file_only_its_owner_can_write_is_trusted_also_below_a_sticky_directory() throws IOException {
        Path jar = rights(Files.createFile(own.resolve("a.jar")), "rw-r--r--");
        assertEquals(Optional.empty(), TrustedFiles.changeable(jar));
        assertEquals(Optional.empty(), TrustedFiles.changeable(own));
    }

    @Test
    void a_file_that_others_can_write_is_not_trusted() throws IOException {
        Path jar = rights(Files.createFile(own.resolve("a.jar")), "rw-r--rw-");
        assertTrue(problem(jar).contains("a.jar can be written by everybody"));
        rights(jar, "rw-rw-r--");
        assertTrue(problem(jar).contains("a.jar can be written by its group"));
    }

    @Test
    void neither_is_what_lies_below_a_directory_that_others_can_write() throws IOException {
        Path jar = rights(Files.createFile(own.resolve("a.jar")), "rw-r--r--");
        rights(folder, "rwxrwx---");
        assertTrue(problem(jar).contains(folder + " can be written by its group"));
        rights(folder, "rwxr-xrwx");
        assertTrue(problem(own).contains(folder + " can be written by everybody"));
    }

    @Test
    void a_sticky_directory_itself_is_not_trusted() throws IOException {
        Files.setAttribute(own, "unix:mode", 01777);
        assertTrue(problem(own).contains("can be written by everybody"));
    }

    @Test
    void a_link_is_judged_by_where_it_stands_and_by_where_it_leads() throws IOException {
        Path open = rights(Files.createDirectory(folder.resolve("open")), "rwxrwxrwx");
        Path jar = rights(Files.createFile(own.resolve("a.jar")), "rw-r--r--");
        Path toOpen = Files.createSymbolicLink(own.resolve("link"), Path.of("../open"));
        Path fromOpen = Files.createSymbolicLink(open.resolve("link"), jar);
        Path fine = Files.createSymbolicLink(folder.resolve("fine"), jar);
        assertTrue(problem(toOpen).contains("open can be written by everybody"));
        assertTrue(problem(fromOpen).contains("open can be written by everybody"));
        assertEquals(Optional.empty(), TrustedFiles.changeable(fine));
        Path loop = Files.createSymbolicLink(folder.resolve("loop"), folder.resolve("loop"));
        assertTrue(problem(loop).contains("too many links"));
    }

    @Test
    void root_accepts_a_directory_of_the_node_user_and_of_no_third_one() throws IOException {
        assumeTrue((Integer) Files.getAttribute(folder, "unix:uid") == 0, "only root may give files away");
        Files.setAttribute(own, "unix:uid", 4711);
        assertTrue(problem(own).contains("own belongs to another user (4711)"));
        assertEquals(Optional.empty(), TrustedFiles.changeableForNode(own));
        Files.setAttribute(folder, "unix:uid", 4712);
        assertTrue(TrustedFiles.changeableForNode(own).orElse("").contains("belongs to another user (4712)"));
    }

    private static String problem(Path path) throws IOException {
        return TrustedFiles.changeable(path).orElse("");
    }

    private static Path rights(Path path, String rights) throws IOException {
        return Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(rights));
    }
}
