package io.twinbell.lab.fault;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.twinbell.lab.fault.CallbackReceiver.AcceptedCall;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.junit.jupiter.api.Test;

class CallbackReceiverTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @Test
    void a_call_is_accepted_and_its_token_and_paths_are_kept() throws Exception {
        try (CallbackReceiver receiver = CallbackReceiver.start("127.0.0.1")) {
            assertEquals(202, send(receiver.url(7), 1).join().statusCode());
            assertEquals(
                    List.of(new AcceptedCall(
                            "3/x",
                            1,
                            7,
                            "/api/v1/executions/3-9/complete",
                            "/api/v1/executions/3-9/heartbeat",
                            "tbc_1",
                            "{}")),
                    receiver.calls());
        }
    }

    @Test
    void a_kept_first_attempt_gets_no_answer_and_the_second_one_does() throws Exception {
        CompletableFuture<HttpResponse<Void>> kept;
        try (CallbackReceiver receiver = CallbackReceiver.start("127.0.0.1")) {
            kept = send(receiver.keepingUrl(2), 1);
            await().until(() -> receiver.calls().size() == 1);
            assertEquals(202, send(receiver.keepingUrl(2), 2).join().statusCode());
            assertFalse(kept.isDone());
        }
        assertEquals(
                IOException.class,
                assertThrows(CompletionException.class, kept::join).getCause().getClass());
    }

    @Test
    void a_request_that_is_no_call_of_a_task_is_refused() throws Exception {
        try (CallbackReceiver receiver = CallbackReceiver.start("127.0.0.1")) {
            HttpRequest stray = HttpRequest.newBuilder(URI.create(receiver.url(1)))
                    .POST(HttpRequest.BodyPublishers.noBody())
                    .build();
            assertEquals(400, HTTP.send(stray, BodyHandlers.discarding()).statusCode());
            assertEquals(List.of(), receiver.calls());
        }
    }

    private static CompletableFuture<HttpResponse<Void>> send(String url, int attempt) {
        String path = "/api/v1/executions/3-9/";
        return HTTP.sendAsync(
                HttpRequest.newBuilder(URI.create(url))
                        .header("Idempotency-Key", "3/x")
                        .header("Twinbell-Attempt", Integer.toString(attempt))
                        .header("Twinbell-Callback", "http://a" + path + "complete, http://b" + path + "complete")
                        .header("Twinbell-Heartbeat", "http://a" + path + "heartbeat, http://b" + path + "heartbeat")
                        .header("Twinbell-Callback-Token", "tbc_1")
                        .header("Twinbell-Checkpoint", "{}")
                        .POST(HttpRequest.BodyPublishers.noBody())
                        .build(),
                BodyHandlers.discarding());
    }
}
