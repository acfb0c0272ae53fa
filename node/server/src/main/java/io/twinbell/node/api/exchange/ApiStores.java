package io.twinbell.node.api.exchange;

import io.twinbell.node.calendar.CalendarEdits;
import io.twinbell.node.defaults.DefaultsEdits;
import io.twinbell.node.engine.settle.StuckDetector;
import io.twinbell.persistence.alert.AlertStore;
import io.twinbell.persistence.alert.TaskPings;
import io.twinbell.persistence.audit.AuditReader;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.cluster.ActivityMinutes;
import io.twinbell.persistence.cluster.DrillResults;
import io.twinbell.persistence.cluster.StandingPauses;
import io.twinbell.persistence.ledger.parked.Callbacks;
import io.twinbell.persistence.ledger.query.ExecutionQueries;
import io.twinbell.persistence.ledger.query.ExecutionRequests;
import io.twinbell.persistence.ledger.query.ExplanationSource;
import io.twinbell.persistence.ledger.query.VerificationSource;
import io.twinbell.persistence.limit.LimitStore;
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
        DrillResults drills,
        ActivityMinutes activity,
        AlertStore alerts,
        TaskPings pings,
        AuditReader audit,
        Duration successesKept,
        DatabaseClock clock,
        HandlerPolicy handlers) {}
