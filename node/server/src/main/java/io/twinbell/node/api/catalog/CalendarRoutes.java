package io.twinbell.node.api.catalog;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.ApiPaths;
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
import io.twinbell.node.calendar.CalendarReader;
import io.twinbell.node.calendar.HolidayFile;
import io.twinbell.node.calendar.store.CalendarStore;
import io.twinbell.node.calendar.store.CalendarStore.PutResult;
import io.twinbell.node.calendar.store.StoredCalendar;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.json.Instants;
import io.twinbell.node.schedule.BusinessCalendar;
import io.twinbell.node.schedule.BusinessCalendar.Mode;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** Routes for the calendars that tasks may respect. */
public final class CalendarRoutes {

    private static final NamedObject KIND = new NamedObject("a calendar");
    private static final List<String> READ_ONLY = List.of("source", "createdAt", "updatedAt");

    private static final long DEFAULT_SPAN = Duration.ofDays(31).toMillis();
    private static final long MAX_SPAN = Duration.ofDays(400).toMillis();
    private static final int MAX_SPANS = 1000;

    private final ApiStores stores;

    public CalendarRoutes(ApiStores stores) {
        this.stores = stores;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(ApiPaths.CALENDARS, AccessRule.read(AppScope.NONE), this::list, "limit", "after"),
                Route.put(
                        ApiPaths.CALENDARS + "/{name}",
                        AccessRule.edit(AppScope.PAIR),
                        this::put,
                        NamedObject.DRY_RUN,
                        "zone",
                        "mode",
                        "version"),
                Route.get(ApiPaths.CALENDARS + "/{name}", AccessRule.read(AppScope.NONE), this::get),
                Route.get(
                        ApiPaths.CALENDARS + "/{name}/excluded",
                        AccessRule.read(AppScope.FILTERED),
                        this::showExcluded,
                        "from",
                        "until"),
                Route.delete(
                        ApiPaths.CALENDARS + "/{name}",
                        AccessRule.edit(AppScope.PAIR),
                        this::delete,
                        ReasonBody.PARAMETER));
    }

    private void list(Context context) {
        QueryParameters query = QueryParameters.of(context);
        int limit = query.limit();
        List<StoredCalendar> found =
                stores.calendars().list(Objects.requireNonNullElse(query.text("after"), ""), limit + 1);
        ResponseWriter.page(context, found, limit, CalendarRoutes::answer, StoredCalendar::name);
    }

    private void get(Context context) {
        String name = context.pathParam("name");
        StoredCalendar found = stores.calendars().find(name).orElseThrow(() -> KIND.unknown(name));
        ObjectNode json = answer(found);
        json.put("source", found.source());
        ResponseWriter.json(context, 200, json);
    }

    private void showExcluded(Context context) {
        String name = context.pathParam("name");
        QueryParameters query = QueryParameters.of(context);
        Long from = query.instant("from");
        long first = from == null ? stores.clock().nowMillis() : from;
        Long until = query.instant("until");
        long end = until == null ? first + DEFAULT_SPAN : until;
        if (end <= first || end - first > MAX_SPAN) {
            throw QueryParameters.refusal("until", "must be later than from, by 400 days at most");
        }
        BusinessCalendar calendar = compiled(name);
        List<BusinessCalendar.Span> spans = calendar.excluded(first, end, MAX_SPANS);
        boolean isCut = spans.size() == MAX_SPANS;
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("from", Instants.text(first));
        json.put("until", Instants.text(end));
        json.put("completeUntil", Instants.text(isCut ? spans.get(MAX_SPANS - 1).untilMillis() : end));
        ArrayNode excluded = json.putArray("excluded");
        spans.forEach(span -> excluded.addObject()
                .put("from", Instants.text(span.fromMillis()))
                .put("until", Instants.text(span.untilMillis())));
        Set<String> apps = Caller.of(context).principal().apps();
        CalendarStore.Users users = stores.calendars().users(name, apps);
        ArrayNode some = json.putObject("usedBy").put("count", users.count()).putArray("some");
        users.some().forEach(user -> show(user, some.addObject()));
        ResponseWriter.json(context, 200, json);
    }

    private static void show(CalendarStore.User user, ObjectNode json) {
        if (user.isAlert()) {
            json.put("alert", user.name());
        } else {
            json.put("taskId", user.taskId()).put("app", user.app()).put("name", user.name());
        }
    }

    private BusinessCalendar compiled(String name) {
        BusinessCalendar calendar;
        try {
            calendar = stores.calendars().fresh().find(name);
        } catch (ScheduleException e) {
            throw new ProblemException(ProblemType.CONFLICT, e.getMessage());
        }
        if (calendar == null) {
            throw KIND.unknown(name);
        }
        return calendar;
    }

    private void put(Context context) {
        String name = KIND.name(context);
        if (RequestBody.isCalendarFile(context)) {
            putFile(context, name);
            return;
        }
        boolean dryRun =
                QueryParameters.of(context, Set.of(NamedObject.DRY_RUN)).flag(NamedObject.DRY_RUN);
        ObjectNode body = RequestBody.calendar(context);
        Long version = NamedObject.version(body, "name", name, NamedObject.MAX_NAME, READ_ONLY);
        String content = CalendarReader.normalized(body);
        if (dryRun) {
            ResponseWriter.json(context, 200, NamedObject.preview(name, content));
            return;
        }
        stored(context, stores.calendars().put(name, content, null, version));
    }

    private void putFile(Context context, String name) {
        QueryParameters query = QueryParameters.of(context, Set.of("zone", "mode", "version"));
        byte[] file = RequestBody.calendarFile(context);
        ObjectNode calendar = read(file, query.text("zone"));
        Mode mode = query.choice("mode", Mode.class);
        if (mode != null) {
            calendar.put("mode", mode.name());
        }
        String source = HolidayFile.text(file);
        stored(
                context,
                stores.calendars().put(name, CalendarReader.normalized(calendar), source, query.number("version")));
    }

    private static ObjectNode read(byte[] file, String zone) {
        try {
            return HolidayFile.read(file, zone);
        } catch (ScheduleException e) {
            throw QueryParameters.refusal("zone", e.getMessage());
        }
    }

    private static void stored(Context context, PutResult put) {
        switch (put.outcome()) {
            case CREATED ->
                ResponseWriter.created(
                        context,
                        NamedObject.path(ApiPaths.CALENDARS, put.calendar().name()),
                        answer(put.calendar()));
            case REPLACED, UNCHANGED -> ResponseWriter.json(context, 200, answer(put.calendar()));
            case CONFLICT ->
                throw KIND.conflict(
                        put.calendar() == null ? null : put.calendar().version());
            default ->
                throw new ProblemException(
                        ProblemType.CONFLICT,
                        "there are already " + CalendarStore.MAX_CALENDARS + " calendars; remove one first");
        }
    }

    private void delete(Context context) {
        String name = context.pathParam("name");
        CalendarStore.Removal removal = stores.calendars().remove(name);
        if (!removal.existed()) {
            throw KIND.unknown(name);
        }
        CalendarStore.Users users = removal.users();
        if (users.count() > 0) {
            long more = users.count() - users.some().size();
            throw new ProblemException(
                    ProblemType.CONFLICT,
                    "the calendar is respected by " + users.count() + ": "
                            + users.some().stream()
                                    .map(CalendarStore.User::text)
                                    .collect(Collectors.joining(", "))
                            + (more == 0 ? "" : " and " + more + " more"));
        }
        context.status(204);
    }

    private static ObjectNode answer(StoredCalendar calendar) {
        return NamedObject.stored(
                calendar.name(),
                calendar.version(),
                calendar.content(),
                calendar.createdAtMillis(),
                calendar.updatedAtMillis());
    }
}
