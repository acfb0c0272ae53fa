package io.twinbell.node.api.execution;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.access.Principal;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.AppScope;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.execution.StuckDetector;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.json.Instants;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/** Routes that list stuck executions and release one of them. */
public final class StuckRoutes {
    private static final Set<ExecutionState> CLAIMED = Set.of(ExecutionState.CLAIMED, ExecutionState.RUNNING);

    private final ApiStores stores;

    public StuckRoutes(ApiStores stores) {
        this.stores = stores;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(ApiPaths.EXECUTIONS + "/stuck", AccessRule.read(AppScope.FILTERED), this::list),
                Route.post(
                        ApiPaths.EXECUTIONS + "/{id}/release",
                        AccessRule.operate(AppScope.EXECUTION_IN_PATH),
                        this::release));
    }

    private void list(Context context) {
        StuckDetector.StuckReport stuckReport = stores.stuck().stuckReport();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("lookedAt", stuckReport.atMillis() == 0 ? null : Instants.text(stuckReport.atMillis()));
        ArrayNode items = json.putArray("items");
        Principal principal = Caller.of(context).principal();
        stuckReport.stuck().stream()
                .filter(stuck -> principal.sees(stuck.app()))
                .forEach(stuck -> write(items.addObject(), stuck));
        ResponseWriter.json(context, 200, json);
    }

    private static void write(ObjectNode json, StuckDetector.Stuck stuck) {
        json.put("id", stuck.slot().taskId() + "-" + stuck.slot().fireTimeMillis());
        json.put("taskId", stuck.slot().taskId());
        json.put("app", stuck.app());
        json.put("name", stuck.name());
        json.put("fireTime", stuck.slot().fireTime());
        json.put("state", stuck.claim().state().name());
        json.put("attempt", stuck.claim().attempt());
        json.put("node", stuck.claim().node());
        json.put("epoch", stuck.claim().epoch());
        json.put("reason", stuck.reason());
    }

    private void release(Context context) {
        String id = context.pathParam("id");
        Slot slot = ExecutionJson.slot(id).orElseThrow(() -> unknown(id));
        String reason = Objects.requireNonNullElse(ReasonBody.of(RequestBody.objectIfAny(context)), "by hand");
        Execution execution = stores.executions().find(slot).orElseThrow(() -> unknown(id));
        if (!CLAIMED.contains(execution.state())) {
            throw new ProblemException(
                    ProblemType.CONFLICT, "only a claimed execution can be released; this one is " + execution.state());
        }
        stores.executions().release(slot, reason);
        ResponseWriter.json(context, 202, ExecutionJson.answer(execution));
    }

    private static ProblemException unknown(String id) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no execution " + id);
    }
}
