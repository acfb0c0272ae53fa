package io.twinbell.node.api;

import static io.twinbell.node.api.ApiFixture.assertStatus;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

class SlowPeersTest {
    private static final String TO_PAUSE = "POST /api/v1/tasks/pause?app=nobody HTTP/1.1\r\nHost: localhost\r\n"
            + "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"reason\"";

    private final List<RawRequest> open = new ArrayList<>();

    @AutoClose
    private final ApiFixture api = new ApiFixture();

    @AfterEach
    void stop() throws IOException {
        for (RawRequest request : open) {
            request.close();
        }
    }

    private RawRequest opened(String begun) throws IOException {
        RawRequest request = new RawRequest(api);
        open.add(request);
        request.write(begun);
        return request;
    }

    /** On a new connection, so that the server has taken in all that were opened before. */
    private void isAnswered() throws IOException {
        try (RawRequest health = new RawRequest(api)) {
            health.write("GET /health/live HTTP/1.1\r\nHost: localhost\r\n\r\n");
            assertEquals(200, health.status());
        }
    }

    @Test
    void more_slow_bodies_than_there_are_places_keep_nobody_waiting_and_end_after_five_seconds_without_progress()
            throws IOException {
        for (int i = 0; i < 60; i++) {
            opened(TO_PAUSE);
        }
        assertStatus(201, api.post("/api/v1/tasks", ApiFixture.HTTP_TASK.formatted("meanwhile")));
        assertStatus(200, api.get("/api/v1/tasks"));
        for (RawRequest slow : open) {
            slow.write(":");
        }
        api.serverTicker.pass(Duration.ofSeconds(6));
        for (RawRequest slow : open) {
            assertEquals(408, slow.status());
        }
    }

    @Test
    void headers_that_are_not_complete_after_ten_seconds_end_the_connection() throws IOException {
        RawRequest slow = opened("GET /api/v1/tasks HTTP/1.1\r\nHost: localho");
        RawRequest silent = opened("");
        isAnswered();
        api.serverTicker.pass(Duration.ofSeconds(11));
        assertEquals("", slow.answer());
        assertEquals("", silent.answer());
    }

    @Test
    void answers_that_nobody_takes_hold_no_place() throws IOException {
        String many = "GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(100);
        for (int i = 0; i < 60; i++) {
            opened(many);
        }
        assertStatus(200, api.get("/api/v1/tasks"));
        assertStatus(200, api.get("/health/ready"));
    }

    @Test
    void an_answer_that_is_not_taken_is_given_up() throws IOException {
        RawRequest slow = opened("GET /openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(200));
        await().until(() -> {
            api.serverTicker.pass(Duration.ofSeconds(61));
            try {
                slow.write(" ");
                return false;
            } catch (IOException closed) {
                return true;
            }
        });
    }

    @Test
    void health_is_answered_although_one_address_opens_more_connections_than_it_may_have() throws IOException {
        RawRequest first = opened("");
        isAnswered();
        api.serverTicker.pass(Duration.ofMillis(1));
        for (int i = 0; i < 1060; i++) {
            opened("");
        }
        assertEquals("", first.answer(), "the one that has waited longest makes room");
        isAnswered();
    }
}
