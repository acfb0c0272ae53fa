package io.twinbell.node.handler.shell;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.handler.config.HandlerConfig;
import io.twinbell.node.handler.http.HttpCalls;
import io.twinbell.node.task.definition.HandlerSpec;
import io.twinbell.persistence.testing.RandomCases;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** Real commands, and that nothing is left of them. */
@Timeout(60)
@EnabledOnOs({OS.LINUX, OS.MAC})
class ShellRunnerTest {
    /** Two tests wait until it has passed. */
    private static final Duration GRACE = Duration.ofSeconds(1);

    @AutoClose
    private final ShellRunner runner = new ShellRunner(
            new HandlerConfig.ShellHandler(true, 4), new OutputMask(List.of("s3cret-value", "pw")), GRACE, Thread::new);

    @TempDir
    private Path folder;

    @Test
    void output_of_both_kinds_and_exit_code_are_told() {
        assertEquals(
                HandlerOutcome.succeeded("out\nerr\n"),
                sh("echo out; echo err >&2").join());
        assertEquals(
                HandlerOutcome.failed("EXIT_3", "the command ended with exit code 3", "no\n"),
                sh("echo no; exit 3").join());
    }

    @Test
    void success_codes_say_what_is_a_success() {
        HandlerSpec.Shell spec =
                new HandlerSpec.Shell(List.of("/bin/sh", "-c", "exit 3"), Map.of(), null, List.of(0, 3));
        assertEquals(HandlerOutcome.succeeded(""), start(spec).join());
    }

    @Test
    void arguments_are_passed_as_they_are() {
        HandlerSpec.Shell spec =
                new HandlerSpec.Shell(List.of("/bin/echo", "$HOME; rm -rf /", "a  b", "*"), Map.of(), null, List.of(0));
        assertEquals(
                HandlerOutcome.succeeded("$HOME; rm -rf / a  b *\n"),
                start(spec).join());
    }

    @Test
    void the_environment_is_the_tasks_own_and_holds_none_of_the_nodes_secrets() {
        HandlerSpec.Shell spec =
                new HandlerSpec.Shell(List.of("/usr/bin/env"), Map.of("MINE", "a b"), folder.toString(), List.of(0));
        List<String> lines = start(spec).join().output().lines().toList();
        assertTrue(lines.contains("MINE=a b"));
        assertTrue(lines.contains("TWINBELL_SLOT=7/2026-03-29T01:00:00.000Z"), lines.toString());
        assertTrue(lines.contains("TWINBELL_ATTEMPT=3") && lines.contains("TWINBELL_DATA={\"x\":1}"), lines.toString());
        List<String> others = lines.stream()
                .map(line -> line.split("=", 2)[0])
                .filter(name -> System.getenv().containsKey(name))
                .filter(name -> !List.of("""
                PATH HOME USER LOGNAME SHELL LANG LC_ALL LC_CTYPE TZ TMPDIR PWD _ SHLVL""".split(" ")).contains(name))
                .toList();
        assertEquals(List.of(), others);
    }

    @Test
    void the_working_directory_is_the_tasks_and_standard_input_is_empty() throws IOException {
        HandlerSpec.Shell spec =
                new HandlerSpec.Shell(List.of("/bin/sh", "-c", "cat; pwd -P"), Map.of(), folder.toString(), List.of(0));
        assertEquals(
                HandlerOutcome.succeeded(folder.toRealPath() + "\n"),
                start(spec).join());
    }

    @Test
    void a_long_output_keeps_its_end() {
        String output = sh("i=0; while [ $i -lt 20000 ]; do echo line $i; i=$((i+1)); done")
                .join()
                .output();
        assertTrue(output.startsWith("…\n") && output.endsWith("line 19999\n"), output.substring(0, 20));
        assertEquals(8192 + 2, output.length());
    }

    @Test
    void secrets_of_the_node_are_masked_in_outputs_also_when_encoded() {
        String encoded = Base64.getEncoder().encodeToString("me:s3cret-value!".getBytes(StandardCharsets.UTF_8));
        HandlerOutcome outcome =
                sh("echo s3cret-value pw " + encoded + "; exit 1").join();
        assertFalse(
                outcome.output().contains("s3cret") || outcome.output().contains(encoded.substring(8, 16)),
                outcome.output());
        assertTrue(outcome.output().startsWith("*** pw "), "a word of two letters stays: " + outcome.output());
        String cut = sh("i=0; while [ $i -lt 2000 ]; do printf s3cret-value; i=$((i+1)); done")
                .join()
                .output();
        assertTrue(cut.matches("\u2026\n[*]+"), cut);
    }

    @Test
    void a_program_that_there_is_not_is_a_failure_that_says_so() {
        HandlerSpec.Shell spec = new HandlerSpec.Shell(List.of("/no/such/program"), Map.of(), null, List.of(0));
        assertTrue(start(spec).join().error().contains("/no/such/program"));
    }

    @Test
    void a_cancelled_command_is_ended_with_all_that_it_started() {
        CompletableFuture<HandlerOutcome> run = sh("sleep 600 & sh -c 'sleep 601 & echo $! > " + folder
                + "/c; wait' & echo $! > " + folder + "/b; echo $$ > " + folder + "/a; wait");
        await().until(() -> List.of("a", "b", "c").stream().allMatch(name -> pid(name) > 0));
        run.cancel(true);
        await().until(() -> List.of("a", "b", "c").stream().noneMatch(name -> isAlive(pid(name))));
    }

    @Test
    void one_that_does_not_listen_is_killed() {
        CompletableFuture<HandlerOutcome> run =
                sh("trap '' TERM; echo $$ > " + folder + "/a; while :; do sleep 1; done");
        await().until(() -> pid("a") > 0);
        run.cancel(true);
        await().until(() -> !isAlive(pid("a")));
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void a_daemon_that_left_its_parents_is_found_by_its_mark() {
        CompletableFuture<HandlerOutcome> run = sh("(setsid sh -c 'echo $$ > " + folder
                + "/d; sleep 602' >/dev/null 2>&1 &) ; " + "echo $$ > " + folder + "/a; sleep 603");
        await().until(() -> pid("a") > 0 && pid("d") > 0);
        run.cancel(true);
        await().until(() -> !isAlive(pid("a")) && !isAlive(pid("d")));
    }

    @Test
    void processes_that_a_command_leaves_end_with_it_and_do_not_delay_it() {
        HandlerOutcome outcome =
                sh("sleep 604 & echo $! > " + folder + "/a; echo done").join();
        assertEquals(HandlerOutcome.succeeded("done\n"), outcome);
        await().until(() -> !isAlive(pid("a")));
    }

    @Test
    void a_daemon_that_cannot_be_found_does_not_keep_its_command_from_ending() throws IOException {
        List<CompletableFuture<HandlerOutcome>> commands = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            Path pid = folder.resolve("daemon" + i);
            String daemon = "echo $$ > " + pid + ".new; mv " + pid + ".new " + pid + "; exec sleep 300";
            // Its parent ends first, or it is found as a descendant.
            commands.add(sh("(env -i /bin/sh -c '" + daemon + "' &); until [ -f " + pid + " ]; do :; done; echo gone"));
        }
        for (CompletableFuture<HandlerOutcome> command : commands) {
            assertEquals(HandlerOutcome.succeeded("gone\n"), command.join());
        }
        assertEquals(HandlerOutcome.succeeded("next\n"), sh("echo next").join());
        for (int i = 0; i < 4; i++) {
            long daemon = Long.parseLong(
                    Files.readString(folder.resolve("daemon" + i)).strip());
            assertTrue(ProcessHandle.of(daemon).orElseThrow().destroyForcibly(), "the daemon runs on");
        }
    }

    @Test
    @EnabledOnOs(OS.LINUX)
    void a_process_between_fork_and_exec_is_found_though_it_shows_no_environment() throws IOException {
        for (int fork = 0; fork < RandomCases.count(100, 400); fork++) {
            ProcessBuilder builder = new ProcessBuilder("/bin/sh", "-c", "sleep 606 & echo $!");
            builder.environment().put("MARK", "fork" + fork);
            Process shell = builder.start();
            ProcessTree tree = new ProcessTree(shell, "MARK=fork" + fork, null);
            try (BufferedReader output = shell.inputReader()) {
                assertTrue(tree.isMarked(Path.of("/proc", output.readLine())), "fork " + fork);
            } finally {
                tree.kill();
            }
        }
    }

    @Test
    void a_node_that_stops_leaves_no_command_running() {
        sh("echo $$ > " + folder + "/a; sleep 605");
        await().until(() -> pid("a") > 0);
        runner.close();
        await().until(() -> !isAlive(pid("a")));
    }

    @Test
    void a_command_whose_output_no_thread_can_read_is_killed_and_fails_and_the_next_one_runs() {
        // More than there may be open outputs.
        int most = 110;
        AtomicInteger refusals = new AtomicInteger(most);
        ThreadFactory exhausted = work -> {
            if (refusals.getAndDecrement() > 0) {
                throw new OutOfMemoryError("unable to create native thread");
            }
            return new Thread(work);
        };
        HandlerSpec.Shell spec = new HandlerSpec.Shell(List.of("/bin/sleep", "607"), Map.of(), null, List.of(0));
        HandlerSpec.Shell next = new HandlerSpec.Shell(List.of("/bin/echo", "next"), Map.of(), null, List.of(0));
        try (ShellRunner full =
                new ShellRunner(new HandlerConfig.ShellHandler(true, 4), new OutputMask(List.of()), GRACE, exhausted)) {
            for (int i = 0; i < most; i++) {
                CompletableFuture<HandlerOutcome> run =
                        full.start(HttpCalls.call(spec, null), spec).toCompletableFuture();
                CompletionException failed = assertThrows(CompletionException.class, run::join);
                assertInstanceOf(OutOfMemoryError.class, failed.getCause());
            }
            assertTrue(ProcessHandle.current()
                    .children()
                    .noneMatch(child -> child.info().commandLine().orElse("").endsWith("sleep 607")));
            assertEquals(
                    HandlerOutcome.succeeded("next\n"),
                    full.start(HttpCalls.call(next, null), next)
                            .toCompletableFuture()
                            .join());
        }
    }

    @Test
    void a_command_that_cannot_be_prepared_fails_and_keeps_no_place() {
        HandlerSpec.Shell spec = new HandlerSpec.Shell(List.of("/bin/echo"), Map.of("no=name", "x"), null, List.of(0));
        for (int i = 0; i < 200; i++) {
            CompletableFuture<HandlerOutcome> run = start(spec);
            assertThrows(CompletionException.class, run::join);
        }
        assertEquals(HandlerOutcome.succeeded("next\n"), sh("echo next").join());
    }

    @Test
    void without_the_configuration_nothing_runs() {
        try (ShellRunner off = new ShellRunner(new HandlerConfig.ShellHandler(false, 1), new OutputMask(List.of()))) {
            HandlerSpec.Shell spec = new HandlerSpec.Shell(
                    List.of("/bin/sh", "-c", "touch " + folder + "/a"), Map.of(), null, List.of(0));
            assertEquals(
                    HandlerOutcome.failed("REFUSED", ShellRunner.OFF, null),
                    off.start(HttpCalls.call(spec, null), spec)
                            .toCompletableFuture()
                            .join());
        }
        assertFalse(Files.exists(folder.resolve("a")));
    }

    private CompletableFuture<HandlerOutcome> sh(String script) {
        return start(new HandlerSpec.Shell(List.of("/bin/sh", "-c", script), Map.of(), null, List.of(0)));
    }

    private CompletableFuture<HandlerOutcome> start(HandlerSpec.Shell spec) {
        return runner.start(HttpCalls.call(spec, "{\"x\":1}"), spec).toCompletableFuture();
    }

    private long pid(String name) {
        try {
            String text = Files.readString(folder.resolve(name)).strip();
            return text.isEmpty() ? 0 : Long.parseLong(text);
        } catch (IOException e) {
            return 0;
        }
    }

    private static boolean isAlive(long pid) {
        return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
    }
}
