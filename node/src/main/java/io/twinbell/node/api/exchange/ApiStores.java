package io.twinbell.node.api.exchange;

import io.twinbell.node.calendar.CalendarEdits;
import io.twinbell.node.engine.settle.StuckDetector;
import io.twinbell.persistence.alert.AlertStore;
import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.ledger.query.ExecutionQueries;
import io.twinbell.persistence.ledger.query.ExecutionRequests;
import io.twinbell.persistence.ledger.query.VerificationSource;
import io.twinbell.persistence.limit.LimitStore;
import io.twinbell.persistence.task.TaskStore;

/** The stores and components that the API reads and writes. */
public record ApiStores(
        TaskStore tasks,
        ExecutionQueries executions,
        ExecutionRequests requests,
        VerificationSource verification,
        StuckDetector stuck,
        CalendarEdits calendars,
        LimitStore limits,
        AlertStore alerts,
        DatabaseClock clock,
        HandlerPolicy handlers) {}
