package io.twinbell.client;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.twinbell.client.StoredTask.StoreResult;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class HttpTaskClientTest {
    private static final HandlerKey<String> KEY = HandlerKey.of("k", String.class);
    private static final String LOST = "";

    private final List<String> requests = new CopyOnWriteArrayList<>();
    private final List<String> answers = new CopyOnWriteArrayList<>();
    private HttpServer server;

    @BeforeEach
    void start() throws IOException {
        server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", this::answer);
        server.start();
    }

    @AfterEach
    void stop() {
        server.stop(0);
    }

    /** Answers with the next "status body", or breaks the connection. */
    private void answer(HttpExchange exchange) throws IOException {
        String body = new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8);
        requests.add(exchange.getRequestMethod() + " " + exchange.getRequestURI() + " " + body);
        String next = answers.remove(0);
        if (next.equals(LOST)) {
            exchange.close();
            return;
        }
        byte[] text = next.substring(4).getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(Integer.parseInt(next.substring(0, 3)), text.length == 0 ? -1 : text.length);
        exchange.getResponseBody().write(text);
        exchange.close();
    }

    private HttpTaskClient client(String... nodes) {
        HttpTaskClient.Builder builder = HttpTaskClient.builder("shop").timeout(Duration.ofSeconds(20));
        List.of(nodes).forEach(builder::node);
        return builder.build();
    }

    private String live() {
        return "http://127.0.0.1:" + server.getAddress().getPort();
    }

    private static String dead() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return "http://127.0.0.1:" + socket.getLocalPort();
        }
    }

    @Test
    void a_call_goes_to_the_other_node_when_one_is_dead() throws IOException {
        answers.addAll(List.of("201 {\"id\":7}", "200 {\"state\":\"ACTIVE\"}", "204 "));
        HttpTaskClient client = client(dead(), live());
        assertEquals(
                new StoredTask(7, "shop", "a b", StoreResult.CREATED),
                client.schedule(KEY, "x").named("a b"));
        assertTrue(client.cancel("a b"));
        assertTrue(requests.get(0).startsWith("PUT /api/v1/apps/shop/tasks/a%20b?ifExists=KEEP "), requests::toString);
    }

    @Test
    void a_repeated_request_asks_for_the_same_instant() {
        answers.addAll(List.of(LOST, "503 {\"title\":\"no database\"}", "200 {\"id\":7}"));
        client(live()).schedule(KEY, "x").in(Duration.ofHours(48)).named("n");
        assertEquals(3, requests.size());
        assertEquals(requests.get(0), requests.get(2));
        assertTrue(requests.get(0).contains("\"schedule\":{\"at\":\""), requests::toString);
    }

    @Test
    void the_answer_says_whether_the_task_is_new_was_kept_or_was_replaced() {
        answers.addAll(List.of(
                "201 {\"id\":7}",
                "200 {\"id\":7}",
                "200 {\"id\":7}",
                "200 {\"items\":[{\"status\":201," + "\"id\":8},{\"status\":200,\"id\":7}]}"));
        TaskScheduling one = client(live()).schedule(KEY, "x");
        assertEquals(StoreResult.CREATED, one.named("n").result());
        assertEquals(StoreResult.KEPT, one.named("n").result());
        assertEquals(
                StoreResult.REPLACED,
                one.ifExists(IfTaskExists.REPLACE).named("n").result());
        List<TaskDraft> two = List.of(one.draft().name("m"), one.draft().name("n"));
        assertEquals(
                List.of(StoreResult.CREATED, StoreResult.KEPT),
                client(live()).addAll(two, IfTaskExists.KEEP).stream()
                        .map(StoredTask::result)
                        .toList());
    }

    @Test
    void after_a_lost_answer_a_task_that_exists_may_be_that_of_this_call() {
        answers.addAll(List.of(
                LOST,
                "200 {\"id\":7}",
                LOST,
                "201 {\"id\":8}",
                LOST,
                "200 {\"items\":[{\"status\":200," + "\"id\":7}]}"));
        TaskScheduling one = client(live()).schedule(KEY, "x");
        assertEquals(StoreResult.UNKNOWN, one.named("n").result());
        assertEquals(StoreResult.CREATED, one.named("m").result());
        List<TaskDraft> list = List.of(one.draft().name("n"));
        assertEquals(
                StoreResult.UNKNOWN,
                client(live()).addAll(list, IfTaskExists.REPLACE).get(0).result());
    }

    @Test
    void a_lost_answer_is_remembered_when_a_later_try_was_surely_not_made() throws IOException {
        answers.addAll(List.of(LOST, "200 {\"id\":7}"));
        assertEquals(
                StoreResult.UNKNOWN,
                client(live(), dead()).schedule(KEY, "x").named("n").result());
        answers.addAll(List.of(LOST, "429 {\"title\":\"too many\"}", "200 {\"id\":7}"));
        assertEquals(
                StoreResult.UNKNOWN,
                client(live()).schedule(KEY, "x").named("n").result());
    }

    @Test
    void a_request_that_must_not_be_repeated_fails_when_its_answer_is_lost() {
        answers.add(LOST);
        PairUnavailableException lost = assertThrows(
                PairUnavailableException.class,
                () -> client(live())
                        .schedule(KEY, "x")
                        .ifExists(IfTaskExists.REFUSE)
                        .named("n"));
        assertTrue(lost.isMaybeDone());
        assertEquals(1, requests.size());
    }

    @Test
    void a_removal_whose_answer_was_lost_counts_as_removed() {
        String none = "404 {\"title\":\"no such task\"}";
        answers.addAll(List.of("200 {\"state\":\"ACTIVE\"}", LOST, none, none, none));
        HttpTaskClient client = client(live());
        assertTrue(client.cancel("n"));
        assertFalse(client.cancel("n"));
        assertTrue(requests.get(1).startsWith("DELETE /api/v1/apps/shop/tasks/n?unfinished=true "), requests::toString);
    }

    @Test
    void a_removal_that_the_node_refuses_came_too_late() {
        answers.addAll(List.of("200 {\"state\":\"FINISHED\"}", "409 {\"title\":\"conflict\"}"));
        assertFalse(client(live()).cancel("n"));
    }

    @Test
    void a_task_that_does_not_exist_is_not_cancelled_even_if_a_node_was_busy() {
        answers.addAll(List.of("503 {\"title\":\"busy\"}", "404 {\"title\":\"no such task\"}"));
        assertFalse(client(live()).cancel("n"));
    }

    @Test
    void a_refusal_names_every_mistake_and_is_not_repeated() {
        answers.add(
                "400 {\"title\":\"bad\",\"detail\":\"2 errors\",\"errors\":[{\"pointer\":\"/schedule\",\"detail\":\"no\"},"
                        + "{\"pointer\":\"/retry\",\"detail\":\"never\"}]}");
        TaskRefusedException refused = assertThrows(
                TaskRefusedException.class,
                () -> client(live()).schedule(KEY, "x").named("n"));
        assertEquals("status 400: 2 errors; /schedule: no; /retry: never", refused.getMessage());
        assertEquals(400, refused.status());
    }

    @Test
    void a_call_ends_at_its_timeout_when_no_node_lives() throws IOException {
        HttpTaskClient client = HttpTaskClient.builder("shop")
                .node(dead())
                .node(dead())
                .timeout(Duration.ofMillis(200))
                .build();
        PairUnavailableException failure = assertThrows(PairUnavailableException.class, () -> client.find("n"));
        assertFalse(failure.isMaybeDone());
    }

    @Test
    void an_outcome_is_awaited_until_the_execution_has_ended() {
        answers.addAll(List.of(
                "200 {\"items\":[],\"next\":null}",
                "200 {\"items\":[{\"id\":\"7/x\",\"state\":\"RUNNING\"}]}",
                LOST,
                "200 {\"items\":[{\"id\":\"7/x\",\"state\":\"FAILED\",\"attempt\":2,\"errorCode\":\"TIMEOUT\"}]}"));
        TaskOutcome outcome = client(live())
                .outcome(new StoredTask(7, "shop", "n"), Duration.ofSeconds(20))
                .toCompletableFuture()
                .join();
        assertEquals("FAILED", outcome.state());
        assertEquals("TIMEOUT", outcome.errorCode());
        assertFalse(outcome.isSuccess());
    }

    @Test
    void an_outcome_is_awaited_over_an_outage_that_is_longer_than_a_call_may_take() {
        answers.addAll(List.of(
                "503 {}", "503 {}", "503 {}", "503 {}", "200 {\"id\":\"7/x\",\"state\":\"SUCCEEDED\",\"attempt\":1}"));
        TaskOutcome outcome = HttpTaskClient.builder("shop")
                .node(live())
                .timeout(Duration.ofMillis(1))
                .build()
                .outcomeOf("7/x", Duration.ofMinutes(1))
                .toCompletableFuture()
                .join();
        assertTrue(outcome.isSuccess());
    }

    @Test
    void an_address_that_is_no_node_is_refused_at_once() {
        HttpTaskClient.Builder builder = HttpTaskClient.builder("shop");
        assertThrows(IllegalArgumentException.class, () -> builder.node("10.0.0.1:8081"));
        assertThrows(IllegalArgumentException.class, () -> builder.node("ftp://10.0.0.1"));
        assertThrows(IllegalArgumentException.class, builder::build);
    }
}
