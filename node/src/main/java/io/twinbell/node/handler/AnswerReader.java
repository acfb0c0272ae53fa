package io.twinbell.node.handler;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
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
 * reused. The status decides the outcome: neither a meaningless header nor an endless body fails the call.
 *
 * <p>It invokes the callback without holding its own lock: the sender holds a lock that the callback needs, and may
 * fail this reader at the same time.
 */
final class AnswerReader implements AsyncResponseConsumer<HttpAnswer> {
    static final long MOST_READ = 64L * 1024 * 1024;
    private static final int CHUNK = 64 * 1024;

    private final int limit;
    private final ByteArrayOutputStream kept = new ByteArrayOutputStream();
    private HttpResponse head;
    private FutureCallback<HttpAnswer> callback;
    private long read;
    private boolean isAnswered;

    /** @param limit the number of body bytes to keep */
    AnswerReader(int limit) {
        this.limit = limit;
    }

    @Override
    public void informationResponse(HttpResponse response, HttpContext context) {
        // An interim answer does not decide the outcome.
    }

    @Override
    public void consumeResponse(
            HttpResponse response, EntityDetails entity, HttpContext context, FutureCallback<HttpAnswer> result) {
        synchronized (this) {
            head = response;
            callback = result;
        }
        if (entity == null) {
            answer(HttpAnswer.End.WHOLE);
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
            answer(new HttpAnswer.End(false, note));
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
        answer(HttpAnswer.End.WHOLE);
    }

    @Override
    public void failed(Exception cause) {
        if (InvalidAnswer.isOfTrailersOnly(cause)) {
            answer(new HttpAnswer.End(false, "the trailers could not be read, and with them the last of the body"));
        } else {
            answer(new HttpAnswer.End(true, cause.getMessage()));
        }
    }

    /** Completes the call; only the first end counts. A failure before the status is reported by the client itself. */
    private void answer(HttpAnswer.End end) {
        FutureCallback<HttpAnswer> to;
        HttpAnswer answer;
        synchronized (this) {
            if (isAnswered || head == null) {
                return;
            }
            isAnswered = true;
            AnswerText text = AnswerText.of(
                    kept.toByteArray(), read > kept.size(), header("Content-Encoding"), header("Content-Type"), limit);
            to = callback;
            answer = new HttpAnswer(head.getCode(), header("Location"), text, end);
        }
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
