package io.twinbell.node.api.execution;

import io.javalin.http.Context;
import io.twinbell.node.api.cluster.ClusterView;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.slot.ExplanationReader;
import io.twinbell.node.api.task.NamedTaskRoutes;
import io.twinbell.node.api.task.TaskRoutes;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.explain.SlotQuestion;
import io.twinbell.node.schedule.zone.ZoneNames;
import io.twinbell.persistence.task.Task;
import java.time.ZoneId;
import java.util.List;

/** Routes that explain why a task ran, did not run, or will run at an instant. */
public final class ExplanationRoutes {
    private final ApiStores stores;
    private final ExplanationReader explanations;

    public ExplanationRoutes(ApiStores stores, ClusterView cluster) {
        this.stores = stores;
        explanations = new ExplanationReader(stores, cluster);
    }

    public List<Route> routes() {
        return List.of(
                Route.get(
                        ApiPaths.TASKS + "/{id}/why",
                        AccessRule.read(AppScope.TASK_IN_PATH),
                        context -> explain(context, TaskRoutes.id(context)),
                        "at",
                        "zone"),
                Route.get(
                        ApiPaths.NAMED_TASK + "/why",
                        AccessRule.read(AppScope.APP_IN_PATH),
                        context -> explain(context, NamedTaskRoutes.id(stores.tasks(), NamedTaskRoutes.key(context))),
                        "at",
                        "zone"));
    }

    private void explain(Context context, long id) {
        QueryParameters query = QueryParameters.of(context);
        Task task = stores.tasks().find(id).orElse(null);
        if (task == null && !stores.executions().knows(id)) {
            throw TaskRoutes.unknown(id);
        }
        SlotQuestion question = question(query, zone(query, task));
        ResponseWriter.json(
                context, 200, explanations.explain(id, task, question).json());
    }

    private static SlotQuestion question(QueryParameters query, ZoneId zone) {
        String at = query.text("at");
        if (at == null) {
            throw QueryParameters.refusal("at", "must be given: the instant that you ask about");
        }
        try {
            return SlotQuestion.of(at, zone);
        } catch (IllegalArgumentException e) {
            throw QueryParameters.refusal("at", e.getMessage());
        }
    }

    /** The zone of the question, which is that of the task's schedule unless the request names one. */
    private static ZoneId zone(QueryParameters query, Task task) {
        String name = query.text("zone");
        try {
            return name == null ? ExplanationReader.zone(task) : ZoneNames.find("", name);
        } catch (ScheduleException e) {
            throw QueryParameters.refusal("zone", e.getMessage());
        }
    }
}
