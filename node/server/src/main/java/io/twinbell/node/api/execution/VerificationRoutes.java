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
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.task.TaskRoutes;
import io.twinbell.node.execution.store.VerificationSource;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.OwedSlots;
import io.twinbell.persistence.task.Task;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Routes that supply the facts for checking the ledger independently: which slots were due, and which node was master
 * when.
 */
public final class VerificationRoutes {
    private static final int MAX_SLOTS = 10_000;
    private static final int MOST_TRIES = 5;
    private static final long HOUR = Duration.ofHours(1).toMillis();

    private final ApiStores stores;

    public VerificationRoutes(ApiStores stores) {
        this.stores = stores;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(
                        ApiPaths.TASKS + "/{id}/slots",
                        AccessRule.read(AppScope.TASK_IN_PATH),
                        this::slots,
                        "from",
                        "until",
                        "limit",
                        "after"),
                Route.get(ApiPaths.CLUSTER + "/epochs", AccessRule.read(AppScope.NONE), this::epochs, "since"),
                Route.get(
                        ApiPaths.CLUSTER + "/strays",
                        AccessRule.read(AppScope.FILTERED),
                        this::strays,
                        "from",
                        "until"));
    }

    private void slots(Context context) {
        long id = TaskRoutes.id(context);
        QueryParameters query = QueryParameters.of(context);
        Long from = query.instant("from");
        Long until = query.instant("until");
        Long after = query.instant("after");
        int limit = query.limit(MAX_SLOTS);
        Plan plan = plan(id);
        Map<String, Long> forgotten = stores.verification().forgottenMillis();
        ResponseWriter.json(
                context,
                200,
                slots(
                        from == null ? plan.task().createdAtMillis() : from,
                        until == null ? stores.clock().nowMillis() : until,
                        after,
                        limit,
                        plan,
                        forgotten));
    }

    private record Plan(Task task, VerificationSource.Planned planned) {}

    /** Reads task and plan in the same version: an older plan would compare the new definition with old slots. */
    private Plan plan(long id) {
        for (int tries = 1; ; tries++) {
            Task task = stores.tasks().find(id).orElseThrow(() -> TaskRoutes.unknown(id));
            VerificationSource.Planned planned =
                    stores.verification().planned(id).orElseThrow(() -> TaskRoutes.unknown(id));
            if (task.version() == planned.version()) {
                return new Plan(task, planned);
            }
            if (tries == MOST_TRIES) {
                throw new ProblemException(
                        ProblemType.CONFLICT,
                        "the task changed during every attempt to read it; send the request again");
            }
        }
    }

    private ObjectNode slots(
            long fromMillis, long untilMillis, Long after, int limit, Plan plan, Map<String, Long> forgotten) {
        OwedSlots owed = owed(
                plan.task(), plan.planned().fromMillis(), stores.calendars().fresh());
        RangeStart rangeStart =
                RangeStart.of(fromMillis, owed.knownFromMillis(), plan.planned().atMillis(), forgotten);
        long first = after == null ? rangeStart.fromMillis() : Math.max(rangeStart.fromMillis(), after + 1);
        List<Long> slots = owed.slots(first, untilMillis, limit + 1);
        boolean hasMore = slots.size() > limit;
        List<Long> page = hasMore ? slots.subList(0, limit) : slots;
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("from", Instants.text(Math.min(rangeStart.fromMillis(), untilMillis)));
        json.put("because", rangeStart.because());
        json.put("plannedAt", Instants.text(plan.planned().atMillis()));
        json.put("plannedFrom", Instants.text(owed.knownFromMillis()));
        json.put("until", Instants.text(untilMillis));
        json.put("owedUntil", Instants.text(owed.untilMillis(untilMillis)));
        json.put("followsTheRun", owed.followsTheRun());
        ArrayNode items = json.putArray("items");
        page.forEach(slot -> items.add(Instants.text(slot)));
        json.put("next", hasMore ? Instants.text(page.get(page.size() - 1)) : null);
        return json;
    }

    static OwedSlots owed(Task task, OptionalLong plannedFromMillis, Calendars calendars) {
        try {
            return new OwedSlots(task, plannedFromMillis, calendars);
        } catch (InvalidJsonException e) {
            throw new ProblemException(ProblemType.CONFLICT, "the task's definition can't be read: " + e.getMessage());
        }
    }

    /**
     * The earliest fire time from which slots can be computed and must be in the ledger.
     *
     * @param because why it is later than requested; null if it is not
     */
    private record RangeStart(long fromMillis, String because) {
        static RangeStart of(long askedMillis, long knownMillis, long plannedMillis, Map<String, Long> forgotten) {
            RangeStart rangeStart = new RangeStart(askedMillis, null)
                    .atLeast(knownMillis, "the task's timing was set at " + Instants.text(plannedMillis));
            for (Map.Entry<String, Long> let : forgotten.entrySet()) {
                rangeStart =
                        rangeStart.atLeast(let.getValue(), "retention has deleted older " + let.getKey() + " rows");
            }
            return rangeStart;
        }

        private RangeStart atLeast(long millis, String why) {
            return millis > fromMillis ? new RangeStart(millis, why) : this;
        }
    }

    private void strays(Context context) {
        QueryParameters query = QueryParameters.of(context);
        Principal principal = Caller.of(context).principal();
        long nowMillis = stores.clock().nowMillis();
        Long from = query.instant("from");
        Long until = query.instant("until");
        long untilMillis = until == null ? nowMillis : until;
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode items = json.putArray("items");
        for (VerificationSource.Stray stray :
                stores.verification().strays(from == null ? untilMillis - HOUR : from, untilMillis)) {
            if (!principal.sees(stray.app())) {
                continue;
            }
            items.addObject()
                    .put("taskId", stray.taskId())
                    .put("app", stray.app())
                    .put("name", stray.name())
                    .put("executions", stray.rows())
                    .put("firstFireTime", Instants.text(stray.firstMillis()));
        }
        ResponseWriter.json(context, 200, json);
    }

    private void epochs(Context context) {
        QueryParameters query = QueryParameters.of(context);
        Long since = query.instant("since");
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("now", Instants.text(stores.clock().nowMillis()));
        ArrayNode items = json.putArray("items");
        for (VerificationSource.Opening opening : stores.verification().openings(since == null ? 0 : since)) {
            items.addObject()
                    .put("epoch", opening.epoch())
                    .put("node", opening.node())
                    .put("openedAt", Instants.text(opening.atMillis()));
        }
        ResponseWriter.json(context, 200, json);
    }
}
