package io.twinbell.node.handler;

import io.twinbell.handler.TaskHandler;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.task.HandlerSpec;
import io.twinbell.persistence.database.DatabaseClock;
import java.net.URI;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Runs what a task says. A call that waits for somebody else holds no thread. */
public final class Handlers implements AutoCloseable {
    private final HttpCaller http;
    private final LogWriter log = new LogWriter();
    private final Plugins plugins = new Plugins();
    private final JavaRunner java;

    /**
     * @param registered the embedding program's handlers by key
     * @param clock what signatures are dated by
     */
    public Handlers(NodeConfig.Handlers settings, Map<String, TaskHandler> registered, DatabaseClock clock) {
        http = new HttpCaller(new Targets(settings.httpAllow()), new Secrets(settings.secrets()), clock);
        JavaHandlers found = new JavaHandlers();
        registered.forEach((key, handler) -> found.add(key, handler, "the embedding program"));
        plugins.load(settings.plugins(), found);
        java = new JavaRunner(found);
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
        plugins.close();
    }
}
