package io.twinbell.node.alert;

import com.codahale.metrics.Counter;
import com.codahale.metrics.MetricRegistry;
import io.twinbell.node.alert.store.AlertDelivery;
import io.twinbell.node.alert.store.AlertDelivery.DeliveryState;
import io.twinbell.node.alert.store.AlertOutbox;
import io.twinbell.node.alert.store.AlertStore;
import io.twinbell.node.engine.handler.ErrorCodes;
import io.twinbell.node.engine.handler.HandlerOutcome;
import io.twinbell.node.engine.task.Retry;
import io.twinbell.node.task.definition.AlertCall;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.ExecutionState;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Sends due deliveries by webhook. An attempt is counted before it is made and its result recorded after it, both under
 * the epoch. If the master dies in between, its successor sends the delivery again under the same key.
 */
public final class Deliveries {
    private static final Logger LOG = LoggerFactory.getLogger(Deliveries.class);
    /** One for each alert, and tests. */
    private static final int MAX_DUE = AlertStore.MAX_ALERTS * (1 + AlertStore.MAX_TESTS);
    /** This long after its timeout, an attempt of this process has certainly ended. */
    private static final Duration LOST_AFTER = Duration.ofSeconds(30);

    private final AlertOutbox outbox;
    private final Function<AlertCall, CompletableFuture<HandlerOutcome>> caller;
    private final AlertListener listener;
    private final Ticker ticker;
    private final Counter delivered;
    private final Counter failedAttempts;
    private final Counter givenUp;
    private final Map<Long, RunningDelivery> underWay = new HashMap<>();
    private final Queue<FinishedDelivery> ended = new ConcurrentLinkedQueue<>();
    private final Runnable onEnd;

    private record RunningDelivery(CompletableFuture<HandlerOutcome> call, Duration timeout, long beganNanos) {}

    private record FinishedDelivery(
            Epoch epoch, AlertDelivery delivery, AlertDefinition definition, HandlerOutcome outcome) {}

    /** @param onEnd called when an attempt has ended, on any thread: its result waits to be recorded by the next step */
    public Deliveries(
            AlertOutbox outbox,
            Function<AlertCall, CompletableFuture<HandlerOutcome>> caller,
            AlertListener listener,
            Ticker ticker,
            MetricRegistry registry,
            Runnable onEnd) {
        this.outbox = outbox;
        this.caller = caller;
        this.listener = listener;
        this.ticker = ticker;
        this.onEnd = onEnd;
        delivered = registry.counter("alerts_delivered");
        failedAttempts = registry.counter("alerts_failed_attempts");
        givenUp = registry.counter("alerts_given_up");
    }

    /**
     * Drops all attempts of an epoch that is over: its successor sends them again, and their results would change
     * nothing.
     */
    void forget() {
        underWay.values().forEach(attempt -> attempt.call().cancel(true));
        underWay.clear();
        ended.clear();
    }

    /** Records results of attempts that have ended, and cancels those past their timeout. */
    void recordFinished(Epoch epoch) {
        for (FinishedDelivery next = ended.peek(); next != null; next = ended.peek()) {
            if (next.epoch().equals(epoch)) {
                recordOrLog(next);
                underWay.remove(next.delivery().id());
            }
            ended.remove();
        }
        underWay.values().stream()
                .filter(attempt -> ticker.nanos() - attempt.beganNanos()
                        > attempt.timeout().toNanos())
                .forEach(attempt -> attempt.call().cancel(true));
    }

    /**
     * Begins an attempt for every due delivery.
     *
     * @param sendable the definition of a delivery's alert, if it may be called now
     */
    void send(Epoch epoch, Function<AlertDelivery, Optional<AlertDefinition>> sendable) {
        for (AlertDelivery due : outbox.due(epoch, MAX_DUE)) {
            if (!underWay.containsKey(due.id())) {
                sendable.apply(due).ifPresent(definition -> beginOrLog(epoch, due, definition));
            }
        }
    }

    private void beginOrLog(Epoch epoch, AlertDelivery due, AlertDefinition definition) {
        try {
            begin(epoch, due.id(), definition);
        } catch (DatabaseUnavailableException e) {
            if (e.isOutage()) {
                throw e;
            }
            LOG.error("could not start a delivery of the alert {}", due.alert(), e);
        }
    }

    private void begin(Epoch epoch, long id, AlertDefinition definition) {
        Duration timeout = definition.webhook().timeout();
        outbox.attempt(epoch, id, timeout.plus(LOST_AFTER).toMillis()).ifPresent(delivery -> {
            CompletableFuture<HandlerOutcome> call = call(epoch, delivery, definition);
            underWay.put(id, new RunningDelivery(call, timeout, ticker.nanos()));
            call.whenComplete((outcome, thrown) -> {
                ended.add(new FinishedDelivery(
                        epoch, delivery, definition, thrown == null ? outcome : failure(thrown, timeout)));
                onEnd.run();
            });
        });
    }

    private CompletableFuture<HandlerOutcome> call(Epoch epoch, AlertDelivery delivery, AlertDefinition definition) {
        try {
            return caller.apply(new AlertCall(
                    definition.webhook().call(),
                    delivery.alert(),
                    delivery.key().toString(),
                    delivery.progress().attempt(),
                    epoch,
                    AlertMessage.of(delivery)));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static HandlerOutcome failure(Throwable thrown, Duration timeout) {
        Throwable cause =
                thrown instanceof CompletionException && thrown.getCause() != null ? thrown.getCause() : thrown;
        // Other cancellations, at the end of an epoch, are not recorded.
        return cause instanceof CancellationException
                ? HandlerOutcome.timedOut("no response within " + timeout)
                : HandlerOutcome.failed(ErrorCodes.of(cause), cause.toString(), null);
    }

    /**
     * A result that cannot be recorded must not stop others: the attempt counts as lost after its timeout, and is sent
     * again.
     */
    private void recordOrLog(FinishedDelivery end) {
        try {
            record(end);
        } catch (DatabaseUnavailableException e) {
            if (e.isOutage()) {
                throw e;
            }
            LOG.error(
                    "could not record the result of a delivery of the alert {}; the delivery will be repeated",
                    end.delivery().alert(),
                    e);
        }
    }

    private void record(FinishedDelivery end) {
        AlertDelivery delivery = end.delivery();
        int attempt = delivery.progress().attempt();
        boolean succeeded = end.outcome().state() == ExecutionState.SUCCEEDED;
        Retry retry = end.definition().retry();
        int most = delivery.isTest() ? 1 : retry.maxAttempts();
        boolean isLast = attempt >= most || retry.codes().refusal(end.outcome().errorCode()) != null;
        DeliveryState state =
                succeeded ? DeliveryState.DELIVERED : isLast ? DeliveryState.GIVEN_UP : DeliveryState.PENDING;
        long again = retry.waitMillis(
                attempt, ThreadLocalRandom.current().nextDouble(), end.outcome().delay());
        boolean recorded = outbox.record(
                end.epoch(),
                delivery.id(),
                attempt,
                new AlertOutbox.DeliveryResult(
                        state, again, end.outcome().output(), end.outcome().error()));
        if (recorded) {
            logEnd(state, delivery, end.outcome().error());
        }
    }

    private void logEnd(DeliveryState state, AlertDelivery delivery, String error) {
        if (state == DeliveryState.DELIVERED) {
            delivered.inc();
            return;
        }
        failedAttempts.inc();
        if (state == DeliveryState.GIVEN_UP && !delivery.isTest()) {
            givenUp.inc();
            String summary = AlertMessage.of(delivery).path("summary").asText();
            LOG.error(
                    "gave up the delivery of the alert {} after {} attempts: {}; its message: {}",
                    delivery.alert(),
                    delivery.progress().attempt(),
                    error,
                    summary);
            listener.givenUp(delivery.alert(), delivery.key().toString(), summary, error);
        } else {
            LOG.warn(
                    "attempt {} to deliver the alert {} failed: {}",
                    delivery.progress().attempt(),
                    delivery.alert(),
                    error);
        }
    }
}
