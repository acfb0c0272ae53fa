package io.twinbell.tools.drill.receiver;

import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.ReceivedCall;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CallReceiverTest {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    @TempDir
    private Path temporary;

    @Test
    void a_call_is_in_the_log_when_its_answer_comes() throws Exception {
        Path log = temporary.resolve("log");
        try (CallReceiver receiver = CallReceiver.start("127.0.0.1", log)) {
            assertEquals(
                    200,
                    HTTP.send(call(receiver.url() + "/0", 12, 345, 2), BodyHandlers.discarding())
                            .statusCode());

            ReceivedCall seen = CallLog.read(log).get(0);
            assertEquals(new ReceivedCall(new CheckedSlot(12, 345), 2, 9, seen.arrivedMicros(), 0), seen);
        }
    }

    @Test
    void every_call_of_a_burst_is_in_the_log_once() throws Exception {
        Path log = temporary.resolve("log");
        try (CallReceiver receiver = CallReceiver.start("127.0.0.1", log)) {
            List<CompletableFuture<HttpResponse<Void>>> answers = IntStream.range(0, 1000)
                    .mapToObj(i -> HTTP.sendAsync(call(receiver.url() + "/2", i, i, 1), BodyHandlers.discarding()))
                    .toList();
            answers.forEach(answer -> assertEquals(200, answer.join().statusCode()));
        }
        List<ReceivedCall> calls = CallLog.read(log);
        Set<CheckedSlot> slots = calls.stream().map(ReceivedCall::slot).collect(Collectors.toSet());
        assertEquals(1000, calls.size());
        assertEquals(1000, slots.size());
    }

    @Test
    void calls_of_one_task_that_overlap_are_seen_as_such() throws Exception {
        Path log = temporary.resolve("log");
        try (CallReceiver receiver = CallReceiver.start("127.0.0.1", log)) {
            // The first is not answered before the receiver is closed.
            CompletableFuture<HttpResponse<Void>> first =
                    HTTP.sendAsync(call(receiver.url() + "/3600000", 5, 1, 1), BodyHandlers.discarding());
            await().until(() -> Files.size(log) > 0);
            HTTP.send(call(receiver.url() + "/0", 5, 2, 1), BodyHandlers.discarding());
            HTTP.send(call(receiver.url() + "/0", 6, 2, 1), BodyHandlers.discarding());
            assertFalse(first.isDone());
        }
        assertEquals(
                List.of(0, 1, 0),
                CallLog.read(log).stream().map(ReceivedCall::beside).toList());
    }

    @Test
    void overlapping_calls_of_other_epochs_are_logged() throws Exception {
        Path log = temporary.resolve("log");
        try (CallReceiver receiver = CallReceiver.start("127.0.0.1", log)) {
            HttpRequest ofAnother = HttpRequest.newBuilder(
                            call(receiver.url() + "/3600000", 5, 1, 1), (name, value) -> !name.equals("Twinbell-Epoch"))
                    .setHeader("Twinbell-Epoch", "8")
                    .build();
            HTTP.sendAsync(ofAnother, BodyHandlers.discarding());
            await().until(() -> CallLog.read(log).size() == 1);
            HTTP.sendAsync(call(receiver.url() + "/3600000", 5, 2, 1), BodyHandlers.discarding());
            await().until(() -> CallLog.read(log).size() == 2);
            HTTP.send(call(receiver.url() + "/0", 5, 3, 1), BodyHandlers.discarding());
            HTTP.send(call(receiver.url() + "/0", 5, 4, 1), BodyHandlers.discarding());
        }
        List<ReceivedCall> calls = CallLog.read(log);
        assertEquals(
                List.of(0, 1, 2, 2), calls.stream().map(ReceivedCall::beside).toList());
        assertEquals(
                List.of(List.of(), List.of(8L), List.of(8L), List.of(8L)),
                calls.stream().map(ReceivedCall::otherEpochs).toList());
    }

    @Test
    void a_request_that_is_no_tasks_call_is_refused_and_not_logged() throws Exception {
        Path log = temporary.resolve("log");
        try (CallReceiver receiver = CallReceiver.start("127.0.0.1", log)) {
            HttpRequest bare =
                    HttpRequest.newBuilder(URI.create(receiver.url() + "/0")).build();
            HttpRequest otherKey = HttpRequest.newBuilder(call(receiver.url() + "/0", 1, 1, 1), (name, value) -> true)
                    .setHeader("Idempotency-Key", "2/1970-01-01T00:00:00.001Z")
                    .build();
            assertEquals(400, HTTP.send(bare, BodyHandlers.discarding()).statusCode());
            assertEquals(400, HTTP.send(otherKey, BodyHandlers.discarding()).statusCode());
        }
        assertEquals(List.of(), CallLog.read(log));
    }

    @Test
    void a_line_that_was_cut_off_is_not_read() throws Exception {
        Path log = temporary.resolve("log");
        Files.writeString(log, "5000\t12\t345\t1\t9\t2\t8\n6000\t12\t");

        assertEquals(
                List.of(new ReceivedCall(new CheckedSlot(12, 345), 1, 9, 5000, 2, List.of(8L))), CallLog.read(log));
    }

    @Test
    void a_log_goes_on_where_it_was_left() throws Exception {
        Path log = temporary.resolve("log");
        Files.writeString(log, "5000\t12\t345\t1\t9\t2\t8\n", StandardOpenOption.CREATE);
        try (CallLog more = CallLog.append(log)) {
            more.add(new ReceivedCall(new CheckedSlot(1, 2), 3, 4, 5, 6, List.of(7L, 8L)));
        }

        assertEquals(
                new ReceivedCall(new CheckedSlot(1, 2), 3, 4, 5, 6, List.of(7L, 8L)),
                CallLog.read(log).get(1));
    }

    @Test
    void as_a_process_it_ends_with_who_started_it() throws Exception {
        Path log = temporary.resolve("log");
        ReceiverProcess receiver = ReceiverProcess.start(log, "127.0.0.1");
        ProcessHandle process = ProcessHandle.of(receiver.pid()).orElseThrow();
        assertTrue(process.isAlive());
        HTTP.send(call(receiver.url() + "/0", 12, 345, 1), BodyHandlers.discarding());

        receiver.close();

        assertFalse(process.isAlive());
        assertEquals(1, CallLog.read(log).size());
    }

    private static HttpRequest call(String url, long task, long fireMillis, int attempt) {
        String fireTime =
                String.format(Locale.ROOT, "1970-01-01T00:00:%02d.%03dZ", fireMillis / 1000, fireMillis % 1000);
        return HttpRequest.newBuilder(URI.create(url))
                .setHeader("Idempotency-Key", task + "/" + fireTime)
                .setHeader("Twinbell-Task", Long.toString(task))
                .setHeader("Twinbell-Fire-Time", fireTime)
                .setHeader("Twinbell-Attempt", Integer.toString(attempt))
                .setHeader("Twinbell-Epoch", "9")
                .build();
    }
}
