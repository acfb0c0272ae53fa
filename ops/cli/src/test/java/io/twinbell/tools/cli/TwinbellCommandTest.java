package io.twinbell.tools.cli;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class TwinbellCommandTest {
    /** Nothing listens there: no program may. */
    private static final String NOBODY = "http://127.0.0.1:1";

    @AutoClose
    private final StubNode a = StubNode.start("a", "MASTER", 3);

    @AutoClose
    private final StubNode b = StubNode.start("b", "STANDBY", 3);

    @Test
    void status_of_a_healthy_pair_is_0_with_a_line_from_each_nodes_own_view() {
        TypedCommand status = TypedCommand.twinbell("status", "--url", a.url(), "--url", b.url());

        assertExit(0, status);
        assertEquals(
                "a MASTER epoch=3 http=" + a.url() + " jmx=127.0.0.1:9081\n" + "b STANDBY epoch=3 http=" + b.url()
                        + " jmx=127.0.0.1:9081\n",
                status.out());
        assertEquals("", status.err());
    }

    @Test
    void status_without_a_standby_is_1() {
        TypedCommand status = TypedCommand.twinbell("status", "--url", a.url(), "--url", NOBODY);

        assertExit(1, status);
        assertTrue(status.out().endsWith("? UNREACHABLE http=" + NOBODY + "\n"), status.out());
        assertTrue(status.err().contains("no standby"), status.err());
    }

    @Test
    void status_during_a_hold_is_1() {
        a.alsoTells(",\"onHold\":true");
        b.alsoTells(",\"onHold\":true");
        TypedCommand status = TypedCommand.twinbell("status", "--url", a.url(), "--url", b.url());

        assertExit(1, status);
        assertTrue(status.err().contains("no standby can take over"), status.err());
    }

    @Test
    void the_installed_node_names_the_other_one() {
        a.answer(
                "/api/v1/cluster", "{\"nodes\": [{\"http\": \"%s\"}, {\"http\": \"%s\"}]}".formatted(a.url(), b.url()));
        System.setProperty("twinbell.node", a.url());
        try {
            assertExit(0, TypedCommand.twinbell("status"));
            assertEquals(
                    1,
                    TypedCommand.twinbell("status", "--url", a.url()).exitCode(),
                    "--url replaces the default nodes");
        } finally {
            System.clearProperty("twinbell.node");
        }
    }

    @Test
    void a_node_on_its_way_is_no_standby() {
        b.become("PROMOTING", 4);

        assertEquals(1, statusOfBoth());
    }

    @Test
    void status_without_a_master_or_with_two_is_2() {
        b.become("MASTER", 4);
        assertEquals(2, statusOfBoth());

        a.become("STANDBY", 4);
        b.become("STANDBY", 4);
        assertEquals(2, statusOfBoth());
    }

    @Test
    void a_master_that_does_not_fire_is_2_and_says_why() {
        a.alsoTells(",\"notFiring\":\"no heartbeat could be recorded for 23 s\"");

        TypedCommand status = TypedCommand.twinbell("status", "--url", a.url(), "--url", b.url());

        assertExit(2, status);
        assertTrue(
                status.err()
                        .contains("NOTHING FIRES: node a is master and does not fire: no heartbeat could be recorded"),
                status.err());
    }

    @Test
    void a_master_of_an_older_build_that_does_not_reach_the_database_is_2() {
        a.alsoTells(",\"databaseReached\":false,\"notFiring\":null");

        TypedCommand status = TypedCommand.twinbell("status", "--url", a.url(), "--url", b.url());

        assertExit(2, status);
        assertTrue(status.err().contains("node a is master and does not fire: it does not reach"), status.err());
    }

    @Test
    void what_a_node_warns_of_is_1_and_is_said_once() {
        a.alsoTells(",\"warnings\":[\"2 servers of the database accept writes: one, two\"]");
        b.alsoTells(",\"warnings\":[\"2 servers of the database accept writes: one, two\"]");

        TypedCommand status = TypedCommand.twinbell("status", "--url", a.url(), "--url", b.url());

        assertExit(1, status);
        assertEquals(2, status.err().split("WARNING: 2 servers", -1).length, status.err());
    }

    @Test
    void a_standby_that_reaches_no_database_or_no_zookeeper_is_none() {
        b.alsoTells(",\"databaseReached\":false");
        assertEquals(1, statusOfBoth());
        b.alsoTells(",\"zooKeeper\":\"SUSPENDED\"");
        assertEquals(1, statusOfBoth());
        b.alsoTells(",\"zooKeeper\":\"RECONNECTED\",\"notFiring\":\"the last heartbeat of the master is 23 s old\"");
        assertEquals(0, statusOfBoth(), "the master's own word counts");
    }

    @Test
    void a_master_that_is_more_than_a_minute_late_is_1() {
        a.alsoTells(",\"lagMillis\":60000");
        assertEquals(0, statusOfBoth());
        a.alsoTells(",\"lagMillis\":60001");
        assertEquals(1, statusOfBoth());
    }

    @Test
    void a_list_of_executions_shows_their_origin_and_their_reruns() {
        a.answer(
                "/api/v1/executions",
                "{\"items\":[" + execution("SUCCEEDED", "\"TRIGGERED\"", 1) + "," + execution("FAILED", "null", 2) + ","
                        + execution("DROPPED", "null", 0) + "],\"next\":null}");
        TypedCommand list = TypedCommand.twinbell("executions", "--url", a.url());
        assertEquals(
                List.of(
                        "STATE ATTEMPT ORIGIN NODE",
                        "SUCCEEDED 3 TRIGGERED, 1 rerun a",
                        "FAILED 3 2 reruns a",
                        "DROPPED 3 a"),
                list.out()
                        .lines()
                        .map(line -> line.replaceAll(" +", " ").replaceAll("^.*(Z|TIME) (.*?) (LATE.*|0 ms.*)$", "$2"))
                        .toList());
    }

    private static String execution(String state, String origin, int reruns) {
        return "{\"id\":\"7-1\",\"app\":\"shop\",\"name\":\"close-day\",\"fireTime\":\"2026-03-29T01:00:00.000Z\","
                + "\"state\":\"" + state + "\",\"attempt\":3,\"node\":\"a\",\"latenessMillis\":0,\"origin\":" + origin
                + ",\"reruns\":" + reruns + "}";
    }

    @Test
    void status_gives_the_number_of_slots_in_doubt_and_the_command_that_lists_them() {
        a.alsoTells(",\"slotsInDoubt\":37");
        TypedCommand status = TypedCommand.twinbell("status", "--url", a.url(), "--url", b.url());
        assertExit(0, status);
        assertTrue(
                status.out()
                        .endsWith("37 slots are in doubt after a database failover in the last 24 hours;"
                                + " 'twinbell executions --in-doubt' lists them\n"),
                status.out());
    }

    @Test
    void history_names_the_slots_that_a_promotion_found_in_doubt() {
        b.tell(
                "[{\"at\":\"2026-11-21T06:37:20.867Z\",\"node\":\"b\",\"epoch\":7,\"from\":\"STANDBY\",\"to\":\"MASTER\","
                        + "\"tookMillis\":85,\"reason\":\"latch won\",\"steps\":[],\"inDoubt\":{\"slots\":12,\"executions\":"
                        + "[\"1-1\",\"1-2\",\"1-3\",\"1-4\",\"1-5\",\"1-6\",\"1-7\",\"1-8\",\"1-9\",\"1-10\",\"1-11\"]}}]");
        TypedCommand history = TypedCommand.twinbell("history", "--url", b.url());
        assertTrue(
                history.out().endsWith("latch won; slots in doubt: 12: 1-1 1-2 1-3 1-4 1-5 1-6 1-7 1-8 1-9 1-10 …\n"),
                history.out());
    }

    @Test
    void status_of_nobody_is_3() {
        assertExit(3, TypedCommand.twinbell("status", "--url", NOBODY));
    }

    @Test
    void status_as_json_is_one_document() throws Exception {
        TypedCommand status = TypedCommand.twinbell("status", "-o", "json", "--url", a.url(), "--url", b.url());

        JsonNode told = new ObjectMapper().readTree(status.out());
        assertEquals("HEALTHY", told.path("health").asText());
        assertEquals("a", told.path("master").asText());
        assertEquals("STANDBY", told.path("nodes").path(1).path("role").asText());
    }

    @Test
    void switchover_asks_the_master_and_tells_what_happened() {
        a.onSwitchover(() -> {
            a.become("STANDBY", 4);
            b.become("MASTER", 4);
        });

        // The standby is named first: the command finds the master itself.
        TypedCommand switchover = TypedCommand.twinbell("switchover", "--url", b.url(), "--url", a.url());

        assertExit(0, switchover);
        assertTrue(switchover.out().matches("a -> b, epoch 3 -> 4, \\d+ ms\n"), switchover.out());
        String body = "{\"by\":\"" + System.getProperty("user.name") + "\"}";
        assertTrue(a.requests().contains("POST /api/v1/cluster/switchover " + body), a.requests()::toString);
    }

    @Test
    void a_switchover_that_the_node_refuses_says_why() {
        a.refuse("{\"title\":\"No standby\",\"detail\":\"nobody could take over\"}");

        TypedCommand switchover = TypedCommand.twinbell("switchover", "--url", a.url(), "--url", b.url());

        assertExit(1, switchover);
        assertEquals(a.url() + " answered 409: No standby: nobody could take over\n", switchover.err());
    }

    @Test
    void a_switchover_that_nobody_completes_fails_in_time() {
        TypedCommand switchover =
                TypedCommand.twinbell("switchover", "--timeout", "PT0.2S", "--url", a.url(), "--url", b.url());

        assertExit(1, switchover);
        assertTrue(switchover.err().startsWith("No other node became master within "), switchover.err());
    }

    @Test
    void a_switchover_without_a_master_asks_nobody() {
        a.become("STANDBY", 3);

        TypedCommand switchover = TypedCommand.twinbell("switchover", "--url", a.url(), "--url", b.url());

        assertExit(2, switchover);
        assertTrue(a.requests().stream().noneMatch(request -> request.startsWith("POST")));
    }

    @Test
    void history_comes_from_the_first_node_that_answers() {
        b.tell("""
                [{"at":"2026-03-29T01:00:00.000Z","node":"a","from":"PROMOTING","to":"MASTER","epoch":3,
                  "tookMillis":31,"reason":"latch won","steps":[{"step":"fence","micros":4200}]}]""");

        TypedCommand history = TypedCommand.twinbell("history", "--url", NOBODY, "--url", b.url());

        assertExit(0, history);
        assertEquals(
                "2026-03-29T01:00:00.000Z a PROMOTING -> MASTER epoch=3 31 ms: latch won (fence 4.2 ms)\n",
                history.out());
    }

    private static final String WITHOUT_DATABASE = "{\"history\":null,\"hold\":null,\"pause\":null,"
            + "\"failoverReady\":{\"ready\":false,\"reasons\":[\"node a does not reach the database\"]}}";

    @Test
    void history_comes_from_the_node_that_reaches_the_database() {
        a.answer("/api/v1/cluster", WITHOUT_DATABASE);
        b.tell("[]");

        TypedCommand history = TypedCommand.twinbell("history", "--url", a.url(), "--url", b.url());

        assertExit(0, history);
        assertEquals("No role changes recorded\n", history.err());
    }

    @Test
    void history_resume_and_release_fail_while_no_node_reaches_the_database() {
        a.answer("/api/v1/cluster", WITHOUT_DATABASE);
        for (String command : List.of("history", "resume", "release")) {
            TypedCommand typed = TypedCommand.twinbell(command, "--url", a.url());

            assertEquals(1, typed.exitCode(), command);
            assertTrue(typed.err().contains("node a does not reach the database"), typed.err());
            assertEquals("", typed.out(), command);
        }
    }

    @Test
    void history_of_nobody_says_who_does_not_answer() {
        TypedCommand history = TypedCommand.twinbell("history", "--url", NOBODY);

        assertExit(3, history);
        assertTrue(history.err().startsWith("No answer from " + NOBODY), history.err());
    }

    @Test
    void the_demo_is_put_by_name_so_that_repeating_it_changes_nothing() {
        TypedCommand seed = TypedCommand.twinbell("seed-demo", "--url", a.url());

        assertExit(0, seed);
        assertTrue(a.requests().stream().allMatch(request -> request.startsWith("PUT /api/v1/apps/demo/tasks/")));
        assertEquals(3, a.requests().size());
    }

    @Test
    void a_bad_address_is_a_usage_error() {
        TypedCommand status = TypedCommand.twinbell("status", "--url", "localhost:8081");

        assertExit(2, status);
        assertTrue(status.err().contains("localhost:8081"), status.err());
    }

    private int statusOfBoth() {
        return TypedCommand.twinbell("status", "--url", a.url(), "--url", b.url())
                .exitCode();
    }
}
