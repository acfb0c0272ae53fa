package io.twinbell.tools.cli;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.twinbell.tools.cli.cluster.FailoverCommand;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

/** What operators type to decide about the role themselves. */
class HandsOnTest {
    private static final String HELD = """
            {"hold":{"since":"2026-03-29T01:00:00.000Z","until":null,"reason":"disks","by":"bob"}}""";
    private static final String HOLD_LINE =
            "automatic takeover is on hold since 2026-03-29T01:00:00.000Z by bob: disks, until it is released\n";

    @AutoClose
    private final StubNode a = StubNode.start("a", "MASTER", 3);

    @AutoClose
    private final StubNode b = StubNode.start("b", "STANDBY", 3);

    @BeforeEach
    void startNodes() throws Exception {
        a.answer("/api/v1/cluster/hold", HELD);
        b.answer("/api/v1/cluster/failover", """
                {"from":"a","to":"b","epoch":7,"tookMillis":120}""");
    }

    private TypedCommand typed(String... arguments) {
        List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of("--url", a.url(), "--url", b.url()));
        return TypedCommand.twinbell(all.toArray(String[]::new));
    }

    @Test
    void a_hold_says_who_why_and_until_when() {
        TypedCommand hold = typed("hold", "--by", "bob", "--reason", "disks", "--until", "2100-01-01T00:00:00Z");
        assertExit(0, hold);
        assertEquals(HOLD_LINE, hold.out());
        assertEquals(
                List.of("POST /api/v1/cluster/hold"
                        + " {\"by\":\"bob\",\"reason\":\"disks\",\"until\":\"2100-01-01T00:00:00Z\"}"),
                a.requests());
    }

    @Test
    void a_hold_has_one_end_at_most() {
        TypedCommand hold = typed("hold", "--for", "PT1H", "--until", "2100-01-01T00:00:00Z");
        assertExit(2, hold);
        assertEquals(List.of(), a.requests());
    }

    @Test
    void a_release_says_what_it_has_ended() {
        assertEquals("automatic takeover was not on hold\n", typed("release").out());
        a.answer("/api/v1/cluster", HELD);
        TypedCommand release = typed("release");
        assertExit(0, release);
        assertEquals(
                "the hold on automatic takeover is released; it existed since 2026-03-29T01:00:00.000Z by bob\n",
                release.out());
        assertTrue(a.requests().contains("POST /api/v1/cluster/release {}"), a.requests()::toString);
    }

    @Test
    void status_shows_a_hold_and_that_nobody_fires() throws Exception {
        a.become("STOPPED", 3);
        a.answer("/api/v1/cluster", HELD);
        b.alsoTells(",\"onHold\":true,\"heldBack\":\"master a is gone\"");
        TypedCommand status = typed("status");
        assertExit(2, status);
        assertTrue(status.out().endsWith(HOLD_LINE), status.out());
        assertTrue(status.err().startsWith("NOTHING FIRES: master a is gone\n"), status.err());
        JsonNode json =
                new ObjectMapper().readTree(typed("status", "-o", "json").out());
        assertEquals("bob", json.at("/hold/by").asText());
        assertEquals("master a is gone", json.path("nobodyFires").asText());
    }

    @Test
    void status_shows_that_nothing_fires_because_somebody_paused_it() {
        a.answer(
                "/api/v1/cluster",
                "{\"hold\":null,\"pause\":{\"since\":\"2026-03-29T01:00:00.000Z\",\"until\":null,"
                        + "\"reason\":\"move\",\"by\":\"bob\"}}");
        a.alsoTells(",\"paused\":true");
        assertTrue(typed("status")
                .out()
                .endsWith("all firing is paused since 2026-03-29T01:00:00.000Z by bob: move, until it is resumed\n"));
    }

    @Test
    void status_shows_the_standing_pauses_and_the_pair_is_healthy() throws Exception {
        StringBuilder pauses = new StringBuilder();
        for (int i = 10; i < 22; i++) {
            pauses.append(i == 10 ? "" : ",")
                    .append("{\"key\":\"app:a")
                    .append(i)
                    .append("\",\"since\":\"2026-03-29T01:00:00.000Z\",\"until\":null,")
                    .append("\"reason\":\"stocktaking\",\"by\":\"bob\"}");
        }
        a.answer("/api/v1/cluster", "{\"hold\":null,\"pause\":null,\"standingPauses\":[" + pauses + "]}");
        a.alsoTells(",\"standingPauses\":12,\"parkedRuns\":3");
        TypedCommand status = typed("status");
        assertExit(0, status);
        assertTrue(
                status.out()
                        .endsWith("firing of app:a19 is paused since 2026-03-29T01:00:00.000Z by bob: stocktaking,"
                                + " until it is resumed\n2 more standing pauses; 'twinbell pauses' lists all\n"
                                + "3 executions wait for a callback\n"),
                status.out());
        JsonNode json =
                new ObjectMapper().readTree(typed("status", "-o", "json").out());
        assertEquals(12, json.path("standingPauses").size());
    }

    @Test
    void a_failover_asks_the_standby_once_and_tells_what_happened() {
        TypedCommand failover = typed("failover", "--force", "--yes", "--to", "b", "--by", "bob");
        assertExit(0, failover);
        assertEquals("a -> b, epoch 7, 120 ms\n", failover.out());
        List<String> posts = b.requests().stream()
                .filter(request -> request.startsWith("POST"))
                .toList();
        assertEquals(List.of("POST /api/v1/cluster/failover {\"by\":\"bob\",\"force\":true,\"to\":\"b\"}"), posts);
        assertTrue(a.requests().stream().noneMatch(request -> request.startsWith("POST")));
    }

    @Test
    void a_failover_that_the_node_refuses_says_why() {
        b.refuse("{\"title\":\"Conflict\",\"detail\":\"master a is alive\"}");
        TypedCommand failover = typed("failover", "--yes");
        assertExit(1, failover);
        assertEquals(b.url() + " answered 409: Conflict: master a is alive\n", failover.err());
    }

    @Test
    void a_failover_that_is_not_confirmed_does_nothing() {
        List<String> questions = new ArrayList<>();
        int exitCode = new CommandLine(new FailoverCommand(question -> {
                    questions.add(question);
                    return false;
                }))
                .execute("--url", a.url(), "--url", b.url());
        assertEquals(1, exitCode);
        assertEquals(
                List.of("Node a reports that it is master, epoch 3."
                        + " Executions of the old master are settled by their tasks' orphan policies."),
                questions);
        assertTrue(b.requests().stream().noneMatch(request -> request.startsWith("POST")));
    }

    @Test
    void a_failover_of_nobody_is_3() {
        assertExit(3, TypedCommand.twinbell("failover", "--yes", "--url", "http://127.0.0.1:1"));
    }

    @Test
    void a_switchover_may_name_the_node() {
        a.onSwitchover(() -> {
            a.become("STANDBY", 4);
            b.become("MASTER", 4);
        });
        assertExit(0, typed("switchover", "--to", "b", "--by", "bob"));
        assertTrue(
                a.requests().contains("POST /api/v1/cluster/switchover {\"by\":\"bob\",\"to\":\"b\"}"),
                a.requests()::toString);
    }

    @Test
    void a_node_that_is_cut_off_from_the_database_is_passed_over() throws Exception {
        try (StubNode cutOff = StubNode.start("c", "STANDBY", 3)) {
            cutOff.isUnavailable();
            TypedCommand hold = TypedCommand.twinbell("hold", "--url", cutOff.url(), "--url", a.url());
            assertEquals(HOLD_LINE, hold.out());
        }
    }
}
