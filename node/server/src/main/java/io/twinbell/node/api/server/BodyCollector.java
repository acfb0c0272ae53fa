package io.twinbell.node.api.server;

import io.twinbell.node.api.server.TrackedConnection.Phase;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import org.eclipse.jetty.http.HttpHeader;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.content.ByteBufferContentSource;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;

/**
 * Receives the whole body of a request before the request takes a thread or a place among the concurrent requests, so
 * a slow sender delays no other request. All bodies together take no more memory than their budgets.
 */
public final class BodyCollector extends Handler.Wrapper {
    /**
     * The maximum number of bytes that are received and discarded after a refusal: a client that is still sending
     * would not see the answer.
     */
    private static final long MOST_DISCARDED = 32L * 1024 * 1024;

    private final Function<Request, Optional<EarlyRefusal>> access;
    private final ToIntFunction<Request> longest;
    private final RequestMemory.Budgets budgets;
    private final Connections connections;

    /**
     * @param access decides before a body takes memory whether the request is refused
     * @param longest returns the maximum length of a request's body in bytes; 0 if it must have none
     */
    public BodyCollector(
            Function<Request, Optional<EarlyRefusal>> access,
            ToIntFunction<Request> longest,
            RequestMemory.Budgets budgets,
            Connections connections) {
        this.access = access;
        this.longest = longest;
        this.budgets = budgets;
        this.connections = connections;
    }

    @Override
    public boolean handle(Request request, Response response, Callback callback) throws Exception {
        long declared = request.getHeaders().getLongField(HttpHeader.CONTENT_LENGTH);
        boolean isChunked = request.getHeaders().contains(HttpHeader.TRANSFER_ENCODING);
        boolean hasBody = declared > 0 || isChunked;
        Optional<EarlyRefusal> refused = access.apply(request);
        if (!hasBody && refused.isEmpty()) {
            return super.handle(request, response, callback);
        }
        int limit = hasBody ? longest.applyAsInt(request) : 0;
        // The client waits for an answer before it sends the body.
        boolean isWaiting = request.getHeaders().contains(HttpHeader.EXPECT);
        if (refused.isPresent() && (!hasBody || isWaiting)) {
            refused.get().write(request, response, callback);
            return true;
        }
        if (declared > limit && isWaiting) {
            tooLarge(request, limit).write(request, response, callback);
            return true;
        }
        connections.limits().enter(connections.of(request), Phase.RECEIVING);
        new BodyReceiver(request, response, callback, limit, refused).run();
        return true;
    }

    private static EarlyRefusal tooLarge(Request request, int limit) {
        return limit == 0
                ? new EarlyRefusal(
                        400,
                        "send no body with " + request.getMethod() + " "
                                + request.getHttpURI().getPath())
                : new EarlyRefusal(413, "the body has more than " + limit + " bytes");
    }

    /** Receives one body. Jetty calls {@link #run} when more bytes have arrived, never concurrently. */
    private final class BodyReceiver implements Runnable {
        private final Request request;
        private final Response response;
        private final Callback callback;
        private final int limit;
        private final TrackedConnection connection;
        private final List<ByteBuffer> kept = new ArrayList<>();
        private long received;
        private final RequestMemory memory = new RequestMemory(budgets);
        private EarlyRefusal refusal;

        /** @param refused discards the body, and answers then: a client that is still sending would not see it */
        BodyReceiver(Request request, Response response, Callback callback, int limit, Optional<EarlyRefusal> refused) {
            refusal = refused.orElse(null);
            this.request = request;
            this.response = response;
            this.callback = callback;
            this.limit = limit;
            connection = connections.of(request);
        }

        @Override
        public void run() {
            while (true) {
                Content.Chunk chunk = request.read();
                if (chunk == null) {
                    request.demand(this);
                    return;
                }
                if (Content.Chunk.isFailure(chunk)) {
                    failed(chunk.getFailure());
                    return;
                }
                boolean isLast = chunk.isLast();
                take(chunk);
                chunk.release();
                if (isLast || received > MOST_DISCARDED) {
                    complete();
                    return;
                }
            }
        }

        private void take(Content.Chunk chunk) {
            int length = chunk.getByteBuffer().remaining();
            received += length;
            connection.moved(length);
            if (refusal == null && received > limit) {
                refuse(tooLarge(request, limit));
            }
            if (refusal == null && length > 0 && !reserve(length)) {
                refuse(new EarlyRefusal(
                        503,
                        "the requests in progress use all the memory for request bodies;" + " send the request again"));
            }
            if (refusal == null && length > 0) {
                byte[] bytes = new byte[length];
                chunk.getByteBuffer().get(bytes);
                kept.add(ByteBuffer.wrap(bytes));
            }
        }

        private boolean reserve(int bytes) {
            boolean isTaken = memory.tryTake(bytes)
                    || connections.limits().closeLargest(Phase.RECEIVING, "memory for request bodies")
                            && memory.tryTake(bytes);
            if (isTaken) {
                connection.holds(bytes);
            }
            return isTaken;
        }

        private void refuse(EarlyRefusal why) {
            refusal = why;
            release();
        }

        private void release() {
            kept.clear();
            memory.giveBack();
        }

        private void failed(Throwable failure) {
            release();
            if (failure instanceof TimeoutException) {
                connections.limits().enter(connection, Phase.HANDLING);
                new EarlyRefusal(408, "the body arrived too slowly").write(request, response, callback);
            } else {
                callback.failed(failure);
            }
        }

        private void complete() {
            connections.limits().enter(connection, Phase.HANDLING);
            if (refusal != null) {
                refusal.write(request, response, callback);
                return;
            }
            request.setAttribute(RequestMemory.ATTRIBUTE, memory);
            Callback handled = new Callback.Nested(callback) {
                @Override
                public void succeeded() {
                    release();
                    super.succeeded();
                }

                @Override
                public void failed(Throwable x) {
                    release();
                    super.failed(x);
                }
            };
            try {
                if (!BodyCollector.super.handle(new CollectedRequest(request, kept, received), response, handled)) {
                    Response.writeError(request, response, handled, 404);
                }
            } catch (Exception e) {
                Response.writeError(request, response, handled, e);
            }
        }
    }

    /** The request with its body in memory. */
    private static final class CollectedRequest extends Request.Wrapper {
        private final Content.Source body;
        private final long length;

        CollectedRequest(Request request, List<ByteBuffer> body, long length) {
            super(request);
            this.body = new ByteBufferContentSource(List.copyOf(body));
            this.length = length;
        }

        @Override
        public long getLength() {
            return length;
        }

        @Override
        public Content.Chunk read() {
            return body.read();
        }

        @Override
        public void demand(Runnable demandCallback) {
            body.demand(demandCallback);
        }
    }
}
