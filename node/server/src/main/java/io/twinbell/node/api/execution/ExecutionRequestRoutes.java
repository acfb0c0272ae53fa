package io.twinbell.node.api.execution;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.AppScope;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.execution.store.ExecutionFilter;
import io.twinbell.node.execution.store.ExecutionRequests;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import java.util.List;
import java.util.Optional;

/** Routes that cancel executions or run them again. */
public final class ExecutionRequestRoutes {
    /** The maximum number of executions that one request runs again; the answer says whether there are more. */
    private static final int MOST_RERUNS = 10_000;

    private static final String EXECUTION = ApiPaths.EXECUTIONS + "/{id}";

    private final ExecutionRequests requests;

    public ExecutionRequestRoutes(ExecutionRequests requests) {
        this.requests = requests;
    }

    public List<Route> routes() {
        return List.of(
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
        answer(context, 202, requests.cancel(slot(context), reason(context, "cancelled")));
    }

    private void rerun(Context context) {
        answer(context, 200, requests.rerun(slot(context), reason(context, "run again by hand")));
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
        int count = requests.rerunAll(filter, reason(context, "run again by hand"), MOST_RERUNS);
        ResponseWriter.json(
                context,
                200,
                JsonNodeFactory.instance.objectNode().put("rerun", count).put("more", count == MOST_RERUNS));
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
