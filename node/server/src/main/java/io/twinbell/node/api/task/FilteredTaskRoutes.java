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
import io.twinbell.node.api.exchange.NamedObject;
import io.twinbell.node.api.exchange.PauseBody;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.exchange.TaskAccess;
import io.twinbell.node.api.slot.StoredTaskSlots;
import io.twinbell.node.api.slot.TriggerBody;
import io.twinbell.node.execution.store.ExecutionQueries.ManualRun;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskChanges;
import io.twinbell.node.task.TaskJson;
import io.twinbell.persistence.actor.Actor;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskDecision;
import io.twinbell.persistence.task.TaskFilter;
import io.twinbell.persistence.task.TaskState;
import io.twinbell.persistence.task.TaskStore;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Routes that list, change or run all tasks that match a filter. */
public final class FilteredTaskRoutes {
    /** A bulk change that takes longer is answered in parts. The bound is below the usual timeout of proxies. */
    static final Duration LONGEST_PART = Duration.ofSeconds(10);

    /** The maximum number of slots of each task: a transaction changes 500 tasks. */
    private static final int MAX_CAUGHT_UP = 10;

    private static final String[] CHANGED = {"app", "tag", "owner", "state", "handler", "q", "after"};
    private static final String CONFIRM = "confirm";

    private static final String[] CLEARED = {
        "app", "tag", "owner", "state", "handler", "q", "after", CONFIRM, NamedObject.DRY_RUN, ReasonBody.PARAMETER
    };
    private static final String LAST_OUTCOME = "lastOutcome";
    private static final String[] LISTED = {
        "app", "tag", "owner", "state", "handler", "q", LAST_OUTCOME, "limit", "after"
    };

    private static final int TRIGGERED_PAGE = 100;
    /** A page that no index makes quick looks at so many tasks, in the rest of a second. */
    private static final Duration LONGEST_SEARCH = Duration.ofMillis(300);

    private static final int EXAMINED = 250_000;

    private final ApiStores stores;
    private final Ticker ticker;

    public FilteredTaskRoutes(ApiStores stores, Ticker ticker) {
        this.stores = stores;
        this.ticker = ticker;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(ApiPaths.TASKS, AccessRule.read(AppScope.APP_IN_QUERY), this::list, LISTED),
                Route.delete(ApiPaths.TASKS, AccessRule.edit(AppScope.APP_IN_QUERY), this::clear, CLEARED),
                Route.post(ApiPaths.TASKS + "/pause", AccessRule.operate(AppScope.APP_IN_QUERY), this::pause, CHANGED),
                Route.post(
                        ApiPaths.TASKS + "/trigger", AccessRule.operate(AppScope.APP_IN_QUERY), this::trigger, CHANGED),
                Route.post(
                        ApiPaths.TASKS + "/resume", AccessRule.operate(AppScope.APP_IN_QUERY), this::resume, CHANGED));
    }

    private void list(Context context) {
        QueryParameters query = QueryParameters.of(context);
        int limit = query.limit();
        TaskStore.Found found = stores.tasks().search(filter(query), after(query), limit + 1, LONGEST_SEARCH, EXAMINED);
        List<Task> tasks = found.tasks();
        Map<Long, ExecutionState> outcomes = query.flag(LAST_OUTCOME)
                ? stores.executions().lastOutcomes(tasks.stream().map(Task::id).toList())
                : Map.of();
        ResponseWriter.page(
                context,
                tasks,
                limit,
                task -> {
                    ObjectNode json = TaskJson.answer(task);
                    ExecutionState outcome = outcomes.get(task.id());
                    return outcome == null ? json : json.put(LAST_OUTCOME, outcome.name());
                },
                task -> Long.toString(task.id()),
                found.lastId().map(String::valueOf).orElse(null));
    }

    /** Removes all tasks of the pair only if the request says so: a forgotten filter must not remove them. */
    private void clear(Context context) {
        QueryParameters query = QueryParameters.of(context);
        TaskFilter filter = filter(query);
        boolean isConfirmed = query.choice(CONFIRM, Confirmed.class) == Confirmed.ALL;
        if (isConfirmed && !filter.selectsAll()) {
            throw QueryParameters.refusal(CONFIRM, "is for the removal of all tasks, without a filter");
        }
        if (query.flag(NamedObject.DRY_RUN)) {
            long count = stores.tasks().count(filter, after(query));
            ResponseWriter.json(
                    context, 200, JsonNodeFactory.instance.objectNode().put("changed", count));
            return;
        }
        if (!isConfirmed) {
            requireFilter(query, " (to remove all tasks of the pair, add confirm=ALL)");
        }
        change(
                context,
                query,
                TaskChanges.remove(TaskChanges.REMOVED, stores.calendars().fresh()));
    }

    private enum Confirmed {
        ALL
    }

    private void pause(Context context) {
        PauseBody wish = PauseBody.of(RequestBody.objectIfAny(context), stores.clock());
        changeAll(context, TaskChanges.pauseActive(wish.reason(), wish.pause()));
    }

    private void resume(Context context) {
        ResumeBody wish = ResumeBody.of(RequestBody.objectIfAny(context), MAX_CAUGHT_UP);
        Actor.giveReason(wish.reason());
        changeAll(context, TaskChanges.resume(stores.calendars().fresh(), wish.caughtUp()));
    }

    private void changeAll(Context context, TaskDecision decision) {
        QueryParameters query = QueryParameters.of(context);
        requireFilter(query, " (to pause all firing, use POST " + ApiPaths.CLUSTER + "/pause)");
        change(context, query, decision);
    }

    private static void requireFilter(QueryParameters query, String advice) {
        if (filter(query).selectsAll()) {
            throw new ProblemException(
                    ProblemType.INVALID_REQUEST,
                    "at least one of app, tag, owner, state, handler and q is required" + advice);
        }
    }

    /** Each run is a transaction of its own, so a request that fails has started those before it. */
    private void trigger(Context context) {
        QueryParameters query = QueryParameters.of(context);
        requireFilter(query, "");
        Principal principal = Caller.of(context).principal();
        TaskAccess access = new TaskAccess(principal);
        ManualRun run = TriggerBody.read(RequestBody.objectIfAny(context), principal);
        long began = ticker.nanos();
        long triggered = 0;
        long unreadable = 0;
        long lastId = after(query);
        List<Task> page = stores.tasks().list(filter(query), lastId, TRIGGERED_PAGE);
        while (!page.isEmpty() && ticker.nanos() - began < LONGEST_PART.toNanos()) {
            Calendars calendars = stores.calendars().fresh();
            for (Task task : page) {
                access.checkRun(task.content(), run);
                try {
                    triggered += StoredTaskSlots.trigger(stores.executions(), task, calendars, run)
                                    .isPresent()
                            ? 1
                            : 0;
                } catch (InvalidJsonException e) {
                    unreadable++;
                }
                lastId = task.id();
            }
            page = stores.tasks().list(filter(query), lastId, TRIGGERED_PAGE);
        }
        ObjectNode answer = JsonNodeFactory.instance
                .objectNode()
                .put("triggered", triggered)
                .put("unreadable", unreadable);
        if (!page.isEmpty()) {
            answer.put("next", Long.toString(lastId));
        }
        ResponseWriter.json(context, 200, answer);
    }

    private void change(Context context, QueryParameters query, TaskDecision decision) {
        long began = ticker.nanos();
        TaskStore.Changed changed = stores.tasks()
                .changeAll(
                        filter(query), after(query), () -> ticker.nanos() - began < LONGEST_PART.toNanos(), decision);
        ObjectNode answer = JsonNodeFactory.instance.objectNode().put("changed", changed.tasks());
        changed.lastId().ifPresent(last -> answer.put("next", Long.toString(last)));
        ResponseWriter.json(context, 200, answer);
    }

    private static TaskFilter filter(QueryParameters query) {
        return new TaskFilter(
                query.text("app"),
                query.text("tag"),
                query.text("owner"),
                query.choice("state", TaskState.class),
                query.text("handler"),
                query.text("q"));
    }

    private static long after(QueryParameters query) {
        String cursor = query.text("after");
        try {
            return cursor == null ? 0 : Long.parseLong(cursor);
        } catch (NumberFormatException e) {
            throw QueryParameters.refusal("after", "is not a cursor: use \"next\" of the previous page");
        }
    }
}
