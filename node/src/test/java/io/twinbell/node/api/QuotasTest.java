package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.access.AccessPolicy;
import io.twinbell.node.access.AccessRole;
import io.twinbell.node.access.Principal;
import io.twinbell.node.access.PrincipalResolver;
import io.twinbell.node.alert.store.AlertStore;
import io.twinbell.node.api.ApiFixture.Reply;
import io.twinbell.node.api.access.RequestQuotas.HttpLimits;
import java.io.InputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What one client may use of the API, and that others are answered meanwhile. */
class QuotasTest {
    private static final String TASKS = "/api/v1/tasks";

    private ApiFixture api;

    @AfterEach
    void stop() {
        api.close();
    }

    private void start(HttpLimits limits) {
        PrincipalResolver everybody = new PrincipalResolver() {
            @Override
            public Optional<Principal> resolve(String name) {
                return Optional.of(new Principal(name, AccessRole.EDITOR, Set.of(), Set.of()));
            }

            @Override
            public Optional<Principal> recall(String name) {
                return resolve(name);
            }
        };
        api = new ApiFixture(new AccessPolicy(Optional.empty(), List.of(everybody), ""), limits);
    }

    private Reply tasks(String token) {
        return api.authorized("Bearer " + token, "GET", TASKS, null);
    }

    @Test
    void a_token_that_exceeds_its_rate_gets_429_and_other_tokens_answers() {
        start(new HttpLimits(2000, 1000, 500, 1000, 3));
        List<Integer> statuses =
                IntStream.range(0, 7).mapToObj(i -> tasks("ann").status()).toList();
        assertEquals(List.of(200, 200, 200, 200, 200, 200, 429), statuses);
        assertStatus(200, tasks("bob"));
        Reply refused = tasks("ann");
        assertEquals("1", refused.raw().headers().firstValue("Retry-After").orElseThrow());
        assertEquals(
                "ann may send 3 requests a second to this node",
                refused.body().path("detail").asText());
        api.ticker.pass(Duration.ofSeconds(1));
        assertStatus(200, tasks("ann"));
        assertEquals(2, api.quotas.refused());
    }

    @Test
    void an_address_that_exceeds_its_rate_still_gets_health_checks() {
        start(new HttpLimits(2000, 1000, 500, 3, 1000));
        List<Integer> statuses = IntStream.range(0, 7)
                .mapToObj(i -> tasks("token " + i).status())
                .toList();
        assertEquals(List.of(200, 200, 200, 200, 200, 200, 429), statuses);
        assertEquals("urn:twinbell:problem:too-many-requests", tasks("ann").text("/type"));
        assertEquals("1", tasks("ann").raw().headers().firstValue("Retry-After").orElseThrow());
        assertStatus(200, api.get("/health/live"));
    }

    @Test
    void a_client_with_many_requests_under_way_waits_behind_others() throws Exception {
        start(new HttpLimits(2000, 1000, 40, 100_000, 100_000));
        List<CompletableFuture<HttpResponse<String>>> flood = new ArrayList<>();
        HttpClient client = HttpClient.newHttpClient();
        try (Connection blocker = api.database.getConnection()) {
            blocker.setAutoCommit(false);
            blocker.createStatement().execute("lock table twinbell.task in access exclusive mode");
            for (int i = 0; i < 60; i++) {
                flood.add(client.sendAsync(request("flood"), BodyHandlers.ofString()));
            }
            await().until(() -> flood.stream().filter(CompletableFuture::isDone).count() >= 20);
            assertEquals(
                    20,
                    flood.stream()
                            .filter(CompletableFuture::isDone)
                            .filter(answer -> answer.join().statusCode() == 429)
                            .count());
            CompletableFuture<HttpResponse<String>> other = client.sendAsync(request("ann"), BodyHandlers.ofString());
            blocker.rollback();
            assertEquals(200, other.join().statusCode());
        }
        flood.forEach(CompletableFuture::join);
        assertEquals(20, api.quotas.refused());
    }

    @Test
    void tokens_that_nobody_has_checked_are_one_client_on_routes_for_everybody() throws Exception {
        start(new HttpLimits(2000, 1000, 40, 100_000, 100_000));
        String execution = "1-1767571200000";
        List<CompletableFuture<HttpResponse<String>>> flood = new ArrayList<>();
        HttpClient client = HttpClient.newHttpClient();
        try (Connection blocker = api.database.getConnection()) {
            blocker.setAutoCommit(false);
            blocker.createStatement().execute("lock table twinbell.parked in access exclusive mode");
            for (int i = 0; i < 60; i++) {
                flood.add(client.sendAsync(
                        HttpRequest.newBuilder(URI.create(api.url() + "/api/v1/executions/" + execution + "/heartbeat"))
                                .header("Authorization", "Bearer random " + i)
                                .header("Content-Type", "application/json")
                                .header("Twinbell-Callback-Token", "tbc_" + i)
                                .POST(HttpRequest.BodyPublishers.ofString("{}"))
                                .build(),
                        BodyHandlers.ofString()));
            }
            await().until(() -> flood.stream().filter(CompletableFuture::isDone).count() >= 20);
            blocker.rollback();
        }
        assertEquals(
                20,
                flood.stream()
                        .filter(answer -> answer.join().statusCode() == 429)
                        .count());
    }

    @Test
    void a_known_token_is_not_counted_with_unknown_ones_that_wait_to_be_checked() throws Exception {
        CountDownLatch checked = new CountDownLatch(1);
        Principal ann = new Principal("ann", AccessRole.EDITOR, Set.of(), Set.of());
        PrincipalResolver resolver = new PrincipalResolver() {
            @Override
            public Optional<Principal> resolve(String credentials) {
                try {
                    checked.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                return Optional.of(ann);
            }

            @Override
            public Optional<Principal> recall(String credentials) {
                return credentials.equals("ann") ? Optional.of(ann) : Optional.empty();
            }
        };
        api = new ApiFixture(
                new AccessPolicy(Optional.empty(), List.of(resolver), ""),
                new HttpLimits(2000, 1000, 20, 100_000, 100_000));
        HttpClient client = HttpClient.newHttpClient();
        List<CompletableFuture<HttpResponse<String>>> flood = new ArrayList<>();
        try {
            for (int i = 0; i < 40; i++) {
                flood.add(client.sendAsync(request("unknown " + i), BodyHandlers.ofString()));
            }
            await().until(() -> flood.stream().filter(CompletableFuture::isDone).count() >= 12);
            CompletableFuture<HttpResponse<String>> known = client.sendAsync(request("ann"), BodyHandlers.ofString());
            checked.countDown();
            assertEquals(200, known.join().statusCode());
        } finally {
            checked.countDown();
        }
        flood.forEach(CompletableFuture::join);
        assertEquals(12, api.quotas.refused(), "8 are checked early, and 20 are pending");
    }

    @Test
    void the_other_node_is_answered_during_a_flood_from_its_own_address() throws Exception {
        Principal anonymous = new Principal("a client without a token", AccessRole.VIEWER, Set.of(), Set.of());
        api = new ApiFixture(
                new AccessPolicy(Optional.of(anonymous), List.of(), ""),
                new HttpLimits(2000, 1000, 40, 100_000, 100_000));
        List<CompletableFuture<HttpResponse<String>>> flood = new ArrayList<>();
        HttpClient client = HttpClient.newHttpClient();
        HttpRequest request =
                HttpRequest.newBuilder(URI.create(api.url() + TASKS)).build();
        try (Connection blocker = api.database.getConnection()) {
            blocker.setAutoCommit(false);
            blocker.createStatement().execute("lock table twinbell.task in access exclusive mode");
            for (int i = 0; i < 60; i++) {
                flood.add(client.sendAsync(request, BodyHandlers.ofString()));
            }
            await().until(() -> flood.stream().filter(CompletableFuture::isDone).count() >= 20);
            assertStatus(200, api.get("/api/v1/cluster/self"));
            blocker.rollback();
        }
        flood.forEach(CompletableFuture::join);
    }

    @Test
    void an_app_at_its_quota_gets_429_with_the_quota_the_limit_and_the_present_value() {
        api = new ApiFixture();
        api.execute("insert into twinbell.app_quota (tasks) values (2)");
        assertStatus(201, api.post(TASKS, ApiFixture.HTTP_TASK.formatted("one")));
        Reply batch = api.post(
                TASKS + "/batch",
                "[" + ApiFixture.HTTP_TASK.formatted("two") + "," + ApiFixture.HTTP_TASK.formatted("three") + "]");
        assertStatus(429, batch);
        assertEquals("urn:twinbell:problem:quota-exceeded", batch.text("/type"));
        String detail = batch.text("/detail");
        assertTrue(detail.matches("quotas.tasks allows app \"\\w+\" 2 tasks; it has 1, and this adds 2"), detail);
        assertStatus(201, api.post(TASKS, ApiFixture.HTTP_TASK.formatted("two")));
        assertStatus(429, api.post(TASKS, ApiFixture.HTTP_TASK.formatted("three")));
        assertEquals(2, api.number("select count(*) from twinbell.task"));
    }

    @Test
    void the_alerts_of_one_app_leave_room_for_others() {
        api = new ApiFixture();
        String alert =
                "{\"tasks\":{\"app\":\"%s\"},\"on\":[\"FAILED\"],\"webhook\":{\"url\":\"http://127.0.0.1:9/x\"}}";
        for (int i = 0; i < AlertStore.MAX_OF_APP; i++) {
            assertStatus(201, api.json("PUT", "/api/v1/alerts/a" + i, alert.formatted("shop")));
        }
        Reply refused = api.json("PUT", "/api/v1/alerts/more", alert.formatted("shop"));
        assertStatus(409, refused);
        assertEquals("app \"shop\" already has 20 alerts; remove one first", refused.text("/detail"));
        api.execute("update twinbell.alert set app = 'shop'");
        api.execute("insert into twinbell.alert (name, content, events, app) select 'earlier', content, events, app"
                + " from twinbell.alert where name = 'a1'");
        assertStatus(
                200,
                api.json("PUT", "/api/v1/alerts/a0", alert.formatted("shop").replace("FAILED", "MISSED")));
        assertStatus(201, api.json("PUT", "/api/v1/alerts/other", alert.formatted("bank")));
    }

    @Test
    void streams_without_a_token_leave_half_of_all_streams_to_clients_with_one() throws Exception {
        Principal anonymous = new Principal("a client without a token", AccessRole.VIEWER, Set.of(), Set.of());
        Principal ann = new Principal("ann", AccessRole.VIEWER, Set.of(), Set.of());
        api = new ApiFixture(
                new AccessPolicy(Optional.of(anonymous), List.of(name -> Optional.of(ann)), ""), HttpLimits.DEFAULT);
        HttpClient client = HttpClient.newHttpClient();
        URI stream = URI.create(api.url() + "/api/v1/executions/stream");
        HttpRequest withoutToken = HttpRequest.newBuilder(stream).build();
        HttpRequest withToken = HttpRequest.newBuilder(stream)
                .header("Authorization", "Bearer ann")
                .build();
        List<InputStream> open = new ArrayList<>();
        for (HttpRequest each : List.of(withoutToken, withToken)) {
            for (int i = 0; i < 16; i++) {
                HttpResponse<InputStream> answer = client.send(each, BodyHandlers.ofInputStream());
                assertEquals(200, answer.statusCode());
                open.add(answer.body());
            }
            assertEquals(503, client.send(each, BodyHandlers.ofString()).statusCode());
        }
        for (InputStream each : open) {
            each.close();
        }
    }

    @Test
    void forecasts_are_made_in_turn_and_a_client_waits_for_one() throws Exception {
        start(new HttpLimits(2000, 1000, 500, 1000, 1000));
        HttpClient client = HttpClient.newHttpClient();
        List<CompletableFuture<HttpResponse<String>>> asked = new ArrayList<>();
        try (Connection blocker = api.database.getConnection()) {
            blocker.setAutoCommit(false);
            blocker.createStatement().execute("lock table twinbell.task in access exclusive mode");
            for (String token : List.of("ann", "ann", "bob", "bob")) {
                asked.add(client.sendAsync(forecast(token), BodyHandlers.ofString()));
            }
            await().until(() -> asked.stream().filter(CompletableFuture::isDone).count() == 2);
            blocker.rollback();
        }
        for (List<CompletableFuture<HttpResponse<String>>> ofClient :
                List.of(asked.subList(0, 2), asked.subList(2, 4))) {
            assertEquals(
                    List.of(200, 503),
                    ofClient.stream()
                            .map(each -> each.join().statusCode())
                            .sorted()
                            .toList());
        }
    }

    private HttpRequest forecast(String token) {
        return HttpRequest.newBuilder(URI.create(api.url() + "/api/v1/forecast"))
                .header("Authorization", "Bearer " + token)
                .build();
    }

    private HttpRequest request(String token) {
        return HttpRequest.newBuilder(URI.create(api.url() + TASKS))
                .header("Authorization", "Bearer " + token)
                .build();
    }
}
