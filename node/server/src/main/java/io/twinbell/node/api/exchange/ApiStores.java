package io.twinbell.node.api.exchange;

import io.twinbell.node.alert.store.AlertStore;
import io.twinbell.node.alert.store.TaskPings;
import io.twinbell.node.audit.store.AuditReader;
import io.twinbell.node.calendar.CalendarEdits;
import io.twinbell.node.cluster.store.ActivityMinutes;
import io.twinbell.node.defaults.DefaultsEdits;
import io.twinbell.node.execution.StuckDetector;
import io.twinbell.node.execution.store.Callbacks;
import io.twinbell.node.execution.store.ExecutionQueries;
import io.twinbell.node.execution.store.ExecutionRequests;
import io.twinbell.node.execution.store.ExplanationSource;
import io.twinbell.node.execution.store.VerificationSource;
import io.twinbell.node.limit.store.LimitStore;
import io.twinbell.node.limit.store.StandingPauses;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.task.TaskStore;
import java.time.Duration;

/**
 * The stores and components that the API reads and writes.
 *
 * @param successesKept how long the ledger keeps executions that have SUCCEEDED
 */
public record ApiStores(
        TaskStore tasks,
        ExecutionQueries executions,
        ExecutionRequests requests,
        Callbacks callbacks,
        VerificationSource verification,
        ExplanationSource evidence,
        StuckDetector stuck,
        CalendarEdits calendars,
        DefaultsEdits defaults,
        LimitStore limits,
        StandingPauses pauses,
        ActivityMinutes activity,
        AlertStore alerts,
        TaskPings pings,
        AuditReader audit,
        Duration successesKept,
        DatabaseClock clock,
        HandlerPolicy handlers) {}
