package io.twinbell.node.handler.http;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.message.BasicHttpResponse;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ResponseReaderTest {
    private final ResponseReader reader = new ResponseReader(100, () -> {});
    private final List<ReceivedResponse> answers = new ArrayList<>();

    @Test
    @Timeout(value = 60, unit = TimeUnit.SECONDS)
    void it_calls_back_without_a_lock_that_whoever_fails_it_would_wait_for() {
        reader.consumeResponse(new BasicHttpResponse(200), null, null, new FutureCallback<>() {
            @Override
            public void completed(ReceivedResponse answer) {
                answers.add(answer);
                Thread cancelling = new Thread(() -> reader.failed(new IOException("cancelled meanwhile")));
                cancelling.start();
                join(cancelling);
            }

            @Override
            public void failed(Exception cause) {
                throw new AssertionError(cause);
            }

            @Override
            public void cancelled() {
                throw new AssertionError("nobody cancels it");
            }
        });
        assertEquals(1, answers.size(), "the first end counts");
        assertEquals(ReceivedResponse.BodyEnd.WHOLE, answers.get(0).end());
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException("another thread waits for this one", e);
        }
    }
}
