package io.twinbell.node.jmx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import javax.management.MBeanServerFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Mistakes in the files of roles, by file and line. A vertical bar ends a line. */
class JmxRolesTest {
    private static final String HASHED = "monitor c2FsdA== aGFzaGhhc2hoYXNoaGFzaA== SHA3-512";

    @TempDir
    Path folder;

    @ParameterizedTest
    @CsvSource(delimiter = '!', quoteCharacter = '\u0001', textBlock = """
            monitor a|control b ! monitor readonly|contrl readwrite ! jmx.access: ACCESS, line 2: "contrl" has no password in PASSWORDS
            monitor a|contrl b ! monitor readonly|control readwrite ! jmx.passwords: PASSWORDS, line 2: "contrl" has no line in ACCESS
            monitor a ! # who|monitor read-only ! jmx.access: ACCESS, line 2: "monitor" must be followed by readonly or readwrite, not by "read-only"
            monitor a ! monitor ! jmx.access: ACCESS, line 1: "monitor" must be followed by readonly or readwrite, not by ""
            monitor a ! monitor READONLY ! not by "READONLY"
            monitor a ! monitor readonly create x ! not by "readonly create x"
            monitor a ! monitor readwrite delete ! not by "readwrite delete"
            monitor a ! monitor readwrite create ! not by "readwrite create"
            monitor a ! monitor readonly|monitor readwrite ! jmx.access: ACCESS, line 2: "monitor" occurs twice
            monitor a ! mon\\u00 readonly ! jmx.access: ACCESS, line 1: has a \\u
            monitor a|# b|monitor c ! monitor readonly ! jmx.passwords: PASSWORDS, line 3: "monitor" occurs twice
            monitor ! monitor readonly ! jmx.passwords: PASSWORDS, line 1: must be a role name and a password
            monitor pass word ! monitor readonly ! jmx.passwords: PASSWORDS, line 1: must be a role name and a password
            |# x ! monitor readonly ! jmx.passwords: PASSWORDS contains no role
            monitor a !  # none ! jmx.access: ACCESS contains no role
            """)
    void a_mistake_is_named_with_file_and_line(String passwords, String access, String expected) throws IOException {
        List<String> problems = problems(passwords, access);
        assertTrue(
                problems.stream().anyMatch(problem -> problem.startsWith("jmx.") && problem.contains(expected)),
                problems.toString());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '!',
            quoteCharacter = '\u0001',
            value = {
                "monitor a|control b ! control=readwrite|monitor : readonly",
                "# c||control a ! # c|control readwrite \\|  create javax.*, com.example.A \\|  unregister",
                HASHED + " ! monitor readonly",
                "monitor c2FsdA== aGFzaGhhc2hoYXNoaGFzaA== ! \\u006donitor   readonly",
            })
    void whatever_the_jdk_accepts_is_accepted(String passwords, String access) throws IOException {
        JmxSecurity security = security(passwords, access);
        assertEquals(List.of(), security.problems());
        JmxServer.start(MBeanServerFactory.newMBeanServer(), "127.0.0.1", 0, security)
                .close();
    }

    @Test
    void a_password_is_never_shown_and_a_file_of_something_else_says_it_a_few_times() throws IOException {
        List<String> problems = problems("monitor my secret phrase of five|".repeat(100), "x\u0000y|".repeat(100));
        assertTrue(problems.stream().noneMatch(problem -> problem.contains("secret")), problems.toString());
        assertEquals(10, problems.size());
    }

    private List<String> problems(String passwords, String access) throws IOException {
        return security(passwords, access).problems().stream()
                .map(problem -> problem.replace(folder.resolve("p").toString(), "PASSWORDS")
                        .replace(folder.resolve("a").toString(), "ACCESS"))
                .toList();
    }

    private JmxSecurity security(String passwords, String access) throws IOException {
        return new JmxSecurity(file("p", passwords), file("a", access), null, null);
    }

    private Path file(String name, String lines) throws IOException {
        Path file = folder.resolve(name);
        Files.write(file, (lines.replace('|', '\n') + "\n").getBytes(StandardCharsets.UTF_8));
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        return file;
    }
}
