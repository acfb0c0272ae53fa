package io.twinbell.node.api.stream;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Principal;
import io.twinbell.node.api.ApiFixture;
import io.twinbell.node.api.ApiFixture.Reply;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

@Timeout(60)
class ChangeStreamTest {
    private static final HttpClient CLIENT = HttpClient.newHttpClient();
    private static final long NOON = 1_772_366_400_000L;

    @RegisterExtension
    static final ApiFixture api = new ApiFixture();

    private final List<Listener> listeners = new ArrayList<>();

    @AfterEach
    void hangUp() {
        listeners.forEach(Listener::close);
        for (int i = 0; i < 3; i++) {
            api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state) values (99, "
                    + "clock_timestamp(), 'a', 'bye', 'PENDING')");
        }
        await().until(() -> {
            api.ticker.pass(Duration.ofSeconds(11));
            api.changes.step(api.loop);
            return api.changes.listeners() == 0;
        });
    }

    /** Reads a stream line by line, on a thread of the HTTP client's. */
    private final class Listener implements AutoCloseable {
        private final HttpResponse<InputStream> response;
        private final List<String> lines = new CopyOnWriteArrayList<>();

        Listener(String query, String... headers) {
            HttpRequest.Builder request =
                    HttpRequest.newBuilder(URI.create(api.url() + "/api/v1/executions/stream" + query));
            if (headers.length > 0) {
                request.headers(headers);
            }
            response = CLIENT.sendAsync(request.build(), BodyHandlers.ofInputStream())
                    .join();
            CompletableFuture.runAsync(this::read);
            listeners.add(this);
        }

        private void read() {
            try (BufferedReader reader =
                    new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))) {
                reader.lines().forEach(lines::add);
            } catch (IOException | UncheckedIOException e) {
                lines.add("broken");
            }
        }

        /** The ids of the executions told so far, with their state. */
        List<String> told() {
            return lines.stream()
                    .filter(line -> line.startsWith("data: {\"id\""))
                    .map(line -> line.replaceAll(".*\"id\":\"([^\"]*)\".*\"state\":\"([^\"]*)\".*", "$1 $2"))
                    .toList();
        }

        long count() {
            return lines.stream()
                    .filter(line -> line.startsWith("data: {\"id\""))
                    .count();
        }

        String lastId() {
            return lines.stream()
                    .filter(line -> line.startsWith("id: "))
                    .reduce((first, second) -> second)
                    .orElseThrow()
                    .substring(4);
        }

        boolean has(String line) {
            return lines.stream().anyMatch(one -> one.contains(line));
        }

        /** Its place in the order of changes is taken with a step. */
        Listener placed() {
            stepUntil(() -> has("retry:"));
            return this;
        }

        @Override
        public void close() {
            try {
                response.body().close();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }

    private static void stepUntil(java.util.concurrent.Callable<Boolean> condition) {
        await().until(() -> {
            api.changes.step(api.loop);
            return condition.call();
        });
    }

    private static void insert(long task, long offset, String state) {
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, output) values (" + task
                + ", twinbell.instant(" + (NOON + offset) + "), 'app-" + task + "', 'n', '" + state + "', 'long')");
    }

    @Test
    void every_change_is_told_in_order_and_without_what_may_be_long() {
        insert(1, 0, "CLAIMED");
        Listener listener = new Listener("").placed();
        insert(1, 1, "CLAIMED");
        api.changes.step(api.loop);
        api.execute(
                "update twinbell.execution set state = 'SUCCEEDED' where fire_time = twinbell.instant(" + NOON + ")");
        stepUntil(() -> listener.told().size() == 2);
        assertEquals(List.of("1-" + (NOON + 1) + " CLAIMED", "1-" + NOON + " SUCCEEDED"), listener.told());
        assertFalse(listener.has("long"));
        assertEquals(
                "no",
                listener.response.headers().firstValue("X-Accel-Buffering").orElseThrow());
        assertTrue(listener.response
                .headers()
                .firstValue("Content-Type")
                .orElseThrow()
                .startsWith("text/event-stream"));
    }

    @Test
    void filters_are_those_of_the_list() {
        Listener byTask = new Listener("?task=2").placed();
        Listener byApp = new Listener("?app=app-3").placed();
        Listener byState = new Listener("?state=FAILED,MISSED").placed();
        insert(2, 0, "SUCCEEDED");
        insert(3, 0, "FAILED");
        insert(4, 0, "MISSED");
        stepUntil(() -> byState.told().size() == 2 && !byTask.told().isEmpty());
        assertEquals(List.of("2-" + NOON + " SUCCEEDED"), byTask.told());
        assertEquals(List.of("3-" + NOON + " FAILED"), byApp.told());
        assertEquals(List.of("3-" + NOON + " FAILED", "4-" + NOON + " MISSED"), byState.told());
    }

    @Test
    void a_client_that_resumes_after_its_last_id_gets_each_event_once() {
        Listener first = new Listener("").placed();
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state)"
                + " select 5, twinbell.instant(" + NOON + " + i), 'a', 'n', 'CLAIMED' from generate_series(1, 3) i");
        stepUntil(() -> first.told().size() == 3);
        List<String> ids =
                first.lines.stream().filter(line -> line.startsWith("id: ")).toList();
        String second = ids.get(ids.size() - 2).substring(4);
        first.close();
        insert(6, 0, "FAILED");
        Listener again = new Listener("", "Last-Event-ID", second);
        Listener byParameter = new Listener("?after=" + second);
        stepUntil(() -> again.told().size() >= 2 && byParameter.told().size() >= 2);
        assertEquals(List.of("5-" + (NOON + 3) + " CLAIMED", "6-" + NOON + " FAILED"), again.told());
        assertEquals(again.told(), byParameter.told());
    }

    @Test
    void a_backlog_longer_than_a_page_is_told_whole() {
        Listener listener = new Listener("").placed();
        api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state)"
                + " select 5, twinbell.instant(" + NOON + " + i), 'a', 'n', 'CLAIMED' from generate_series(1, 1234) i");
        stepUntil(() -> listener.count() >= 1234);
        assertEquals(1234, listener.told().stream().distinct().count());
    }

    @Test
    void a_later_commit_of_an_earlier_transaction_is_not_skipped() throws SQLException {
        insert(7, 0, "CLAIMED");
        insert(7, 1, "CLAIMED");
        Listener listener = new Listener("").placed();
        try (Connection slow = api.database.getConnection()) {
            slow.setAutoCommit(false);
            slow.createStatement()
                    .execute("update twinbell.execution set state = 'FAILED' where fire_time = twinbell.instant(" + NOON
                            + ")");
            api.execute("update twinbell.execution set state = 'SUCCEEDED' where fire_time = twinbell.instant("
                    + (NOON + 1) + ")");
            for (int i = 0; i < 5; i++) {
                api.changes.step(api.loop);
            }
            assertEquals(List.of(), listener.told());
            slow.commit();
        }
        stepUntil(() -> listener.told().size() == 2);
        assertEquals(List.of("7-" + NOON + " FAILED", "7-" + (NOON + 1) + " SUCCEEDED"), listener.told());
    }

    @Test
    void while_nothing_changes_the_connection_is_kept_alive_and_the_id_goes_on() {
        Listener listener = new Listener("?task=1").placed();
        String before = listener.lastId();
        insert(2, 0, "CLAIMED");
        api.changes.step(api.loop);
        api.ticker.pass(Duration.ofSeconds(11));
        stepUntil(() -> listener.has(": keep-alive"));
        assertFalse(listener.lastId().equals(before));
        assertEquals(List.of(), listener.told());
    }

    @Test
    void an_id_of_another_database_is_answered_with_a_reset() {
        Listener listener = new Listener("", "Last-Event-ID", "999999999999.1.5");
        stepUntil(() -> listener.has("event: reset"));
        insert(8, 0, "CLAIMED");
        stepUntil(() -> !listener.told().isEmpty());
    }

    @Test
    void a_bad_id_and_a_bad_filter_are_refused_by_name() {
        Reply id = api.get("/api/v1/executions/stream?after=x");
        assertStatus(400, id);
        assertEquals("after", id.firstError("parameter"));
        assertEquals("state", api.get("/api/v1/executions/stream?state=x").firstError("parameter"));
    }

    @Test
    void more_listeners_than_there_is_room_for_are_refused() {
        for (int i = 0; i < ChangeStream.MOST_CLIENTS; i++) {
            new Listener("");
        }
        assertStatus(503, api.get("/api/v1/executions/stream"));
        assertEquals(200, api.get("/api/v1/executions").status(), "others are served");
    }

    @Test
    void a_client_that_does_not_read_is_disconnected_and_delays_no_other() throws IOException {
        Listener quick = new Listener("").placed();
        try (Socket slow = new Socket()) {
            slow.setReceiveBufferSize(4096);
            slow.connect(new java.net.InetSocketAddress(
                    "127.0.0.1", URI.create(api.url()).getPort()));
            slow.getOutputStream()
                    .write("GET /api/v1/executions/stream HTTP/1.1\r\nHost: localhost\r\n\r\n"
                            .getBytes(StandardCharsets.UTF_8));
            await().until(() -> api.changes.listeners() == 2);
            api.changes.step(api.loop);
            api.execute("insert into twinbell.execution (task_id, fire_time, app, name, state, reason) select 9,"
                    + " twinbell.instant(" + NOON + " + i), 'a', 'n', 'MISSED', repeat('x', 12000)"
                    + " from generate_series(1, 1200) i");
            stepUntil(() -> quick.count() == 1200);
            await().until(() -> {
                api.ticker.pass(Duration.ofSeconds(6));
                api.changes.step(api.loop);
                return api.changes.listeners() == 1;
            });
        }
        insert(1, 0, "CLAIMED");
        stepUntil(() -> quick.count() == 1201);
    }

    @Test
    void a_stream_ends_when_its_token_is_revoked_or_gives_other_rights() throws Exception {
        Principal shop = new Principal("token shop", AccessRole.VIEWER, Set.of("shop"), Set.of());
        Map<String, Principal> tokens = new ConcurrentHashMap<>(Map.of("kept", shop, "revoked", shop, "bound", shop));
        AccessPolicy policy = new AccessPolicy(
                Optional.empty(), List.of(credentials -> Optional.ofNullable(tokens.get(credentials))), "");
        try (ApiFixture guarded = new ApiFixture(policy)) {
            List<CompletableFuture<String>> ends = new ArrayList<>();
            for (String token : List.of("kept", "revoked", "bound")) {
                InputStream body = CLIENT.send(
                                HttpRequest.newBuilder(URI.create(guarded.url() + "/api/v1/executions/stream"))
                                        .header("Authorization", "Bearer " + token)
                                        .build(),
                                BodyHandlers.ofInputStream())
                        .body();
                ends.add(CompletableFuture.supplyAsync(() -> all(body)));
            }
            tokens.remove("revoked");
            tokens.put("bound", new Principal("token shop", AccessRole.VIEWER, Set.of("bank"), Set.of()));
            await().until(() -> {
                guarded.ticker.pass(Duration.ofSeconds(1));
                guarded.changes.step(guarded.loop);
                return guarded.changes.listeners() == 1;
            });
            assertTrue(ends.get(1).get().contains("the credentials are no longer valid"));
            assertTrue(ends.get(2).get().contains("or give other rights"));
            assertFalse(ends.get(0).isDone());
        }
    }

    private static String all(InputStream body) {
        try {
            return new String(body.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void a_node_that_stops_says_so() {
        ApiFixture stopping = new ApiFixture();
        HttpResponse<InputStream> response = CLIENT.sendAsync(
                        HttpRequest.newBuilder(URI.create(stopping.url() + "/api/v1/executions/stream"))
                                .build(),
                        BodyHandlers.ofInputStream())
                .join();
        stopping.close();
        String all = new BufferedReader(new InputStreamReader(response.body(), StandardCharsets.UTF_8))
                .lines()
                .toList()
                .toString();
        assertTrue(all.contains("event: end, data: {\"reason\":\"the node is stopping\"}"), all);
    }
}
