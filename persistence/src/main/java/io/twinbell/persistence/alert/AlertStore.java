package io.twinbell.persistence.alert;

import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Stores alerts as people write and read them, on either node. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public interface AlertStore {
    /** The maximum number of alerts, because every event is compared with each alert. */
    int MAX_ALERTS = 100;

    /** The maximum number of alerts for the tasks of one app, so that it leaves room for others. */
    int MAX_OF_APP = 20;

    /** The maximum number of waiting tests per alert. */
    int MAX_TESTS = 10;

    /**
     * Stores the alert under its name. Storing the same content again changes nothing. An alert that selects one app
     * where it selected another or all begins anew, without the waiting events and deliveries of other apps.
     *
     * @param expectedVersion the version that must be replaced; null for any
     * @param mayChange tells by its content whether a stored alert may be replaced. It is asked in the transaction of
     *     the change: an alert that another writer stores meanwhile is not replaced unasked
     */
    PutResult put(
            String name, String content, AlertSelection selection, Long expectedVersion, Predicate<String> mayChange);

    Optional<StoredAlert> find(String name);

    /** At most {@code limit} alerts with a name above {@code afterName}, in the order of their names. */
    List<StoredAlert> list(String afterName, int limit);

    /**
     * Removes the alert, its waiting events and its deliveries.
     *
     * @param mayChange tells by its content, in the transaction of the change, whether the alert may be removed
     * @return false if there is no such alert that may be removed
     */
    boolean remove(String name, Predicate<String> mayChange);

    /**
     * Adds a test delivery, which the master sends at once.
     *
     * @param content the content of the delivery
     * @param mayUse tells by the alert's content, in the transaction of the change, whether it may be tested
     */
    TestResult test(String name, String content, Predicate<String> mayUse);

    /**
     * At most {@code limit} deliveries of an alert, newest first.
     *
     * @param states only deliveries in one of these states; empty for all
     * @param beforeId only deliveries with a smaller id
     * @param mayRead tells by the alert's content, in the transaction of the read, whether its deliveries may be read
     * @return empty if there is no such alert that may be read
     */
    Optional<List<AlertDelivery>> deliveries(
            String name, List<DeliveryState> states, long beforeId, int limit, Predicate<String> mayRead);

    /**
     * The result of a test.
     *
     * @param isFound whether there is such an alert that may be tested
     * @param delivery null if there is none, or if too many tests wait already
     */
    record TestResult(boolean isFound, AlertDelivery delivery) {}

    /**
     * The result of a put.
     *
     * @param alert the stored alert; null if there is none, or it may not be changed
     */
    record PutResult(PutOutcome outcome, StoredAlert alert) {}

    /** The outcomes of a put. */
    enum PutOutcome {
        CREATED,
        REPLACED,
        UNCHANGED,
        /** The stored version is not the expected one. */
        CONFLICT,
        /** The name belongs to an alert that may not be changed. */
        NOT_PERMITTED,
        /** A calendar of the alert does not exist any more. */
        NO_CALENDAR,
        /** There are {@link #MAX_ALERTS} already. */
        FULL,
        /** There are {@link #MAX_OF_APP} for the app already. */
        FULL_OF_APP
    }
}
