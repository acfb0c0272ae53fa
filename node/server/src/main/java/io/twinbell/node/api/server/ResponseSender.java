package io.twinbell.node.api.server;

import io.twinbell.node.api.server.TrackedConnection.Phase;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Buffers answers and sends them asynchronously. A route's thread and its place among the concurrent requests are free
 * as soon as the answer is complete, however slowly the peer reads it. If unsent answers take too much memory, the
 * largest one that is older than a second is dropped.
 *
 * <p>An answer with the attribute {@link #DELAY} is sent late. If too many answers wait for that, it is sent at once, and
 * its connection closed: a client that guesses tokens must not hold connections.
 */
public final class ResponseSender extends Handler.Wrapper {
    /** The attribute of a request with the {@link Duration} by which its answer is delayed. */
    public static final String DELAY = ResponseSender.class.getName() + ".delay";

    private static final int PIECE = 64 * 1024;

    private final String streamPath;
    private final long mostUnsent;
    private final Connections connections;
    private final AtomicLong unsent = new AtomicLong();

    /** @param streamPath the path whose answers never end; they are written with backpressure of their own */
    public ResponseSender(String streamPath, long mostUnsent, Connections connections) {
        this.streamPath = streamPath;
        this.mostUnsent = mostUnsent;
        this.connections = connections;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        if (streamPath.equals(Request.getPathInContext(request))) {
            return super.handle(request, response, callback);
        }
        Sending sending = new Sending(request, response, callback);
        return super.handle(request, sending, sending.whenWritten());
    }

    /**
     * Whether one more answer may begin. If the unsent ones take too much memory, the largest that is older than a second
     * is dropped for it.
     */
    public boolean hasRoom() {
        return unsent.get() <= mostUnsent || connections.limits().closeLargest(Phase.SENDING, "memory for responses");
    }

    long unsent() {
        return unsent.get();
    }

    /** One answer: the queue of pieces, at most one of which is being written. */
    private final class Sending extends Response.Wrapper implements Callback {
        private final Response target;
        private final Callback callback;
        private final TrackedConnection connection;
        private final Deque<ByteBuffer> waiting = new ArrayDeque<>();
        private int inFlight;
        private boolean hasBegun;
        private boolean isDelayed;
        private boolean isWriting;
        private boolean isLastQueued;
        private boolean isLastWritten;
        private boolean isComplete;
        private Throwable failure;

        Sending(Request request, Response target, Callback callback) {
            super(request, target);
            this.target = target;
            this.callback = callback;
            connection = connections.of(request);
        }

        /** Returns the callback that the route completes when it has written everything or has failed. */
        Callback whenWritten() {
            return new Callback() {
                @Override
                public void succeeded() {
                    written(null);
                }

                @Override
                public void failed(Throwable x) {
                    written(x);
                }
            };
        }

        @Override
        public void write(boolean last, ByteBuffer content, Callback writer) {
            Throwable broken;
            synchronized (this) {
                broken = failure;
                if (broken == null) {
                    if (!hasBegun) {
                        hasBegun = true;
                        isDelayed = delays();
                    }
                    queue(content);
                    isLastQueued |= last;
                }
            }
            if (broken != null) {
                writer.failed(broken);
                return;
            }
            if (unsent.get() > mostUnsent) {
                connections.limits().closeLargest(Phase.SENDING, "memory for responses");
            }
            writeNext();
            writer.succeeded();
        }

        private boolean delays() {
            if (!(getRequest().getAttribute(DELAY) instanceof Duration delay) || delay.isZero()) {
                return false;
            }
            if (!connections.limits().delays(connection)) {
                target.getHeaders().put(HttpHeader.CONNECTION, "close");
                return false;
            }
            getRequest()
                    .getComponents()
                    .getScheduler()
                    .schedule(this::delayIsOver, delay.toNanos(), TimeUnit.NANOSECONDS);
            return true;
        }

        private void delayIsOver() {
            connections.limits().delayed(connection);
            synchronized (this) {
                isDelayed = false;
                connections.limits().enter(connection, Phase.SENDING);
            }
            writeNext();
        }

        /** Copies the content, because the writer reuses its buffer. */
        private void queue(ByteBuffer content) {
            if (waiting.isEmpty() && !isWriting && !isDelayed) {
                connections.limits().enter(connection, Phase.SENDING);
            }
            while (content != null && content.hasRemaining()) {
                byte[] piece = new byte[Math.min(PIECE, content.remaining())];
                content.get(piece);
                waiting.add(ByteBuffer.wrap(piece));
                unsent.addAndGet(piece.length);
                connection.holds(piece.length);
            }
        }

        private void writeNext() {
            ByteBuffer piece;
            boolean isLast;
            synchronized (this) {
                if (isWriting
                        || isDelayed
                        || failure != null
                        || waiting.isEmpty() && (!isLastQueued || isLastWritten)) {
                    return;
                }
                piece = waiting.poll();
                isLast = isLastQueued && waiting.isEmpty();
                isLastWritten = isLast;
                inFlight = piece == null ? 0 : piece.remaining();
                isWriting = true;
            }
            target.write(isLast, piece, this);
        }

        @Override
        public void succeeded() {
            boolean isDone;
            synchronized (this) {
                isWriting = false;
                connection.moved(inFlight);
                sentInFlight();
                boolean isDrained = waiting.isEmpty() && (isLastWritten || !isLastQueued);
                isDone = isComplete && isDrained;
                if (isDrained && !isComplete) {
                    // Until the route writes more, the delay is not the peer's fault.
                    connections.limits().enter(connection, Phase.HANDLING);
                }
            }
            if (isDone) {
                callback.succeeded();
            } else {
                writeNext();
            }
        }

        @Override
        public void failed(Throwable x) {
            boolean isDone;
            synchronized (this) {
                isWriting = false;
                isDone = isComplete;
                giveUp(x);
            }
            if (isDone) {
                callback.failed(x);
            }
        }

        private void written(Throwable x) {
            Throwable outcome;
            synchronized (this) {
                isComplete = true;
                if (x != null) {
                    giveUp(x);
                }
                if (failure == null && (isWriting || isDelayed || !waiting.isEmpty())) {
                    return;
                }
                outcome = failure;
            }
            if (outcome == null) {
                callback.succeeded();
            } else {
                callback.failed(outcome);
            }
        }

        private void giveUp(Throwable x) {
            failure = failure == null ? x : failure;
            waiting.forEach(piece -> sent(piece.remaining()));
            waiting.clear();
            sentInFlight();
        }

        private void sentInFlight() {
            sent(inFlight);
            inFlight = 0;
        }

        private void sent(int bytes) {
            unsent.addAndGet(-bytes);
            connection.holds(-bytes);
        }
    }
}
