package io.twinbell.node.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodySubscriber;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Sends an HTTP request and reads the whole answer within a bound on its size and on its time. The JDK's own timeout
 * ends with the headers, and its body handlers accept a body of any size.
 */
public final class BoundedAnswer {
    private BoundedAnswer() {}

    /**
     * @param most the size limit of the answer's body, in bytes
     * @param limit the time limit until the last byte has arrived
     * @throws IOException if the whole answer does not arrive within the bounds
     */
    public static HttpResponse<String> send(HttpClient client, HttpRequest request, int most, Duration limit)
            throws IOException {
        CompletableFuture<HttpResponse<String>> answer = client.sendAsync(request, head -> new Collecting(most));
        try {
            return answer.get(limit.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            answer.cancel(true);
            throw new HttpTimeoutException("request timed out after " + limit.toMillis() + " ms");
        } catch (InterruptedException e) {
            answer.cancel(true);
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted");
        } catch (ExecutionException e) {
            if (e.getCause() instanceof IOException failure) {
                throw failure;
            }
            throw new IOException(e.getCause());
        }
    }

    /** Collects the body and cancels the connection at the first byte above the limit. */
    private static final class Collecting implements BodySubscriber<String> {
        private final int most;
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private final CompletableFuture<String> body = new CompletableFuture<>();
        private Flow.Subscription subscription;

        Collecting(int most) {
            this.most = most;
        }

        @Override
        public CompletionStage<String> getBody() {
            return body;
        }

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            given.request(1);
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            for (ByteBuffer buffer : buffers) {
                byte[] part = new byte[buffer.remaining()];
                buffer.get(part);
                if (bytes.size() + part.length > most) {
                    subscription.cancel();
                    body.completeExceptionally(new IOException("the response is larger than " + most + " bytes"));
                    return;
                }
                bytes.writeBytes(part);
            }
            subscription.request(1);
        }

        @Override
        public void onError(Throwable failure) {
            body.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            body.complete(bytes.toString(StandardCharsets.UTF_8));
        }
    }
}
