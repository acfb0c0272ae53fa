package io.twinbell.node.api.stream;

import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.LedgerChanges;
import io.twinbell.persistence.ledger.ExecutionState;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

/** Route that streams the ledger's changes. */
public final class StreamRoutes {
    private static final String LAST_EVENT = "Last-Event-ID";

    private final ChangeStream stream;

    public StreamRoutes(ChangeStream stream) {
        this.stream = stream;
    }

    public List<Route> routes() {
        return List.of(Route.get(
                ApiPaths.EXECUTION_STREAM,
                AccessRule.read(AppScope.APP_IN_QUERY),
                this::open,
                "task",
                "app",
                "name",
                "state",
                "after"));
    }

    private void open(Context context) {
        QueryParameters query = QueryParameters.of(context);
        Predicate<Execution> wanted = wanted(query);
        LedgerChanges.Position after = after(context, query);
        if (context.method().name().equals("HEAD")) {
            context.contentType("text/event-stream");
            return;
        }
        stream.open(context, wanted, after);
    }

    private static Predicate<Execution> wanted(QueryParameters query) {
        Long task = query.id("task");
        String app = query.text("app");
        String name = query.text("name");
        Set<ExecutionState> states = query.choices("state", ExecutionState.class);
        return execution -> (task == null || task == execution.slots().taskId())
                && (app == null || app.equals(execution.app()))
                && (name == null || name.equals(execution.name()))
                && (states.isEmpty() || states.contains(execution.state()));
    }

    /**
     * Returns the position to resume from. A reconnecting browser sends the header; the parameter is for the first
     * connection.
     */
    private static LedgerChanges.Position after(Context context, QueryParameters query) {
        String sent = context.header(LAST_EVENT);
        String id = sent == null || sent.isEmpty() ? query.text("after") : sent;
        return id == null
                ? null
                : ServerEvent.position(id)
                        .orElseThrow(() -> QueryParameters.refusal(
                                id.equals(sent) ? LAST_EVENT : "after", "is not the id of an event"));
    }
}
