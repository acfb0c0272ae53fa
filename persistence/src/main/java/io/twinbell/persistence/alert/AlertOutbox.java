package io.twinbell.persistence.alert;

import io.twinbell.persistence.epoch.Epoch;
import java.util.List;
import java.util.Optional;

/**
 * What the master does with alerts. Everything that writes carries the epoch, and changes nothing under one that is over.
 * All methods throw {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not
 * answer.
 */
public interface AlertOutbox {
    /** Every alert, with how it stands. */
    List<AlertStanding> standings();

    /** Adds events to what was gathered so far. */
    @FunctionalInterface
    interface Gathering {
        /**
         * Called inside the transaction, perhaps more than once.
         *
         * @param gathered JSON text, or null for the first events
         */
        String add(String gathered, List<AlertEvent> events);
    }

    /** Moves waiting events of an alert, oldest first and at most {@code limit}, into the delivery that gathers. */
    void gather(Epoch epoch, String alert, int limit, Gathering gathering);

    /** The same into the delivery of what is silenced; what tells of a condition that still lasts goes on waiting. */
    void silence(Epoch epoch, String alert, int limit, Gathering gathering);

    /** Ends what gathered in a silence: it is never sent. */
    void endSilence(Epoch epoch, String alert);

    /** Drops waiting events that are older than this. */
    void forget(Epoch epoch, String alert, long beforeMillis);

    /** Nothing more is added to the delivery that gathers: it is due now. Returns it. */
    Optional<AlertDelivery> close(Epoch epoch, String alert);

    /**
     * A condition begins for an alert, if the alert wants to know: an event is raised, once.
     *
     * @param key of the condition, unique within the alert
     */
    void begin(Epoch epoch, String alert, String key, Condition condition);

    /** A condition is over: that is an event too. */
    void end(Epoch epoch, String alert, String key);

    /**
     * Something that lasts.
     *
     * @param task whom it concerns, or null
     * @param about JSON text of an object
     */
    record Condition(String event, AboutTask task, String about) {}

    /** The task that something is about. */
    record AboutTask(long id, String app, String name) {}

    /** Deliveries that are due, and those that a master has left in the middle of an attempt; oldest first. */
    List<AlertDelivery> due(Epoch epoch, int limit);

    /**
     * Counts an attempt before it is made.
     *
     * @param lostAfterMillis from when on the attempt counts as lost
     * @return the delivery as it is now, or nothing if it is not to be sent any more, or not under this epoch
     */
    Optional<AlertDelivery> attempt(Epoch epoch, long id, long lostAfterMillis);

    /**
     * Records how an attempt ended.
     *
     * @return false if it was not this attempt's turn any more
     */
    boolean record(Epoch epoch, long id, int attempt, Result result);

    /**
     * How an attempt ended.
     *
     * @param againMillis how long until the next; of interest for PENDING alone
     */
    record Result(DeliveryState state, long againMillis, String output, String error) {}

    /** Removes ended deliveries that are old, or more than {@code keepCount} of one alert, and what removed alerts left. */
    void prune(Epoch epoch, long keepMillis, int keepCount);
}
