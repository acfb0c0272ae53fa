package io.twinbell.node.api.execution;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.access.Principal;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.execution.StuckDetector;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExecutionFilter;
import io.twinbell.node.execution.store.ExecutionRequests;
import io.twinbell.node.json.Instants;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** Routes that cancel executions, run them again, list those that are stuck, and release one of these. */
public final class ExecutionRequestRoutes {
    /** The maximum number of executions that one request runs again; the answer says whether there are more. */
    private static final int MOST_RERUNS = 10_000;

    private static final String EXECUTION = ApiPaths.EXECUTIONS + "/{id}";

    private static final Set<ExecutionState> CLAIMED = Set.of(ExecutionState.CLAIMED, ExecutionState.RUNNING);

    private final ApiStores stores;

    public ExecutionRequestRoutes(ApiStores stores) {
        this.stores = stores;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(ApiPaths.EXECUTIONS + "/stuck", AccessRule.read(AppScope.FILTERED), this::listStuck),
                Route.post(EXECUTION + "/release", AccessRule.operate(AppScope.EXECUTION_IN_PATH), this::release),
                Route.post(EXECUTION + "/cancel", AccessRule.operate(AppScope.EXECUTION_IN_PATH), this::cancel),
                Route.post(EXECUTION + "/rerun", AccessRule.operate(AppScope.EXECUTION_IN_PATH), this::rerun),
                Route.post(
                        ApiPaths.EXECUTIONS + "/rerun",
                        AccessRule.operate(AppScope.APP_IN_QUERY),
                        this::rerunAll,
                        "app",
                        "name",
                        "task",
                        "tag",
                        "state",
                        "from",
                        "until",
                        "errorCode",
                        "inDoubt"));
    }

    private void cancel(Context context) {
        answer(context, 202, stores.requests().cancel(slot(context), reason(context, "cancelled")));
    }

    private void rerun(Context context) {
        answer(context, 200, stores.requests().rerun(slot(context), reason(context, "run again by hand")));
    }

    private static void answer(Context context, int status, Optional<ExecutionRequests.Answer> found) {
        ExecutionRequests.Answer answer = found.orElseThrow(() -> unknown(context));
        if (answer.refusal() != null) {
            throw new ProblemException(ProblemType.CONFLICT, answer.refusal());
        }
        ResponseWriter.json(context, status, ExecutionJson.whole(answer.execution()));
    }

    private void rerunAll(Context context) {
        QueryParameters query = QueryParameters.of(context);
        ExecutionFilter filter = ExecutionRoutes.filter(query, query.id("task"));
        if (filter.states().isEmpty() || !filter.states().stream().allMatch(ExecutionState::isFinal)) {
            throw QueryParameters.refusal("state", "must list the final states to run again, such as FAILED,TIMED_OUT");
        }
        int count = stores.requests().rerunAll(filter, reason(context, "run again by hand"), MOST_RERUNS);
        ResponseWriter.json(
                context,
                200,
                JsonNodeFactory.instance.objectNode().put("rerun", count).put("more", count == MOST_RERUNS));
    }

    private void listStuck(Context context) {
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
        json.put("id", ExecutionJson.id(stuck.slot()));
        json.put("taskId", stuck.slot().taskId());
        json.put("app", stuck.app());
        json.put("name", stuck.name());
        json.put("fireTime", stuck.slot().fireTime());
        json.put("state", stuck.state().name());
        json.put("attempt", stuck.attempt());
        json.put("node", stuck.node());
        json.put("epoch", stuck.epoch());
        json.put("reason", stuck.reason());
    }

    private void release(Context context) {
        Slot slot = slot(context);
        String reason = Objects.requireNonNullElse(ReasonBody.of(RequestBody.objectIfAny(context)), "by hand");
        Execution execution = stores.executions().find(slot).orElseThrow(() -> unknown(context));
        if (!CLAIMED.contains(execution.state())) {
            throw new ProblemException(
                    ProblemType.CONFLICT, "only a claimed execution can be released; this one is " + execution.state());
        }
        stores.executions().release(slot, reason);
        ResponseWriter.json(context, 202, ExecutionJson.answer(execution));
    }

    private static String reason(Context context, String what) {
        String why = ReasonBody.of(RequestBody.objectIfAny(context));
        return why == null ? what : what + ": " + why;
    }

    private static Slot slot(Context context) {
        return ExecutionJson.slot(context.pathParam("id")).orElseThrow(() -> unknown(context));
    }

    private static ProblemException unknown(Context context) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no execution " + context.pathParam("id"));
    }
}
