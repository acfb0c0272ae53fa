package io.twinbell.node.api.task;

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
import io.twinbell.node.api.exchange.PauseBody;
import io.twinbell.node.api.exchange.Problem;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.exchange.TaskAccess;
import io.twinbell.node.api.slot.StoredTaskSlots;
import io.twinbell.node.api.slot.TaskSlots;
import io.twinbell.node.api.slot.TriggerBody;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExecutionQueries;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.CatchUp;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.node.task.TaskJson;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.actor.Actor;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskDecision;
import io.twinbell.persistence.task.TaskName;
import io.twinbell.persistence.task.TaskState;
import java.util.List;

/**
 * Routes that create, read, change, remove and trigger one task, and that backfill it: run slots of a past span that it
 * did not owe at that time.
 */
public final class TaskRoutes {
    /** The parameter with which a task is removed only if it is not FINISHED. */
    static final String UNFINISHED = "unfinished";

    private static final String TASK = ApiPaths.TASKS + "/{id}";
    private static final String BACKFILL = "/backfill";

    private final ApiStores stores;
    private final TaskSlots slots;

    public TaskRoutes(ApiStores stores, TaskSlots slots) {
        this.stores = stores;
        this.slots = slots;
    }

    public List<Route> routes() {
        return List.of(
                Route.post(ApiPaths.TASKS, AccessRule.edit(AppScope.IN_BODY), this::create),
                Route.get(TASK, AccessRule.read(AppScope.TASK_IN_PATH), this::get),
                Route.patch(TASK, AccessRule.edit(AppScope.TASK_IN_PATH), this::patch),
                Route.delete(
                        TASK,
                        AccessRule.edit(AppScope.TASK_IN_PATH),
                        this::delete,
                        "version",
                        UNFINISHED,
                        ReasonBody.PARAMETER),
                Route.post(TASK + "/pause", AccessRule.operate(AppScope.TASK_IN_PATH), this::pause),
                Route.post(TASK + "/resume", AccessRule.operate(AppScope.TASK_IN_PATH), this::resume),
                Route.post(TASK + "/trigger", AccessRule.operate(AppScope.TASK_IN_PATH), this::trigger),
                Route.post(TASK + "/ping", AccessRule.operate(AppScope.TASK_IN_PATH), this::ping),
                Route.post(TASK + BACKFILL, AccessRule.operate(AppScope.TASK_IN_PATH), this::backfill),
                Route.delete(
                        TASK + BACKFILL,
                        AccessRule.operate(AppScope.TASK_IN_PATH),
                        this::cancelBackfill,
                        ReasonBody.PARAMETER),
                Route.patch(ApiPaths.NAMED_TASK, AccessRule.edit(AppScope.APP_IN_PATH), this::patch),
                Route.post(ApiPaths.NAMED_TASK + "/pause", AccessRule.operate(AppScope.APP_IN_PATH), this::pause),
                Route.post(ApiPaths.NAMED_TASK + "/resume", AccessRule.operate(AppScope.APP_IN_PATH), this::resume),
                Route.post(ApiPaths.NAMED_TASK + "/trigger", AccessRule.operate(AppScope.APP_IN_PATH), this::trigger),
                Route.post(ApiPaths.NAMED_TASK + "/ping", AccessRule.operate(AppScope.APP_IN_PATH), this::ping),
                Route.post(ApiPaths.NAMED_TASK + BACKFILL, AccessRule.operate(AppScope.APP_IN_PATH), this::backfill),
                Route.delete(
                        ApiPaths.NAMED_TASK + BACKFILL,
                        AccessRule.operate(AppScope.APP_IN_PATH),
                        this::cancelBackfill,
                        ReasonBody.PARAMETER));
    }

    private void create(Context context) {
        ObjectNode body = RequestBody.object(context);
        new TaskAccess(Caller.of(context).principal()).check(body);
        NewTask task = newTask(body);
        stores.handlers().check(body);
        Task stored = stores.tasks()
                .insert(task)
                .orElseThrow(() -> new ProblemException(nameTaken(task.content().key())));
        ResponseWriter.created(context, location(stored.id()), answer(stored));
    }

    private void get(Context context) {
        long id = id(context);
        ResponseWriter.json(
                context, 200, TaskJson.answer(stores.tasks().find(id).orElseThrow(() -> unknown(id))));
    }

    private void patch(Context context) {
        ObjectNode patch = RequestBody.mergePatch(context);
        stores.handlers().check(patch);
        TaskDecision decision = new TaskAccess(Caller.of(context).principal())
                .checked(TaskChanges.patch(patch, stores.calendars().fresh()));
        change(context, patch.has("handler") ? stores.handlers().checked(decision) : decision);
    }

    private void pause(Context context) {
        PauseBody wish = PauseBody.of(RequestBody.objectIfAny(context), stores.clock());
        change(context, TaskChanges.pause(wish.reason(), wish.pause()));
    }

    private void resume(Context context) {
        ResumeBody wish = ResumeBody.of(RequestBody.objectIfAny(context), CatchUp.MAX_SLOTS);
        Actor.giveReason(wish.reason());
        change(context, TaskChanges.resume(stores.calendars().fresh(), wish.caughtUp()));
    }

    private void change(Context context, TaskDecision decision) {
        long id = idOf(context);
        Task changed = stores.tasks().change(id, decision).orElseThrow(() -> unknown(id));
        ResponseWriter.json(context, 200, answer(changed));
    }

    private ObjectNode answer(Task stored) {
        ObjectNode answer = TaskJson.answer(stored);
        stores.handlers().warn(answer, stored.content());
        return answer;
    }

    /** Returns the task's id, from the path or by its app and name. */
    private long idOf(Context context) {
        return context.pathParamMap().containsKey("id")
                ? id(context)
                : NamedTaskRoutes.id(stores.tasks(), NamedTaskRoutes.key(context));
    }

    private void delete(Context context) {
        long id = id(context);
        stores.tasks().change(id, removal(context, stores)).orElseThrow(() -> unknown(id));
        context.status(204);
    }

    /**
     * Returns the decision that removes the task; if the request names a version, only that version, and if it asks for
     * {@value #UNFINISHED}, only a task that is not FINISHED.
     */
    static TaskDecision removal(Context context, ApiStores stores) {
        QueryParameters query = QueryParameters.of(context);
        Long version = query.number("version");
        boolean isUnfinished = query.flag(UNFINISHED);
        Calendars calendars = stores.calendars().fresh();
        TaskDecision removal = version == null
                ? TaskChanges.remove(TaskChanges.REMOVED, calendars)
                : TaskChanges.removeVersion(version, calendars);
        return (current, nowMillis) -> {
            if (isUnfinished && current.progress().state() == TaskState.FINISHED) {
                throw new ProblemException(
                        ProblemType.CONFLICT,
                        "the task is FINISHED: its last run was claimed, or it has no further fire time");
            }
            return removal.decide(current, nowMillis);
        };
    }

    private void trigger(Context context) {
        long id = idOf(context);
        Principal principal = Caller.of(context).principal();
        ExecutionQueries.ManualRun run = TriggerBody.read(RequestBody.objectIfAny(context), principal);
        Task task = stores.tasks().find(id).orElseThrow(() -> unknown(id));
        new TaskAccess(principal).checkRun(task.content(), run);
        Execution execution = run(task, run);
        ResponseWriter.created(
                context, ApiPaths.EXECUTIONS + "/" + ExecutionJson.id(execution), ExecutionJson.whole(execution));
    }

    private Execution run(Task task, ExecutionQueries.ManualRun run) {
        try {
            return StoredTaskSlots.trigger(
                            stores.executions(), task, stores.calendars().fresh(), run)
                    .orElseThrow(() -> unknown(task.id()));
        } catch (InvalidJsonException e) {
            throw new ProblemException(ProblemType.CONFLICT, "the task's definition can't be read: " + e.getMessage());
        }
    }

    /** A ping is not an edit: the version of the task stays. The body is ignored. */
    private void ping(Context context) {
        long id = idOf(context);
        long at = stores.pings().ping(id).orElseThrow(() -> unknown(id));
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ResponseWriter.json(context, 200, answer.put("taskId", id).put("at", Instants.text(at)));
    }

    private void backfill(Context context) {
        long id = idOf(context);
        ObjectNode body = RequestBody.object(context);
        Task task = stores.tasks().find(id).orElseThrow(() -> unknown(id));
        ResponseWriter.json(context, 200, slots.backfill(task, body).orElseThrow(() -> unknown(id)));
    }

    private void cancelBackfill(Context context) {
        long id = idOf(context);
        stores.tasks().find(id).orElseThrow(() -> unknown(id));
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        ResponseWriter.json(context, 200, answer.put("taskId", id).put("cancelled", slots.cancelBackfill(id)));
    }

    private NewTask newTask(ObjectNode body) {
        Calendars calendars = body.hasNonNull("calendars")
                ? stores.calendars().fresh()
                : stores.calendars().none();
        return TaskReader.newTask(body, stores.clock().nowMillis(), calendars);
    }

    static String location(long id) {
        return ApiPaths.TASKS + "/" + id;
    }

    static Problem nameTaken(TaskName key) {
        String detail = "the app \"" + key.app() + "\" has a task named \"" + key.name() + "\" already";
        return Problem.inBody(ProblemType.NAME_TAKEN, List.of(new FieldError("/name", detail)));
    }

    /** Parses the id in the path. Text that is not a number names no task. */
    public static long id(Context context) {
        String text = context.pathParam("id");
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw unknown(text);
        }
    }

    public static ProblemException unknown(Object id) {
        return new ProblemException(ProblemType.NOT_FOUND, "there is no task " + id);
    }
}
