package io.twinbell.node.handler;

import io.twinbell.handler.TaskHandler;
import io.twinbell.node.task.HandlerSpec;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Runs what a task says. A call that waits for somebody else holds no thread. */
public final class Handlers implements AutoCloseable {
    private final HttpCaller http = new HttpCaller();
    private final LogWriter log = new LogWriter();
    private final JavaRunner java;

    /** @param registered the embedding program's handlers by key */
    public Handlers(Map<String, TaskHandler> registered) {
        java = new JavaRunner(registered);
    }

    /**
     * Keeps the JDK's client from sending a GET or HEAD again, as the same attempt, when the receiver hangs up without an
     * answer. It knows this setting for the process only, and no client of the process follows a redirect under it: so it
     * is for a program that is nothing but a node, before its first request. Connections are kept for 4 s only, since one
     * that was kept for longer is likely to be closed just when it is used.
     */
    public static void callReceiversOnce() {
        System.setProperty("jdk.httpclient.redirects.retrylimit", "1");
        System.setProperty("jdk.httpclient.keepalive.timeout", "4");
    }

    /**
     * Starts the call. It may have ended when this returns, or end later on another thread; cancelling the future ends
     * it early if it has not.
     *
     * @throws Exception what the handler threw on this thread
     */
    public CompletionStage<Outcome> start(Call call) throws Exception {
        HandlerSpec spec = call.spec();
        if (spec instanceof HandlerSpec.HttpCall request) {
            return http.start(call, request);
        }
        if (spec instanceof HandlerSpec.JavaCode code) {
            return CompletableFuture.completedFuture(java.run(call, code));
        }
        return CompletableFuture.completedFuture(log.write(call, (HandlerSpec.LogLine) spec));
    }

    /** Calls this node itself, so that the first call of a new master does not begin by loading the client. */
    public void warmUp(URI node) {
        http.warmUp(node.resolve("/health/live"));
    }

    @Override
    public void close() {
        http.close();
    }
}
