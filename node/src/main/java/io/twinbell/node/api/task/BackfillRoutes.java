package io.twinbell.node.api.task;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.AppScope;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.json.FieldError;
import io.twinbell.node.json.Fields;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.task.BackfillSlots;
import io.twinbell.persistence.ledger.query.ExecutionRequests.Backfill;
import io.twinbell.persistence.task.Task;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.ToLongFunction;

/** Routes for backfill: they run slots of a past span that the task did not owe at that time. */
public final class BackfillRoutes {
    private static final Duration USUAL_PACE = Duration.ofSeconds(1);
    private static final Duration SLOWEST_PACE = Duration.ofHours(1);
    /** The maximum number of fire times that an answer lists. */
    private static final int SHOWN = 100;

    private final ApiStores stores;

    public BackfillRoutes(ApiStores stores) {
        this.stores = stores;
    }

    public List<Route> routes() {
        String byId = ApiPaths.TASKS + "/{id}/backfill";
        String byName = ApiPaths.NAMED_TASK + "/backfill";
        ToLongFunction<Context> named = context -> NamedTaskRoutes.id(stores.tasks(), NamedTaskRoutes.key(context));
        AccessRule ofTask = AccessRule.operate(AppScope.TASK_IN_PATH);
        AccessRule ofApp = AccessRule.operate(AppScope.APP_IN_PATH);
        return List.of(
                Route.post(byId, ofTask, context -> backfill(context, TaskRoutes.id(context))),
                Route.post(byName, ofApp, context -> backfill(context, named.applyAsLong(context))),
                Route.delete(byId, ofTask, context -> cancel(context, TaskRoutes.id(context))),
                Route.delete(byName, ofApp, context -> cancel(context, named.applyAsLong(context))));
    }

    private record Wish(long fromMillis, long untilMillis, Backfill backfill) {}

    private void backfill(Context context, long id) {
        Wish wish = read(RequestBody.object(context));
        Task task = stores.tasks().find(id).orElseThrow(() -> TaskRoutes.unknown(id));
        List<Long> slots = BackfillSlots.of(
                task, wish.fromMillis(), wish.untilMillis(), stores.calendars().fresh());
        List<Long> entered =
                stores.requests().backfill(id, slots, wish.backfill()).orElseThrow(() -> TaskRoutes.unknown(id));
        ObjectNode answer = JsonNodeFactory.instance.objectNode();
        answer.put("taskId", id);
        answer.put("dryRun", wish.backfill().dryRun());
        answer.put("slots", slots.size());
        answer.put("entered", entered.size());
        ArrayNode fireTimes = answer.putArray("fireTimes");
        entered.stream().limit(SHOWN).map(Instants::text).forEach(fireTimes::add);
        ResponseWriter.json(context, 200, answer);
    }

    private Wish read(ObjectNode body) {
        List<FieldError> errors = new ArrayList<>();
        Fields fields = Fields.of(body, "", errors);
        fields.required("from");
        fields.required("to");
        Long from = fields.instant("from");
        Long to = fields.instant("to");
        long now = stores.clock().nowMillis();
        long oldest = now - stores.successesKept().toMillis();
        if (from != null && from < oldest) {
            fields.error("from", "must not be before " + Instants.text(oldest) + ", which retention deletes");
        }
        if (to != null && to > now) {
            fields.error("to", "must not be later than now");
        } else if (from != null && to != null && to <= from) {
            fields.error("to", "must be later than from");
        }
        String reason = fields.line("reason", ReasonBody.MAX_LENGTH);
        Duration pace = fields.duration("pace", Duration.ZERO, SLOWEST_PACE);
        boolean dryRun = Boolean.TRUE.equals(fields.bool("dryRun"));
        fields.refuseUnknown();
        if (!errors.isEmpty()) {
            throw new InvalidJsonException(errors);
        }
        return new Wish(
                from,
                to,
                new Backfill(
                        reason == null ? "backfilled" : "backfilled: " + reason,
                        Objects.requireNonNullElse(pace, USUAL_PACE),
                        dryRun));
    }

    private void cancel(Context context, long id) {
        stores.tasks().find(id).orElseThrow(() -> TaskRoutes.unknown(id));
        int cancelled = stores.requests().cancelBackfill(id, "the backfill was cancelled");
        ResponseWriter.json(
                context,
                200,
                JsonNodeFactory.instance.objectNode().put("taskId", id).put("cancelled", cancelled));
    }
}
