package io.twinbell.persistence.alert;

import io.twinbell.persistence.epoch.Epoch;
import java.util.List;
import java.util.Optional;

/**
 * The master's operations on alerts: collecting events, and sending deliveries. Every write carries the epoch, and
 * changes nothing if the epoch is superseded. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public interface AlertOutbox {
    /** Every alert with its waiting events, deliveries and conditions. */
    List<AlertStanding> standings();

    /** Adds events to the content of a delivery. */
    @FunctionalInterface
    interface DigestBuilder {
        /**
         * Called inside the transaction, perhaps more than once.
         *
         * @param gathered JSON text, or null for the first events
         */
        String add(String gathered, List<AlertEvent> events);
    }

    /** Moves waiting events of an alert, oldest first and at most {@code limit}, into its GATHERING delivery. */
    void gather(Epoch epoch, String alert, int limit, DigestBuilder digestBuilder);

    /** Moves waiting events into the SILENCED delivery. Events about a condition that still lasts continue to wait. */
    void silence(Epoch epoch, String alert, int limit, DigestBuilder digestBuilder);

    /** Ends the SILENCED delivery of an alert: it is never sent. */
    void endSilence(Epoch epoch, String alert);

    /** Deletes waiting events that are older than this. */
    void forget(Epoch epoch, String alert, long beforeMillis);

    /** Closes the GATHERING delivery to further events, makes it due now, and returns it. */
    Optional<AlertDelivery> close(Epoch epoch, String alert);

    /**
     * Begins a condition for an alert that selects it, and raises one event.
     *
     * @param key of the condition, unique within the alert
     */
    void begin(Epoch epoch, String alert, String key, Condition condition);

    /** Raises one event for an alert that selects it. */
    void raise(Epoch epoch, String alert, Condition condition);

    /** Ends a condition, and raises an event. */
    void end(Epoch epoch, String alert, String key);

    /**
     * A condition that lasts, or what has happened.
     *
     * @param task the task that it concerns, or null
     * @param about JSON text of an object
     */
    record Condition(String event, ConditionTask task, String about) {}

    /** The task that a condition concerns. */
    record ConditionTask(long id, String app, String name) {}

    /** Due deliveries, and those whose attempt an earlier master did not finish; oldest first. */
    List<AlertDelivery> due(Epoch epoch, int limit);

    /**
     * Counts an attempt before it is made.
     *
     * @param lostAfterMillis the time after which the attempt counts as lost
     * @return the delivery after the change; empty if it is no longer to be sent, or not under this epoch
     */
    Optional<AlertDelivery> attempt(Epoch epoch, long id, long lostAfterMillis);

    /**
     * Records the result of an attempt.
     *
     * @return false if this is no longer the current attempt
     */
    boolean record(Epoch epoch, long id, int attempt, DeliveryResult result);

    /**
     * The result of an attempt.
     *
     * @param againMillis the delay until the next attempt; used only for PENDING
     */
    record DeliveryResult(DeliveryState state, long againMillis, String output, String error) {}

    /**
     * Deletes ended deliveries that are old or exceed {@code keepCount} per alert, and the rows that removed alerts and
     * tasks left behind.
     */
    void prune(Epoch epoch, long keepMillis, int keepCount);
}
