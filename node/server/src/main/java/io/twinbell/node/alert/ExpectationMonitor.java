package io.twinbell.node.alert;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.alert.store.AlertOutbox.Condition;
import io.twinbell.node.alert.store.AlertOutbox.ConditionTask;
import io.twinbell.node.alert.store.ExpectationQueries;
import io.twinbell.node.alert.store.ExpectationQueries.ExpectedTask;
import io.twinbell.node.alert.store.ExpectationQueries.OverdueExecution;
import io.twinbell.node.alert.store.ExpectationQueries.OverdueTask;
import io.twinbell.node.execution.PeriodicQuery;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.loop.ScanPace;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks on the master, every five seconds, whether tasks meet the expectations of the alerts. The result is kept until
 * the next check. It runs on the housekeeping thread, so alerts never wait for its queries.
 */
public final class ExpectationMonitor {
    private static final Logger LOG = LoggerFactory.getLogger(ExpectationMonitor.class);
    /** Largest number of findings of one kind for an alert. */
    static final int MAX_FINDINGS = 1000;

    private static final Duration CHECK_INTERVAL = Duration.ofSeconds(5);
    /** How far a new master looks back for late starts: a lost predecessor made its last check within this time. */
    private static final Duration SUCCESSOR_LOOKS_BACK = Duration.ofMinutes(1);

    private final ExpectationQueries queries;
    private final Duration successesKept;
    private final PeriodicQuery periodicQuery;
    private final ScanPace pace;
    private final Loop loop;
    private volatile Map<String, Watched> watched = Map.of();
    private volatile Map<String, Unmet> latest = Map.of();

    /**
     * An alert that watches tasks.
     *
     * @param sinceMillis fire times before this are not judged for late starts
     */
    record Watched(long version, TaskExpectations watch, long sinceMillis) {}

    /**
     * The expectations of an alert that the latest checks found unmet.
     *
     * @param atMillis when the check began, by the database's clock
     * @param conditions the ongoing conditions, by key
     * @param known the event types whose query was complete: a condition of these types that is absent has ended
     * @param lateStarts the late starts that were found and not raised yet, in the order in which they were found
     */
    record Unmet(
            long version,
            long atMillis,
            Map<String, Condition> conditions,
            Set<AlertEventType> known,
            List<Condition> lateStarts) {
        static final Unmet NONE = new Unmet(0, 0, Map.of(), Set.of(), List.of());
    }

    /** @param successesKept how long the ledger keeps executions that have SUCCEEDED */
    public ExpectationMonitor(ExpectationQueries queries, Duration successesKept, Ticker ticker, Loop loop) {
        this.queries = queries;
        this.successesKept = successesKept;
        periodicQuery = new PeriodicQuery(CHECK_INTERVAL, ticker, loop);
        pace = new ScanPace(ticker);
        this.loop = loop;
    }

    /** The time from which on late starts are judged for an alert, under an epoch of this node. */
    static long since(long updatedAtMillis, long epochOpenedAtMillis) {
        return Math.max(updatedAtMillis, epochOpenedAtMillis - SUCCESSOR_LOOKS_BACK.toMillis());
    }

    /** Sets what is watched, by alert. */
    synchronized void watch(Map<String, Watched> wanted) {
        wanted.forEach((alert, one) -> {
            if (!one.equals(watched.get(alert))) {
                warnOfRetention(alert, one.watch());
            }
        });
        watched = Map.copyOf(wanted);
        Map<String, Unmet> kept = new HashMap<>(latest);
        kept.keySet().retainAll(watched.keySet());
        latest = kept;
    }

    /** The API refuses such an alert, but the retention may have been shortened since. */
    private void warnOfRetention(String alert, TaskExpectations watch) {
        if (watch.noSuccessFor() != null && watch.noSuccessFor().compareTo(successesKept) > 0) {
            LOG.error(
                    "the alert {} can't report NO_SUCCESS: noSuccessFor is {}, but retention.succeeded keeps successful"
                            + " executions only for {}; shorten the one or raise the other",
                    alert,
                    watch.noSuccessFor(),
                    successesKept);
        }
    }

    /** What was found for this version of an alert. Each late start is in it until it was {@link #raised}. */
    synchronized Unmet found(String alert, long version) {
        Unmet found = latest.getOrDefault(alert, Unmet.NONE);
        return found.version() == version ? found : Unmet.NONE;
    }

    /** Forgets the first late start of this version of an alert, because its event is committed. */
    synchronized void raised(String alert, long version) {
        Unmet found = found(alert, version);
        List<Condition> rest = found.lateStarts();
        if (!rest.isEmpty()) {
            rest = rest.subList(1, rest.size());
            put(alert, new Unmet(version, found.atMillis(), found.conditions(), found.known(), List.copyOf(rest)));
        }
    }

    private synchronized void put(String alert, Unmet unmet) {
        Map<String, Unmet> changed = new HashMap<>(latest);
        changed.put(alert, unmet);
        changed.keySet().retainAll(watched.keySet());
        latest = changed;
    }

    /** Makes a check if one is due; returns how long until the next, in nanoseconds. */
    public long step() {
        return periodicQuery.step(() -> {
            Map<String, Watched> wanted = watched;
            if (!wanted.isEmpty() && pace.isDue()) {
                pace.run(() -> {
                    wanted.forEach(this::lookOrLog);
                    return null;
                });
            }
        });
    }

    /** A slow or failing check for one alert must not prevent the checks for the others. */
    private void lookOrLog(String alert, Watched wanted) {
        try {
            check(alert, wanted);
        } catch (DatabaseUnavailableException e) {
            if (e.isOutage()) {
                throw e;
            }
            loop.failed(e);
            LOG.error("could not check what the alert {} expects of its tasks: {}", alert, e.getMessage());
        }
    }

    private void check(String alert, Watched wanted) {
        long now = queries.nowMillis();
        AlertCheck check = new AlertCheck(wanted.watch(), now);
        check.withoutSuccess();
        check.withoutSuccessBy();
        check.running();
        Unmet before = latest.getOrDefault(alert, Unmet.NONE);
        boolean isKnown = before.version() == wanted.version();
        check.late(isKnown ? before.atMillis() : Math.min(now, wanted.sinceMillis()));
        check.withoutPing();
        finish(alert, wanted, now, check);
    }

    /** Appends to the late starts that have not been raised yet. */
    private synchronized void finish(String alert, Watched wanted, long now, AlertCheck check) {
        Unmet before = latest.getOrDefault(alert, Unmet.NONE);
        List<Condition> lateStarts =
                before.version() == wanted.version() ? new ArrayList<>(before.lateStarts()) : new ArrayList<>();
        lateStarts.addAll(check.lateStarts);
        put(alert, new Unmet(wanted.version(), now, check.conditions, check.known, List.copyOf(lateStarts)));
    }

    /** One check for one alert. */
    private final class AlertCheck {
        private final TaskExpectations watch;
        private final long now;
        private final Map<String, Condition> conditions = new LinkedHashMap<>();
        private final Set<AlertEventType> known = EnumSet.noneOf(AlertEventType.class);
        private final List<Condition> lateStarts = new ArrayList<>();

        AlertCheck(TaskExpectations watch, long now) {
            this.watch = watch;
            this.now = now;
        }

        void withoutSuccess() {
            Duration time = watch.noSuccessFor();
            if (time == null || time.compareTo(successesKept) > 0) {
                return;
            }
            long since = now - time.toMillis();
            tasks(
                    AlertEventType.NO_SUCCESS,
                    queries.withoutSuccess(watch.tasks(), since, since, MAX_FINDINGS),
                    task -> "no execution has succeeded for " + time + last(task));
        }

        void withoutSuccessBy() {
            TaskExpectations.Deadline deadline = watch.noSuccessBy();
            if (deadline == null) {
                return;
            }
            long at = deadline.latest(now);
            tasks(
                    AlertEventType.NO_SUCCESS_BY,
                    queries.withoutSuccess(watch.tasks(), at - deadline.within().toMillis(), at, MAX_FINDINGS),
                    task -> "no execution has succeeded by " + deadline.time() + " " + deadline.zone() + " ("
                            + Instants.text(at) + "), and none has since" + last(task));
        }

        void withoutPing() {
            Duration time = watch.noPingFor();
            if (time != null) {
                tasks(
                        AlertEventType.NO_PING,
                        queries.withoutPing(watch.tasks(), now - time.toMillis(), MAX_FINDINGS),
                        task -> "no ping has arrived for " + time + last(task));
            }
        }

        void running() {
            Duration time = watch.runningFor();
            if (time != null) {
                executions(
                        AlertEventType.RUNNING_LONG,
                        queries.runningSince(watch.tasks(), now - time.toMillis(), MAX_FINDINGS),
                        run -> "it still runs after " + time + "; it started at " + Instants.text(run.startedMillis()));
            }
        }

        /**
         * Each slot is judged once for a late start: when it becomes late. If it has not started by then, the
         * condition lasts until it starts.
         *
         * @param lookedMillis the time of the previous check
         */
        void late(long lookedMillis) {
            Duration tolerance = watch.startedLaterThan();
            if (tolerance == null) {
                return;
            }
            long late = now - tolerance.toMillis();
            List<OverdueExecution> unstarted = queries.unstarted(watch.tasks(), late, MAX_FINDINGS);
            executions(AlertEventType.STARTED_LATE, unstarted, run -> "it has not started within " + tolerance);
            List<OverdueExecution> started = queries.startedLate(
                    watch.tasks(), lookedMillis - tolerance.toMillis(), late, tolerance.toMillis(), MAX_FINDINGS);
            for (OverdueExecution run : started) {
                if (!conditions.containsKey(key(AlertEventType.STARTED_LATE, run))) {
                    String reason = "it started " + Duration.ofMillis(run.startedMillis() - run.fireMillis())
                            + " after its fire time; " + tolerance + " is allowed";
                    lateStarts.add(condition(AlertEventType.STARTED_LATE, run, reason));
                }
            }
        }

        private void tasks(AlertEventType event, List<OverdueTask> found, Function<OverdueTask, String> why) {
            for (OverdueTask task : found) {
                String paused = task.state().equals("ACTIVE") ? "" : "; the task is " + task.state();
                ObjectNode about = about(task.task()).put("reason", why.apply(task) + paused);
                conditions.put(
                        event + " " + task.task().id(),
                        new Condition(event.name(), of(task.task()), StrictJson.write(about)));
            }
            noteIfComplete(event, found.size());
        }

        private void executions(
                AlertEventType event, List<OverdueExecution> found, Function<OverdueExecution, String> why) {
            found.forEach(run -> conditions.put(key(event, run), condition(event, run, why.apply(run))));
            noteIfComplete(event, found.size());
        }

        /** If a query reached its limit, a condition that it did not find has not necessarily ended. */
        private void noteIfComplete(AlertEventType event, int found) {
            if (found < MAX_FINDINGS) {
                known.add(event);
            }
        }
    }

    private static String last(OverdueTask task) {
        return task.lastMillis() == null ? "" : "; last at " + Instants.text(task.lastMillis());
    }

    private static String key(AlertEventType event, OverdueExecution run) {
        String attempt = event == AlertEventType.RUNNING_LONG ? " " + run.attempt() : "";
        return event + " " + run.task().id() + "-" + run.fireMillis() + attempt;
    }

    private static Condition condition(AlertEventType event, OverdueExecution run, String reason) {
        ObjectNode about = about(run.task());
        about.put("fireTime", Instants.text(run.fireMillis()));
        if (run.attempt() > 0) {
            about.put("attempt", run.attempt());
        }
        if (run.node() != null) {
            about.put("node", run.node());
        }
        about.put("reason", reason);
        return new Condition(event.name(), of(run.task()), StrictJson.write(about));
    }

    private static ObjectNode about(ExpectedTask task) {
        ObjectNode about = JsonNodeFactory.instance.objectNode();
        return about.put("app", task.app()).put("name", task.name()).put("taskId", task.id());
    }

    private static ConditionTask of(ExpectedTask task) {
        return new ConditionTask(task.id(), task.app(), task.name());
    }
}
