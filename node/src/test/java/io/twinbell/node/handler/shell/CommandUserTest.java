package io.twinbell.node.handler.shell;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.handler.http.HttpCalls;
import io.twinbell.node.task.definition.HandlerSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;

/** Commands of the user nobody; only root may start them. */
@Timeout(60)
@EnabledIf(value = "isRoot", disabledReason = "only root may start commands as another user without a rule for sudo")
class CommandUserTest {
    private static final String USER = "nobody";

    private final ShellRunner runner =
            new ShellRunner(new HandlerConfig.ShellHandler(true, 4, USER), new OutputMask(List.of("s3cret-value")));

    @TempDir
    private Path folder;

    static boolean isRoot() throws Exception {
        return Path.of("/proc/self").toFile().exists()
                && (Integer) Files.getAttribute(Path.of("/proc/self"), "unix:uid") == 0;
    }

    @BeforeEach
    void letEverybodyWrite() throws Exception {
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    @AfterEach
    void close() {
        runner.close();
    }

    @Test
    void a_command_runs_as_that_user_and_reads_neither_the_nodes_environment_nor_its_files() throws Exception {
        Path secret = Files.writeString(folder.resolve("twinbell.yaml"), "database.password: x");
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-------"));
        long node = ProcessHandle.current().pid();
        HandlerOutcome outcome =
                sh("id -un; id -G; cat /proc/" + node + "/environ /proc/$PPID/environ " + secret + "; umask");
        String output = outcome.output();
        assertTrue(output.startsWith(USER + "\n"), output);
        assertFalse(
                output.lines().skip(1).findFirst().orElse("0").matches("(.* )?0( .*)?"), "no group of root: " + output);
        assertEquals(
                3,
                output.lines().filter(line -> line.contains("ermission denied")).count(),
                output);
        assertTrue(output.endsWith("0077\n") || output.endsWith("077\n"), output);
    }

    @Test
    void arguments_environment_and_directory_arrive_as_they_are() throws Exception {
        String strange = "it's \"$HOME\" `id` \\ \n*\t\u00e4\u65e5";
        HandlerSpec.Shell spec = new HandlerSpec.Shell(
                List.of(
                        "/bin/sh",
                        "-c",
                        "printf '%s|%s|%s|%s|%s|' \"$1\" \"$MINE\" \"$TWINBELL_SLOT\" \"$USER\" \"$(pwd -P)\"; cat",
                        "sh",
                        strange),
                Map.of("MINE", strange),
                folder.toString(),
                List.of(0));
        assertEquals(
                HandlerOutcome.succeeded(strange + "|" + strange + "|" + HttpCalls.SLOT.idempotencyKey() + "|" + USER
                        + "|" + folder.toRealPath() + "|"),
                start(spec).get());
        HandlerSpec.Shell environment = new HandlerSpec.Shell(List.of("/usr/bin/env"), Map.of(), null, List.of(0));
        List<String> names = start(environment)
                .get()
                .output()
                .lines()
                .map(line -> line.split("=")[0])
                .toList();
        assertFalse(
                names.stream().anyMatch(name -> name.startsWith("SUDO") || name.equals("TMPDIR")), names.toString());
    }

    @Test
    void exit_codes_and_programs_that_there_are_not_are_told() throws Exception {
        assertEquals("the command ended with exit code 3", sh("exit 3").error());
        HandlerSpec.Shell missing = new HandlerSpec.Shell(List.of("/no/such/program"), Map.of(), null, List.of(0));
        HandlerOutcome outcome = start(missing).get();
        assertTrue(
                outcome.error().contains("exit code 127") && outcome.output().contains("/no/such/program"),
                outcome.toString());
        HandlerSpec.Shell nowhere = new HandlerSpec.Shell(List.of("/bin/true"), Map.of(), "/no/such/place", List.of(0));
        assertTrue(
                start(nowhere).get().error().contains("exit code 126"),
                start(nowhere).get().toString());
    }

    @Test
    void all_that_a_command_started_ends_with_it_daemons_too() throws Exception {
        CompletableFuture<HandlerOutcome> run = start("(setsid sh -c 'echo $$ > " + folder
                + "/d; sleep 602' >/dev/null 2>&1 &);" + " echo $$ > " + folder + "/a; sleep 603");
        await().until(() -> pid("a") > 0 && pid("d") > 0);
        run.cancel(true);
        await().until(() -> !isAlive(pid("a")) && !isAlive(pid("d")));
    }

    @Test
    void a_user_who_cannot_be_used_refuses_every_task_with_the_reason() {
        for (Map.Entry<String, String> bad : Map.of(
                        "no-such-user", "there is no such user", "root", "do not run as root")
                .entrySet()) {
            try (ShellRunner refused =
                    new ShellRunner(new HandlerConfig.ShellHandler(true, 1, bad.getKey()), new OutputMask(List.of()))) {
                HandlerSpec.Shell spec = new HandlerSpec.Shell(List.of("/bin/true"), Map.of(), null, List.of(0));
                String error = refused.start(HttpCalls.call(spec, null), spec)
                        .toCompletableFuture()
                        .join()
                        .error();
                assertTrue(
                        error.contains("handlers.shell.user is \"" + bad.getKey()) && error.contains(bad.getValue()),
                        error);
                assertEquals(error, refused.refusal().orElseThrow());
            }
        }
    }

    private HandlerOutcome sh(String script) throws Exception {
        return start(script).get();
    }

    private CompletableFuture<HandlerOutcome> start(String script) {
        return start(new HandlerSpec.Shell(List.of("/bin/sh", "-c", script), Map.of(), null, List.of(0)));
    }

    private CompletableFuture<HandlerOutcome> start(HandlerSpec.Shell spec) {
        return runner.start(HttpCalls.call(spec, "{\"x\":1}"), spec).toCompletableFuture();
    }

    private long pid(String file) {
        try {
            String text = Files.readString(folder.resolve(file)).strip();
            return text.isEmpty() ? 0 : Long.parseLong(text);
        } catch (IOException e) {
            return 0;
        }
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
