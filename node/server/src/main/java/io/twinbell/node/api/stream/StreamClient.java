package io.twinbell.node.api.stream;

import io.javalin.http.Context;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.LedgerChanges;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;

/** One client of the change stream. Writing never blocks: unsent events wait here, at most one page of them. */
final class StreamClient implements WriteListener {
    private final Predicate<Execution> wanted;
    private final Caller caller;
    private final CompletableFuture<Void> over = new CompletableFuture<>();
    private final Deque<byte[]> waiting = new ArrayDeque<>();
    private ServletOutputStream out;
    private boolean isWritable;
    private boolean isUnflushed;
    private boolean isEnding;
    private LedgerChanges.Position position;
    private long sentNanos;

    StreamClient(Predicate<Execution> wanted, Caller caller, LedgerChanges.Position after, long nowNanos) {
        this.wanted = wanted;
        this.caller = caller;
        position = after;
        sentNanos = nowNanos;
        waiting.add(ChangeStream.bytes(": the ledger's changes\n\n"));
    }

    /** Starts the response. Called on the request's thread, once the request is asynchronous. */
    synchronized CompletableFuture<Void> begin(Context context) {
        HttpServletResponse response = context.res();
        response.setStatus(200);
        response.setContentType("text/event-stream");
        response.setCharacterEncoding("utf-8");
        // Without this header nginx collects events until its buffer is full.
        response.setHeader("X-Accel-Buffering", "no");
        AsyncContext async = context.req().getAsyncContext();
        async.setTimeout(0);
        try {
            out = response.getOutputStream();
            out.setWriteListener(this);
        } catch (IOException e) {
            over.complete(null);
        }
        return over;
    }

    Caller caller() {
        return caller;
    }

    boolean wants(Execution execution) {
        return wanted.test(execution);
    }

    synchronized LedgerChanges.Position position() {
        return position;
    }

    synchronized void place(LedgerChanges.Position reached) {
        position = reached;
    }

    synchronized long sentNanos() {
        return sentNanos;
    }

    synchronized boolean isDrained() {
        return waiting.isEmpty();
    }

    synchronized boolean isEnding() {
        return isEnding;
    }

    boolean isOver() {
        return over.isDone();
    }

    synchronized void send(String events, long nowNanos) {
        waiting.add(ChangeStream.bytes(events));
        sentNanos = nowNanos;
        write();
    }

    synchronized void end(String reason, long nowNanos) {
        if (!isEnding) {
            isEnding = true;
            send(ServerEvent.end(reason), nowNanos);
        }
    }

    /** Ends the response without waiting for unsent events. */
    void abandon() {
        over.complete(null);
    }

    @Override
    public synchronized void onWritePossible() {
        isWritable = true;
        write();
    }

    @Override
    public void onError(Throwable failure) {
        over.complete(null);
    }

    private void write() {
        try {
            while (isWritable && !over.isDone() && (isUnflushed || !waiting.isEmpty())) {
                // After false, the container calls onWritePossible when the client may write again.
                isWritable = out.isReady();
                if (isWritable) {
                    writeNext();
                }
            }
        } catch (IOException | IllegalStateException e) {
            over.complete(null);
        }
        if (isWritable && isEnding && waiting.isEmpty()) {
            over.complete(null);
        }
    }

    private void writeNext() throws IOException {
        byte[] next = waiting.poll();
        if (next == null) {
            isUnflushed = false;
            out.flush();
        } else {
            isUnflushed = true;
            out.write(next);
        }
    }
}
