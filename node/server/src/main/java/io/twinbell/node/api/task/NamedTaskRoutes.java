package io.twinbell.node.api.task;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.exchange.TaskAccess;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.node.task.TaskJson;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskDecision;
import io.twinbell.persistence.task.TaskName;
import io.twinbell.persistence.task.TaskStore;
import java.util.List;

/** Routes for a task by its app and name, so that an application need not remember the task's id. */
public final class NamedTaskRoutes {

    private final ApiStores stores;

    public NamedTaskRoutes(ApiStores stores) {
        this.stores = stores;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(ApiPaths.NAMED_TASK, AccessRule.read(AppScope.APP_IN_PATH), this::get),
                Route.put(
                        ApiPaths.NAMED_TASK,
                        AccessRule.edit(AppScope.APP_IN_PATH),
                        this::put,
                        NameConflictPolicy.PARAMETER),
                Route.delete(
                        ApiPaths.NAMED_TASK,
                        AccessRule.edit(AppScope.APP_IN_PATH),
                        this::delete,
                        "version",
                        TaskRoutes.UNFINISHED,
                        ReasonBody.PARAMETER));
    }

    private void get(Context context) {
        TaskName key = key(context);
        Task task = stores.tasks().find(id(stores.tasks(), key)).orElseThrow(() -> unknown(key));
        ResponseWriter.json(context, 200, TaskJson.answer(task));
    }

    private void delete(Context context) {
        TaskName key = key(context);
        stores.tasks()
                .change(id(stores.tasks(), key), TaskRoutes.removal(context, stores))
                .orElseThrow(() -> unknown(key));
        context.status(204);
    }

    private void put(Context context) {
        NameConflictPolicy ifExists = NameConflictPolicy.of(QueryParameters.of(context), NameConflictPolicy.REPLACE);
        ObjectNode body = RequestBody.object(context);
        TaskName key = key(context);
        named(body, "app", key.app());
        named(body, "name", key.name());
        TaskAccess access = new TaskAccess(Caller.of(context).principal());
        access.check(body);
        stores.handlers().check(body);
        Calendars calendars = stores.calendars().fresh();
        TaskStore.Stored stored = stores.tasks()
                .upsert(
                        key.app(),
                        key.name(),
                        () -> absent(body, calendars),
                        access.checked(present(ifExists, body, key, calendars)));
        ObjectNode answer = TaskJson.answer(stored.task());
        stores.handlers().warn(answer, stored.task().content());
        if (stored.created()) {
            ResponseWriter.created(context, TaskRoutes.location(stored.task().id()), answer);
        } else {
            ResponseWriter.json(context, 200, answer);
        }
    }

    private static TaskDecision present(
            NameConflictPolicy ifExists, ObjectNode body, TaskName key, Calendars calendars) {
        return switch (ifExists) {
            case REPLACE -> TaskChanges.put(body, calendars);
            case KEEP -> TaskChanges.create(body, calendars, (current, nowMillis) -> new TaskChange.Keep());
            case REFUSE ->
                TaskChanges.create(body, calendars, (current, nowMillis) -> {
                    throw new ProblemException(TaskRoutes.nameTaken(key));
                });
        };
    }

    private NewTask absent(ObjectNode body, Calendars calendars) {
        if (body.hasNonNull("version")) {
            throw new ProblemException(
                    ProblemType.VERSION_CONFLICT, "no task of that name exists; omit \"version\" to create it");
        }
        return TaskReader.newTask(body, stores.clock().nowMillis(), calendars);
    }

    /** The member comes from the path; the body may repeat it, but only with the same value. */
    private static void named(ObjectNode body, String member, String inPath) {
        if (body.hasNonNull(member) && !inPath.equals(body.get(member).textValue())) {
            throw new InvalidJsonException(
                    "/" + member, "must equal the " + member + " in the path, \"" + inPath + "\"");
        }
        body.put(member, inPath);
    }

    public static TaskName key(Context context) {
        return new TaskName(context.pathParam("app"), context.pathParam("name"));
    }

    public static long id(TaskStore tasks, TaskName key) {
        Long id = tasks.ids(List.of(key)).get(key);
        if (id == null) {
            throw unknown(key);
        }
        return id;
    }

    private static ProblemException unknown(TaskName key) {
        return new ProblemException(
                ProblemType.NOT_FOUND, "the app \"" + key.app() + "\" has no task named \"" + key.name() + "\"");
    }
}
