package io.twinbell.ops.http;

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
 * Sends a request and reads the answer with a bound on its size and on the time until all of it is there. The JDK's own
 * timeout ends with the headers, and its body handlers keep whatever comes.
 */
public final class BoundedAnswer {
    private BoundedAnswer() {}

    /**
     * @param most how many bytes the answer may have
     * @param limit until the last of them is there
     * @throws IOException if there is no whole answer within the bounds
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

    /** Cancels the connection at the first byte too many. */
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
                    body.completeExceptionally(new IOException("the answer has more than " + most + " bytes"));
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
