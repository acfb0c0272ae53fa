package io.twinbell.tools.verify.command;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.twinbell.tools.cli.TypedCommand;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a person sees of a verification; what it finds is shown on a real ledger, in the node's own tests. */
class VerifyCommandTest {
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private HttpServer node;
    /** The execution's end; without it the row contradicts itself. */
    private String end = "\"2026-03-01T11:59:01.000Z\"";

    /** Slots that a successor found in doubt. */
    private String inDoubt = "{\"items\":[],\"next\":null}";

    @BeforeEach
    void start() throws IOException {
        node = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        node.createContext("/", this::answer);
        node.start();
    }

    @AfterEach
    void stop() {
        node.stop(0);
    }

    private void answer(HttpExchange exchange) throws IOException {
        asked.add(exchange.getRequestURI().toString());
        byte[] answer = view(exchange.getRequestURI().getPath()).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, answer.length);
        exchange.getResponseBody().write(answer);
        exchange.close();
    }

    private String view(String path) {
        return switch (path) {
            case "/api/v1/cluster/epochs" ->
                "{\"now\":\"2026-03-01T12:00:00.000Z\",\"items\":[{\"epoch\":3,\"node\":\"a\","
                        + "\"openedAt\":\"2026-02-01T00:00:00.000Z\"}]}";
            case "/api/v1/tasks" ->
                "{\"items\":[{\"id\":7,\"app\":\"a\",\"name\":\"n\",\"state\":\"ACTIVE\",\"orphan\":\"DROP\","
                        + "\"createdAt\":\"2026-02-01T00:00:00.000Z\",\"nextFireTime\":\"2026-03-01T12:59:00.000Z\"}],"
                        + "\"next\":null}";
            case "/api/v1/tasks/7/slots" ->
                "{\"from\":\"2026-03-01T11:00:00.000Z\",\"because\":null,\"owedUntil\":\"2026-03-01T12:00:00.000Z\","
                        + "\"followsTheRun\":false,\"items\":[\"2026-03-01T11:59:00.000Z\"],\"next\":null}";
            case "/api/v1/tasks/7/executions" ->
                asked.get(asked.size() - 1).contains("oldest")
                        ? "{\"items\":[{\"id\":\"7-1\",\"taskId\":7,\"fireTime\":\"2026-03-01T11:59:00.000Z\","
                                + "\"state\":\"SUCCEEDED\",\"attempt\":1,\"epoch\":3,"
                                + "\"claimedAt\":\"2026-03-01T11:58:59.950Z\",\"startedAt\":\"2026-03-01T11:59:00.001Z\","
                                + "\"endedAt\":" + end + "}],\"next\":null}"
                        : "{\"items\":[],\"next\":null}";
            case "/api/v1/executions" ->
                asked.get(asked.size() - 1).contains("inDoubt=true") ? inDoubt : "{\"items\":[],\"next\":null}";
            default -> "{\"items\":[],\"next\":null}";
        };
    }

    private TypedCommand verify(String... more) {
        String[] arguments = new String[3 + more.length];
        arguments[0] = "verify";
        arguments[1] = "--url";
        arguments[2] = "http://127.0.0.1:" + node.getAddress().getPort();
        System.arraycopy(more, 0, arguments, 3, more.length);
        return TypedCommand.twinbell(arguments);
    }

    @Test
    void a_sound_history_is_0_with_its_figures() {
        TypedCommand verified = verify("--since", "1h", "--grace", "30s");
        assertExit(0, verified);
        assertEquals(
                List.of(
                        "span      2026-03-01T11:00:00Z to 2026-03-01T12:00:00Z",
                        "tasks     1 verified, 0 in part, 0 not",
                        "ledger    1 rows for 1 slots, 0 under way",
                        "verdict   SOUND"),
                verified.out().lines().toList());
        assertEquals("", verified.err(), "no bar where nobody looks");
    }

    @Test
    void a_wounded_history_is_1_with_each_wound() throws IOException {
        end = "null";
        TypedCommand verified = verify("--since", "1h", "-o", "json");
        assertExit(1, verified);
        JsonNode json = new ObjectMapper().readTree(verified.out());
        assertEquals("WOUNDED", json.path("verdict").asText());
        assertEquals("7-1772366340000", json.at("/wounds/0/execution").asText());
        assertEquals(1, json.at("/woundsByRule/CONTRADICTION").asInt());
        TypedCommand text = verify("--since", "PT1H", "--limit", "0");
        assertTrue(text.out().contains("verdict   VIOLATED, violations: 1"), text.out());
    }

    @Test
    void slots_in_doubt_are_named_and_no_wounds() throws IOException {
        inDoubt = "{\"items\":[{\"id\":\"7-1772366280000\",\"app\":\"a\",\"name\":\"n\",\"state\":\"DROPPED\","
                + "\"fireTime\":\"2026-03-01T11:58:00.000Z\",\"untilFireTime\":\"2026-03-01T11:58:30.000Z\",\"slots\":2},"
                + "{\"id\":\"7-1772366340000\",\"app\":\"a\",\"name\":\"n\",\"state\":\"SUCCEEDED\","
                + "\"fireTime\":\"2026-03-01T11:59:00.000Z\"}],\"next\":null}";
        TypedCommand verified = verify("--since", "1h", "--grace", "30s");
        assertExit(0, verified);
        assertTrue(
                verified.out()
                        .contains("in doubt  3 slots may have run on a primary that was lost together with its master\n"
                                + "          7-1772366280000 a/n 2026-03-01T11:58:00.000Z to 2026-03-01T11:58:30.000Z DROPPED\n"
                                + "          7-1772366340000 a/n 2026-03-01T11:59:00.000Z SUCCEEDED\n"),
                verified.out());
        JsonNode json = new ObjectMapper()
                .readTree(verify("--since", "1h", "--limit", "1", "-o", "json").out());
        assertEquals(3, json.at("/inDoubt/slots").asInt());
        assertEquals(1, json.at("/inDoubt/named").size());
        assertTrue(asked.stream()
                .anyMatch(uri -> uri.contains("inDoubt=true") && uri.contains("from=2026-03-01T11:00:00Z")));
    }

    @Test
    void nobody_is_3_and_a_bad_span_is_a_usage_error() {
        assertExit(3, TypedCommand.twinbell("verify", "--url", "http://127.0.0.1:1"));
        TypedCommand bad = verify("--since", "soon");
        assertExit(2, bad);
        assertTrue(bad.err().contains("must be a duration such as 90m"), bad.err());
    }
}
