package io.twinbell.node.api.catalog;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.access.Principal;
import io.twinbell.node.alert.AlertDefinition;
import io.twinbell.node.alert.AlertMessage;
import io.twinbell.node.alert.AlertReader;
import io.twinbell.node.alert.store.AlertDelivery;
import io.twinbell.node.alert.store.AlertDelivery.DeliveryState;
import io.twinbell.node.alert.store.AlertStore;
import io.twinbell.node.alert.store.AlertStore.PutResult;
import io.twinbell.node.alert.store.AlertStore.StoredAlert;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.NamedObject;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ReasonBody;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.exchange.TaskAccess;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import java.util.List;
import java.util.Objects;
import java.util.function.Predicate;

/** Routes for alert definitions, silences and the state of alert deliveries. */
public final class AlertRoutes {
    static final String ALERTS = "/api/v1/alerts";

    private static final List<String> READ_ONLY = List.of("createdAt", "updatedAt");

    private final ApiStores stores;

    public AlertRoutes(ApiStores stores) {
        this.stores = stores;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(ALERTS, AccessRule.read(AppScope.FILTERED), this::list, "limit", "after"),
                Route.put(ALERTS + "/{name}", AccessRule.edit(AppScope.ALERT_IN_PATH), this::put, NamedObject.DRY_RUN),
                Route.get(ALERTS + "/{name}", AccessRule.read(AppScope.ALERT_IN_PATH), this::get),
                Route.delete(
                        ALERTS + "/{name}",
                        AccessRule.edit(AppScope.ALERT_IN_PATH),
                        this::delete,
                        ReasonBody.PARAMETER),
                Route.post(ALERTS + "/{name}/test", AccessRule.edit(AppScope.ALERT_IN_PATH), this::test),
                Route.get(
                        ALERTS + "/{name}/deliveries",
                        AccessRule.read(AppScope.ALERT_IN_PATH),
                        this::deliveries,
                        "state",
                        "limit",
                        "after"));
    }

    private void list(Context context) {
        QueryParameters query = QueryParameters.of(context);
        int limit = query.limit();
        String after = Objects.requireNonNullElse(query.text("after"), "");
        Principal principal = Caller.of(context).principal();
        List<StoredAlert> found = principal.isBound()
                ? stores.alerts().list("", AlertStore.MAX_ALERTS).stream()
                        .filter(alert -> alert.name().compareTo(after) > 0)
                        .filter(alert -> TaskAccess.alertsOf(principal).test(alert.content()))
                        .limit(limit + 1L)
                        .toList()
                : stores.alerts().list(after, limit + 1);
        ResponseWriter.page(context, found, limit, AlertRoutes::answer, StoredAlert::name);
    }

    private void get(Context context) {
        String name = context.pathParam("name");
        ResponseWriter.json(
                context,
                200,
                stores.alerts()
                        .find(name)
                        .filter(alert -> own(context).test(alert.content()))
                        .map(AlertRoutes::answer)
                        .orElseThrow(() -> NamedObject.ALERT.unknown(name)));
    }

    /** Tells by the content of an alert whether the caller may see and change it. */
    private static Predicate<String> own(Context context) {
        return TaskAccess.alertsOf(Caller.of(context).principal());
    }

    private void put(Context context) {
        boolean dryRun = QueryParameters.of(context).flag(NamedObject.DRY_RUN);
        String name = NamedObject.ALERT.name(context);
        ObjectNode body = RequestBody.object(context);
        Long version = NamedObject.version(body, "name", name, NamedObject.MAX_NAME, READ_ONLY);
        AlertReader.ReadAlert read = AlertReader.read(body, stores.calendars().fresh());
        Principal principal = Caller.of(context).principal();
        new TaskAccess(principal).checkAlert(body);
        stores.handlers().checkAlert(body);
        refuseBeyondRetention(read.definition());
        if (dryRun) {
            ResponseWriter.json(context, 200, NamedObject.preview(name, read.content()));
            return;
        }
        PutResult put =
                stores.alerts().put(name, read.content(), read.selection(), version, TaskAccess.alertsOf(principal));
        switch (put.outcome()) {
            case CREATED -> ResponseWriter.created(context, NamedObject.path(ALERTS, name), answer(put.alert()));
            case REPLACED, UNCHANGED -> ResponseWriter.json(context, 200, answer(put.alert()));
            case CONFLICT ->
                throw NamedObject.ALERT.conflict(
                        put.alert() == null ? null : put.alert().version());
            case NOT_PERMITTED -> throw TaskAccess.otherAlert(principal, name);
            case NO_CALENDAR ->
                throw new InvalidJsonException(
                        "/silence/calendars", "one of these calendars was removed during the request");
            case FULL_OF_APP ->
                throw new ProblemException(
                        ProblemType.CONFLICT,
                        "app \"" + read.selection().tasks().app() + "\" already has " + AlertStore.MAX_OF_APP
                                + " alerts; remove one first");
            default ->
                throw new ProblemException(
                        ProblemType.CONFLICT,
                        "there are already " + AlertStore.MAX_ALERTS + " alerts; remove one first");
        }
    }

    /**
     * Refuses an expectation that is longer than the retention: once a success is deleted, it looks as if there never
     * was one.
     */
    private void refuseBeyondRetention(AlertDefinition definition) {
        definition
                .noSuccessFor()
                .filter(time -> time.compareTo(stores.successesKept()) > 0)
                .ifPresent(time -> {
                    throw new InvalidJsonException(
                            "/watch/noSuccessFor",
                            "is longer than retention.succeeded (" + stores.successesKept()
                                    + "): the ledger would no longer have the success");
                });
    }

    private void delete(Context context) {
        String name = context.pathParam("name");
        if (!stores.alerts().remove(name, own(context))) {
            throw NamedObject.ALERT.unknown(name);
        }
        context.status(204);
    }

    private void test(Context context) {
        String name = context.pathParam("name");
        AlertStore.TestResult test =
                stores.alerts().test(name, AlertMessage.test(stores.clock().nowMillis()), own(context));
        if (!test.isFound()) {
            throw NamedObject.ALERT.unknown(name);
        }
        if (test.delivery() == null) {
            throw new ProblemException(
                    ProblemType.CONFLICT, AlertStore.MAX_TESTS + " tests of this alert are already waiting");
        }
        ResponseWriter.json(context, 202, answer(test.delivery()));
    }

    private void deliveries(Context context) {
        QueryParameters query = QueryParameters.of(context);
        int limit = query.limit();
        Long after = query.number("after");
        String name = context.pathParam("name");
        List<AlertDelivery> found = stores.alerts()
                .deliveries(
                        name,
                        List.copyOf(query.choices("state", DeliveryState.class)),
                        after == null ? Long.MAX_VALUE : after,
                        limit + 1,
                        own(context))
                .orElseThrow(() -> NamedObject.ALERT.unknown(name));
        ResponseWriter.page(context, found, limit, AlertRoutes::answer, delivery -> Long.toString(delivery.id()));
    }

    private static ObjectNode answer(AlertDelivery delivery) {
        AlertDelivery.DeliveryProgress progress = delivery.progress();
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("id", delivery.id());
        json.put("state", delivery.state().name());
        json.put("attempt", progress.attempt());
        json.put("node", progress.node());
        json.put("epoch", progress.epoch());
        json.put("createdAt", instant(progress.createdMillis()));
        json.put("dueAt", instant(progress.dueMillis()));
        json.put("startedAt", instant(progress.startedMillis()));
        json.put("endedAt", instant(progress.endedMillis()));
        json.put("output", progress.output());
        json.put("error", progress.error());
        json.set("alert", AlertMessage.of(delivery));
        return json;
    }

    private static String instant(Long millis) {
        return millis == null ? null : Instants.text(millis);
    }

    private static ObjectNode answer(StoredAlert alert) {
        return NamedObject.stored(
                alert.name(), alert.version(), alert.content(), alert.createdAtMillis(), alert.updatedAtMillis());
    }
}
