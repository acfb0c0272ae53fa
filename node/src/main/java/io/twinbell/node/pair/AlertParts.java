package io.twinbell.node.pair;

import com.codahale.metrics.MetricRegistry;
import io.twinbell.node.alert.AlertListener;
import io.twinbell.node.alert.Alerts;
import io.twinbell.node.alert.Deliveries;
import io.twinbell.node.alert.ExpectationMonitor;
import io.twinbell.node.alert.OngoingConditions;
import io.twinbell.node.alert.UnknownHandlerSurvey;
import io.twinbell.node.alert.store.AlertOutbox;
import io.twinbell.node.alert.store.JdbcExpectationQueries;
import io.twinbell.node.cluster.store.HandlerKeys;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.step.EngineClocks;
import io.twinbell.node.execution.StuckDetector;
import io.twinbell.node.loop.Loops;
import io.twinbell.node.pair.database.NodeDatabase;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.definition.AlertCall;
import io.twinbell.persistence.epoch.Epoch;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** The parts that find what alerts report, and that deliver alerts. */
record AlertParts(Alerts alerts, ExpectationMonitor watches, UnknownHandlerSurvey unknownHandlers) {
    /** The ports of alert delivery, and of the alerts that are not based on the database. */
    record Ports(
            Function<AlertCall, CompletableFuture<HandlerOutcome>> caller,
            AlertListener listener,
            Supplier<Optional<String>> noStandby,
            MetricRegistry registry,
            Loops loops) {}

    /**
     * The other parts of this node that alerts use.
     *
     * @param onAttemptEnd called when an attempt to deliver has ended
     */
    record Neighbours(StuckDetector stuck, Supplier<Calendars> calendars, Runnable onAttemptEnd) {}

    /** @param epoch supplies this node's epoch while it is master, otherwise null */
    static AlertParts of(
            NodeDatabase database,
            NodeConfig.Retention retention,
            EngineClocks clocks,
            Supplier<Epoch> epoch,
            Ports ports,
            Neighbours neighbours) {
        UnknownHandlerSurvey unknownHandlers = new UnknownHandlerSurvey(
                new HandlerKeys(database.pool())::unknownInUse,
                () -> epoch.get() != null,
                clocks.database(),
                clocks.monotonic(),
                ports.loops().loop("unknown-handlers"));
        ExpectationMonitor watches = new ExpectationMonitor(
                new JdbcExpectationQueries(database.housekeeping()),
                retention.succeeded(),
                clocks.monotonic(),
                ports.loops().loop("task-watches"));
        AlertOutbox outbox = new AlertOutbox(database.pool());
        Deliveries deliveries = new Deliveries(
                outbox,
                ports.caller(),
                ports.listener(),
                clocks.monotonic(),
                ports.registry(),
                neighbours.onAttemptEnd());
        Alerts alerts = new Alerts(
                outbox,
                deliveries,
                new OngoingConditions(
                        neighbours.stuck()::stuckReport,
                        unknownHandlers::report,
                        ports.noStandby(),
                        clocks.monotonic()),
                watches,
                ports.listener(),
                new Alerts.AlertContext(
                        epoch,
                        clocks.database(),
                        clocks.monotonic(),
                        neighbours.calendars(),
                        retention.executions(),
                        ports.loops().loop("alerts")));
        return new AlertParts(alerts, watches, unknownHandlers);
    }
}
