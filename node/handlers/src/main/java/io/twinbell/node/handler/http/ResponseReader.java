package io.twinbell.node.handler.http;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import org.apache.hc.core5.concurrent.FutureCallback;
import org.apache.hc.core5.http.EntityDetails;
import org.apache.hc.core5.http.Header;
import org.apache.hc.core5.http.HttpResponse;
import org.apache.hc.core5.http.nio.AsyncResponseConsumer;
import org.apache.hc.core5.http.nio.CapacityChannel;
import org.apache.hc.core5.http.protocol.HttpContext;

/**
 * Reads an HTTP answer. It keeps the beginning of the body, and reads and drops the rest so that the connection can be
 * reused. The status alone decides the outcome: neither a meaningless header nor an endless body makes the call fail.
 *
 * <p>It invokes the callback without holding its own lock, to avoid a deadlock: the callback needs a lock that the
 * sender may hold while it reports a failure to this reader.
 */
final class ResponseReader implements AsyncResponseConsumer<ReceivedResponse> {
    static final long MOST_READ = 64L * 1024 * 1024;
    private static final int CHUNK = 64 * 1024;

    private final int limit;
    private final Runnable onEnd;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private HttpResponse head;
    private FutureCallback<ReceivedResponse> callback;
    private long read;
    private boolean isAnswered;

    /**
     * @param limit the number of body bytes to keep
     * @param onEnd runs before the client may use the connection for another call
     */
    ResponseReader(int limit, Runnable onEnd) {
        this.limit = limit;
        this.onEnd = onEnd;
    }

    @Override
    public void informationResponse(HttpResponse response, HttpContext context) {
        // An interim answer does not decide the outcome.
    }

    @Override
    public void consumeResponse(
            HttpResponse response, EntityDetails entity, HttpContext context, FutureCallback<ReceivedResponse> result) {
        synchronized (this) {
            head = response;
            callback = result;
        }
        if (entity == null) {
            answer(ReceivedResponse.BodyEnd.WHOLE);
        }
    }

    @Override
    public void updateCapacity(CapacityChannel channel) throws IOException {
        channel.update(CHUNK);
    }

    @Override
    public void consume(ByteBuffer source) throws IOException {
        if (isTooLong(source)) {
            String note = "more than " + MOST_READ / (1024 * 1024) + " MiB were not read";
            answer(new ReceivedResponse.BodyEnd(false, note));
            // The exception closes the connection; the call itself already has its answer.
            throw new IOException(note);
        }
    }

    private synchronized boolean isTooLong(ByteBuffer source) {
        byte[] bytes = new byte[Math.min(source.remaining(), limit - kept.size())];
        read += source.remaining();
        source.get(bytes);
        kept.writeBytes(bytes);
        source.position(source.limit());
        return read > MOST_READ;
    }

    @Override
    public void streamEnd(List<? extends Header> trailers) {
        answer(ReceivedResponse.BodyEnd.WHOLE);
    }

    @Override
    public void failed(Exception cause) {
        if (InvalidResponse.isInTrailersOnly(cause)) {
            answer(new ReceivedResponse.BodyEnd(false, "the trailers and the last part of the body could not be read"));
        } else {
            answer(new ReceivedResponse.BodyEnd(true, cause.getMessage()));
        }
    }

    /** Completes the call; only the first end counts. A failure before the status is reported by the client itself. */
    private void answer(ReceivedResponse.BodyEnd end) {
        FutureCallback<ReceivedResponse> to;
        ReceivedResponse answer;
        synchronized (this) {
            if (isAnswered || head == null) {
                return;
            }
            isAnswered = true;
            ResponseText text = ResponseText.of(
                    kept.toByteArray(), read > kept.size(), header("Content-Encoding"), header("Content-Type"), limit);
            to = callback;
            Duration wait = RetryAfter.of(header("Retry-After"), header("Date"));
            answer = new ReceivedResponse(head.getCode(), header("Location"), wait, text, end);
        }
        onEnd.run();
        to.completed(answer);
    }

    private String header(String name) {
        Header header = head.getFirstHeader(name);
        return header == null ? null : header.getValue();
    }

    @Override
    public void releaseResources() {
        // The kept bytes are few, and the owner drops this reader.
    }
}
