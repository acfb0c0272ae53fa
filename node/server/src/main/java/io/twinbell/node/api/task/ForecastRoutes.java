package io.twinbell.node.api.task;

import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.ProblemException;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.forecast.ChainPlanner;
import io.twinbell.node.forecast.Forecast;
import io.twinbell.node.forecast.SlotPlanner;
import io.twinbell.node.limit.store.LimitStore;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskFilter;
import io.twinbell.persistence.task.TaskName;
import io.twinbell.persistence.task.TaskState;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/** Forecasts a span: load, limits that bind, skips, tasks that end and clock changes. */
public final class ForecastRoutes {
    /** The longest time that a forecast takes. Its answer says whether it is complete. */
    private static final Duration AT_MOST = Duration.ofSeconds(10);

    /** Each waits on a thread of the API. */
    private static final int MOST_WAITING = 4;

    /** Run times are those of the last day. */
    private static final long MEASURED_MILLIS = Duration.ofDays(1).toMillis();

    private static final long FURTHEST_MILLIS = Duration.ofDays(366).toMillis();
    private static final int MAX_MEASURED = 200_000;
    private static final int PAGE = 1000;
    /**
     * Slots that are overdue by more than this are only recorded. They are rare, so the forecast does not read the
     * configured retention.
     */
    private static final Duration RETENTION = Duration.ofDays(30);

    private final ApiStores stores;
    private final Ticker ticker;
    /** One at a time: a forecast of a month needs some tens of megabytes. The next ones wait in turn. */
    private final Semaphore turn = new Semaphore(1, true);

    /** Clients with a forecast that is being made or waits. */
    private final Set<String> clients = ConcurrentHashMap.newKeySet();

    public ForecastRoutes(ApiStores stores, Ticker ticker) {
        this.stores = stores;
        this.ticker = ticker;
    }

    public List<Route> routes() {
        return List.of(Route.get(
                "/api/v1/forecast", AccessRule.read(AppScope.APP_IN_QUERY), this::show, "app", "from", "days"));
    }

    private void show(Context context) {
        QueryParameters query = QueryParameters.of(context);
        long now = stores.clock().nowMillis();
        Long from = query.instant("from");
        Long days = query.number("days");
        if (days != null && (days < 1 || days > Forecast.LONGEST.toDays())) {
            throw QueryParameters.refusal("days", "must be 1 to " + Forecast.LONGEST.toDays());
        }
        if (from != null && (from < now || from > now + FURTHEST_MILLIS)) {
            throw QueryParameters.refusal("from", "must not have passed, and be within 366 days");
        }
        long begin = from == null ? now : from;
        long until = begin + Duration.ofDays(days == null ? 1 : days).toMillis();
        // All clients without credentials count as one, so that a few of them do not take every turn.
        Caller caller = Caller.of(context);
        inTurn(
                caller.isAnonymous() ? "" : caller.client(),
                () -> ResponseWriter.json(
                        context,
                        200,
                        forecast(query.text("app"), now, begin, until).json()));
    }

    private void inTurn(String client, Runnable work) {
        if (turn.getQueueLength() >= MOST_WAITING || !clients.add(client)) {
            throw busy();
        }
        try {
            if (!turn.tryAcquire(AT_MOST.plus(AT_MOST).toNanos(), TimeUnit.NANOSECONDS)) {
                throw busy();
            }
            try {
                work.run();
            } finally {
                turn.release();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw busy();
        } finally {
            clients.remove(client);
        }
    }

    private static ProblemException busy() {
        return new ProblemException(
                ProblemType.OVERLOADED, "another forecast is being made: try again in some seconds");
    }

    private Forecast forecast(String app, long now, long from, long until) {
        long deadline = ticker.nanos() + AT_MOST.toNanos();
        BooleanSupplier goesOn = () -> ticker.nanos() - deadline < 0;
        Map<Long, Long> runMillis = stores.executions().meanRunMillis(now - MEASURED_MILLIS, MAX_MEASURED);
        Forecast forecast = new Forecast(
                from,
                until,
                new SlotPlanner(now, until, stores.pauses().open(), RETENTION, goesOn),
                new ChainPlanner(name -> follower(app, name), runMillis, until, goesOn),
                runMillis,
                stores.limits().list("", Forecast.MAX_LIMITS).stream()
                        .map(LimitStore.Use::limit)
                        .toList());
        Calendars calendars = stores.calendars().fresh();
        TaskFilter active = new TaskFilter(app, null, null, TaskState.ACTIVE, null, null);
        long last = 0;
        List<Task> page = stores.tasks().list(active, last, PAGE);
        while (!page.isEmpty()) {
            for (Task task : page) {
                if (!forecast.add(task, calendars)) {
                    return forecast;
                }
                last = task.id();
            }
            if (!goesOn.getAsBoolean()) {
                forecast.incomplete();
                return forecast;
            }
            page = stores.tasks().list(active, last, PAGE);
        }
        return forecast;
    }

    /** A forecast of one app says nothing about the tasks of others. */
    private Optional<Task> follower(String app, TaskName name) {
        if (app != null && !app.equals(name.app())) {
            return Optional.empty();
        }
        return Optional.ofNullable(stores.tasks().ids(List.of(name)).get(name)).flatMap(stores.tasks()::find);
    }
}
