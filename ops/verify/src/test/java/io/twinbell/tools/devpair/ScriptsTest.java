package io.twinbell.tools.devpair;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.persistence.testing.FreePort;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ScriptsTest {
    private static final int MISUSED = 64;

    @TempDir
    private Path temporary;

    private Path top;
    private TestShell shell;

    @BeforeEach
    void copyScripts() throws Exception {
        top = temporary.resolve("a place with spaces");
        shell = TestShell.withCopyOf(top, "scripts");
    }

    @ParameterizedTest
    @CsvSource({
        "scripts/pair explode, unknown command: explode",
        "scripts/pair kill, kill needs a node",
        "scripts/pair kill c, kill needs a node",
        "scripts/pair stop a b, stop takes one node",
        "scripts/pair up --http-a, --http-a needs a port",
        "scripts/pair up --http-a 80x, --http-a needs a port",
        "scripts/pair up --jmx-b 70000, not a valid port: 70000",
        "scripts/pair up --verbose, up has no option --verbose",
        "scripts/pair down --all, down has no option --all",
        "scripts/pair logs c, logs has no argument c",
        "scripts/pair status a, status takes no argument",
        "scripts/node start, start needs --config FILE",
        "scripts/node start --config, --config needs a value",
        "scripts/node reload, unknown command: reload",
        "scripts/node restart, restart needs --config FILE",
        "scripts/node stop --config x --timeout soon, --timeout needs seconds",
        "scripts/node start --config x --wait 1m, --wait needs seconds"
    })
    void a_mistyped_option_is_named_and_starts_nothing(String typed, String complaint) throws Exception {
        TestShell.Outcome outcome = shell.run(typed.split(" "));

        assertEquals(MISUSED, outcome.exitCode(), outcome.err());
        assertTrue(outcome.err().contains(complaint), outcome.err());
        assertTrue(outcome.err().contains("Usage: "), outcome.err());
        assertTrue(Files.notExists(top.resolve("run")));
    }

    @ParameterizedTest
    @CsvSource({
        "8081, scripts/pair up --jmx-b 8081",
        "21819, scripts/pair up --secure --http-a 21719",
        "8182, scripts/pair up --secure --http-a 8182"
    })
    void one_port_for_two_listeners_is_refused(String port, String typed) throws Exception {
        TestShell.Outcome outcome = shell.run(typed.split(" "));

        assertEquals(1, outcome.exitCode());
        assertTrue(outcome.err().contains("port " + port + " is used for two listeners"), outcome.err());
        assertTrue(Files.notExists(top.resolve("run").resolve("services.pid")));
    }

    @Test
    void a_taken_port_is_named_with_its_flag_before_anything_starts() throws Exception {
        try (ServerSocket taken = new ServerSocket(0, 50, InetAddress.getByName(LoopbackPort.ADDRESS))) {
            String port = Integer.toString(taken.getLocalPort());

            TestShell.Outcome outcome = shell.run(upOnFreePorts("--jmx-b", port));

            assertEquals(1, outcome.exitCode());
            assertTrue(
                    outcome.err().contains("port " + port + " for JMX of node b is used by another program"),
                    outcome.err());
            assertTrue(outcome.err().contains("--jmx-b"), outcome.err());
            assertTrue(Files.notExists(top.resolve("run").resolve("services.pid")));
        }
    }

    @Test
    void one_port_for_two_listeners_is_refused() throws Exception {
        TestShell.Outcome outcome = shell.run("scripts/pair", "up", "--http-a", "18081", "--jmx-b", "18081");

        assertEquals(1, outcome.exitCode());
        assertTrue(outcome.err().contains("18081"), outcome.err());
    }

    @Test
    void a_pair_that_does_not_run_is_told_so() throws Exception {
        TestShell.Outcome status = shell.run("scripts/pair", "status");
        assertEquals(3, status.exitCode());
        assertEquals(
                "a STOPPED http=http://127.0.0.1:8081 jmx=127.0.0.1:9081\n"
                        + "b STOPPED http=http://127.0.0.1:8082 jmx=127.0.0.1:9082\n",
                status.out());

        TestShell.Outcome kill = shell.run("scripts/pair", "kill", "a");
        assertEquals(1, kill.exitCode());
        assertTrue(kill.err().contains("a is not running"), kill.err());

        TestShell.Outcome down = shell.run("scripts/pair", "down");
        assertEquals(0, down.exitCode(), down.err());
    }

    @Test
    void a_daemon_is_ended_by_its_pid_file() throws Exception {
        TestShell.Outcome outcome = inProcessParts("""
                spawn d.pid d.log sleep 1000
                running d.pid && kill -0 "$pid" && was=$pid
                terminate d.pid 100
                ! kill -0 "$was" 2>/dev/null
                [ ! -e d.pid ]""");

        assertEquals(0, outcome.exitCode(), outcome.err());
    }

    @Test
    void a_frozen_daemon_is_seen_as_such_and_still_ended() throws Exception {
        TestShell.Outcome outcome = inProcessParts("""
                spawn d.pid d.log sleep 1000
                running d.pid
                ! frozen "$pid"
                kill -STOP "$pid"
                until frozen "$pid"; do :; done
                terminate d.pid 100
                ! running d.pid""");

        assertEquals(0, outcome.exitCode(), outcome.err());
    }

    @Test
    void a_process_that_only_inherited_the_pid_is_never_signalled() throws Exception {
        TestShell.Outcome outcome = inProcessParts("""
                sleep 1000 &
                stranger=$!
                printf '%s\\nborn another time\\n' "$stranger" >d.pid
                ! running d.pid
                terminate d.pid 1
                kill -0 "$stranger"
                kill "$stranger\"""");

        assertEquals(0, outcome.exitCode(), outcome.err());
    }

    @Test
    void a_node_is_found_when_the_boot_id_reads_differently_in_its_container() throws Exception {
        TestShell.Outcome outcome = inProcessParts("""
                other=00000000-0000-4000-8000-000000000000
                bash -c 'exec -a io.twinbell.daemon sleep 1000' &
                node=$!
                sleep 1000 &
                stranger=$!
                trap 'kill "$node" "$stranger"' EXIT
                until grep -qa twinbell "/proc/$node/cmdline"; do :; done
                remember node.pid "$node"
                remember stranger.pid "$stranger"
                sed -i "s/@.*/@$other/" node.pid stranger.pid
                running node.pid || exit 2
                if running stranger.pid; then exit 3; fi
                sed -i "s/^[0-9]*@/1@/" node.pid
                if running node.pid; then exit 4; fi""");

        assertEquals(0, outcome.exitCode(), outcome.err());
    }

    @Test
    void the_last_three_logs_are_kept() throws Exception {
        TestShell.Outcome outcome = inProcessParts("""
                for n in 1 2 3 4 5; do rotate d.log; echo "$n" >d.log; done
                cat d.log d.log.1 d.log.2 d.log.3
                [ ! -e d.log.4 ]""");

        assertEquals(0, outcome.exitCode(), outcome.err());
        assertEquals("5\n4\n3\n2\n", outcome.out());
    }

    /** Someone may use a pair on the usual ports while this runs. */
    private static String[] upOnFreePorts(String... flags) throws Exception {
        List<String> command = new ArrayList<>(List.of("scripts/pair", "up"));
        for (String flag : List.of("--postgres-port", "--zookeeper-port", "--http-a", "--http-b", "--jmx-a")) {
            command.add(flag);
            command.add(Integer.toString(FreePort.take()));
        }
        command.addAll(List.of(flags));
        return command.toArray(String[]::new);
    }

    private TestShell.Outcome inProcessParts(String script) throws Exception {
        return shell.run("-c", "set -euo pipefail\n. scripts/parts/process.sh\n" + script);
    }
}
