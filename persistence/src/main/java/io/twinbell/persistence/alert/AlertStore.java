package io.twinbell.persistence.alert;

import java.util.List;
import java.util.Optional;

/**
 * Alerts as people write and read them, on either node. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public interface AlertStore {
    /** There are never more: every event is held against each. */
    int MAX_ALERTS = 100;

    /** Tests of one alert that may wait at a time. */
    int MAX_TESTS = 10;

    /**
     * Stores the alert under its name. The same content once more changes nothing.
     *
     * @param expectedVersion null if it does not matter which version is replaced
     */
    Put put(String name, String content, AlertSelection selection, Long expectedVersion);

    Optional<StoredAlert> find(String name);

    /** At most {@code limit} alerts with a name above {@code afterName}, in the order of their names. */
    List<StoredAlert> list(String afterName, int limit);

    /** Removes the alert with all that it has not told, and its deliveries; false if there is none. */
    boolean remove(String name);

    /**
     * Leaves a delivery that the master sends at once.
     *
     * @param content what it tells
     * @return nothing if too many wait already
     */
    Optional<AlertDelivery> test(String name, String content);

    /**
     * At most {@code limit} deliveries of an alert, newest first.
     *
     * @param states only those that are in one of these; empty for all
     * @param beforeId only those below this id
     */
    List<AlertDelivery> deliveries(String name, List<DeliveryState> states, long beforeId, int limit);

    /**
     * What became of a put.
     *
     * @param alert as it is stored now; null if there is none
     */
    record Put(PutOutcome outcome, StoredAlert alert) {}

    /** The ways in which a put may end. */
    enum PutOutcome {
        CREATED,
        REPLACED,
        UNCHANGED,
        /** Another version is stored than was expected. */
        CONFLICT,
        /** A calendar that it names is not there any more. */
        NO_CALENDAR,
        /** There are {@link #MAX_ALERTS} already. */
        FULL
    }
}
