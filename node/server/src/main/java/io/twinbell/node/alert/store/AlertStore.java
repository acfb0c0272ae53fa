package io.twinbell.node.alert.store;

import static io.twinbell.node.alert.store.AlertRows.query;
import static io.twinbell.node.alert.store.AlertRows.update;

import io.twinbell.node.alert.store.AlertDelivery.DeliveryState;
import io.twinbell.persistence.database.Transactions;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import javax.sql.DataSource;

/**
 * Stores alerts as people write and read them, on either node. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public final class AlertStore {
    /** The maximum number of alerts, because every event is compared with each alert. */
    public static final int MAX_ALERTS = 100;

    /** The maximum number of alerts for the tasks of one app, so that it leaves room for others. */
    public static final int MAX_OF_APP = 20;

    /** The maximum number of waiting tests per alert. */
    public static final int MAX_TESTS = 10;

    private static final String SELECT = "select " + AlertRows.ALERT + " from twinbell.alert a";
    /** Excludes concurrent writers of alerts. Transactions that raise events only read alerts, and do not wait. */
    private static final String ONE_WRITER = "lock table twinbell.alert in share row exclusive mode";

    private static final String INSERT = """
            insert into twinbell.alert (content, events, error_codes, app, task, tag, owner, name)
            values (?::jsonb, ?, nullif(?::text[], '{}'), ?, ?, ?, ?, ?)""";
    private static final String UPDATE = """
            update twinbell.alert
            set content = ?::jsonb, events = ?, error_codes = nullif(?::text[], '{}'), app = ?, task = ?, tag = ?,
                owner = ?, version = version + 1, updated_at = clock_timestamp()
            where name = ?""";
    private static final String OF_OTHER_APPS =
            "select count(*) from twinbell.alert where name = ? and app is distinct from ?";
    private static final String OF_APP = "select count(*) from twinbell.alert where app = ?";
    private static final String UNLINK = "delete from twinbell.alert_calendar where alert = ?";
    private static final String LINK = """
            insert into twinbell.alert_calendar (alert, calendar)
            select ?, c.name from twinbell.calendar c where c.name = any (?) order by c.name for key share of c""";

    private static final String TEST = """
            insert into twinbell.alert_delivery (alert, state, is_test, content, due_at)
            select ?, 'PENDING', true, ?::json, clock_timestamp()
            where (select count(*) from twinbell.alert_delivery where alert = ? and is_test and ended_at is null) <
            """ + MAX_TESTS + " returning " + AlertRows.DELIVERY;
    private static final String DELIVERIES = "select " + AlertRows.DELIVERY + """
            \sfrom twinbell.alert_delivery
            where alert = ? and id < ? and (cardinality(?::text[]) = 0 or state = any (?)) order by id desc limit ?""";

    private final Transactions transactions;

    /**
     * A stored alert.
     *
     * @param version grows by one with each change
     * @param content JSON text that this module does not read
     * @param updatedAtMillis milliseconds since 1970 UTC
     */
    public record StoredAlert(String name, long version, String content, long createdAtMillis, long updatedAtMillis) {}

    /**
     * The events that an alert selects.
     *
     * @param events none for an alert that is off
     * @param errorCodes of the event FAILED, only these codes count; empty for all. One that ends with {@code *} stands
     *     for all codes with this beginning
     * @param tasks the condition on the tasks of the events
     * @param calendars the calendars that determine when the alert is silent; they must exist
     */
    public record AlertSelection(
            List<String> events, List<String> errorCodes, TaskCondition tasks, List<String> calendars) {
        /** The condition on tasks; null means any. */
        public record TaskCondition(String app, String name, String tag, String owner) {}
    }

    /**
     * The result of a test.
     *
     * @param isFound whether there is such an alert that may be tested
     * @param delivery null if there is none, or if too many tests wait already
     */
    public record TestResult(boolean isFound, AlertDelivery delivery) {}

    /**
     * The result of a put.
     *
     * @param alert the stored alert; null if there is none, or it may not be changed
     */
    public record PutResult(PutOutcome outcome, StoredAlert alert) {}

    /** The outcomes of a put. */
    public enum PutOutcome {
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

    public AlertStore(DataSource pool) {
        transactions = new Transactions(pool);
    }

    /**
     * Stores the alert under its name. Storing the same content again changes nothing. An alert that selects one app
     * where it selected another or all begins anew, without the waiting events and deliveries of other apps.
     *
     * @param expectedVersion the version that must be replaced; null for any
     * @param mayChange tells by its content whether a stored alert may be replaced. It is asked in the transaction of
     *     the change: an alert that another writer stores meanwhile is not replaced unasked
     */
    public PutResult put(
            String name, String content, AlertSelection selection, Long expectedVersion, Predicate<String> mayChange) {
        return transactions.run("store an alert", c -> {
            update(c, ONE_WRITER);
            StoredAlert current = read(c, name).orElse(null);
            if (current != null && !mayChange.test(current.content())) {
                // A request with a version is answered as if there were no such alert.
                return new PutResult(expectedVersion == null ? PutOutcome.NOT_PERMITTED : PutOutcome.CONFLICT, null);
            }
            if (expectedVersion != null && (current == null || current.version() != expectedVersion)) {
                return new PutResult(PutOutcome.CONFLICT, current);
            }
            if (current != null && isSame(c, name, content)) {
                return new PutResult(PutOutcome.UNCHANGED, current);
            }
            if (current == null && count(c, "select count(*) from twinbell.alert") >= MAX_ALERTS) {
                return new PutResult(PutOutcome.FULL, null);
            }
            String app = selection.tasks().app();
            // An app that has more of them from an earlier version may still change them.
            boolean isNewOfApp = app != null && (current == null || count(c, OF_OTHER_APPS, name, app) > 0);
            if (isNewOfApp && count(c, OF_APP, app) >= MAX_OF_APP) {
                return new PutResult(PutOutcome.FULL_OF_APP, null);
            }
            return write(c, name, content, selection, current == null);
        });
    }

    private static PutResult write(Connection c, String name, String content, AlertSelection selection, boolean isNew)
            throws SQLException {
        AlertSelection.TaskCondition tasks = selection.tasks();
        if (tasks.app() != null && count(c, OF_OTHER_APPS, name, tasks.app()) > 0) {
            removeHistory(c, name);
        }
        update(
                c,
                isNew ? INSERT : UPDATE,
                content,
                selection.events(),
                selection.errorCodes(),
                tasks.app(),
                tasks.name(),
                tasks.tag(),
                tasks.owner(),
                name);
        update(c, UNLINK, name);
        if (update(c, LINK, name, selection.calendars()) < selection.calendars().size()) {
            c.rollback();
            return new PutResult(PutOutcome.NO_CALENDAR, null);
        }
        return new PutResult(
                isNew ? PutOutcome.CREATED : PutOutcome.REPLACED, read(c, name).orElseThrow());
    }

    private static boolean isSame(Connection c, String name, String content) throws SQLException {
        return count(c, "select count(*) from twinbell.alert where name = ? and content = ?::jsonb", name, content)
                == 1;
    }

    private static long count(Connection c, String sql, Object... values) throws SQLException {
        return query(c, row -> row.getLong(1), sql, values).get(0);
    }

    private static Optional<StoredAlert> read(Connection c, String name) throws SQLException {
        return query(c, AlertRows::alert, SELECT + " where name = ?", name).stream()
                .findFirst();
    }

    public Optional<StoredAlert> find(String name) {
        return transactions.run("read an alert", c -> read(c, name));
    }

    /** At most {@code limit} alerts with a name above {@code afterName}, in the order of their names. */
    public List<StoredAlert> list(String afterName, int limit) {
        return transactions.run(
                "list alerts",
                c -> query(c, AlertRows::alert, SELECT + " where name > ? order by name limit ?", afterName, limit));
    }

    /**
     * Removes the alert, its waiting events and its deliveries.
     *
     * @param mayChange tells by its content, in the transaction of the change, whether the alert may be removed
     * @return false if there is no such alert that may be removed
     */
    public boolean remove(String name, Predicate<String> mayChange) {
        return transactions.run("remove an alert", c -> {
            update(c, ONE_WRITER);
            StoredAlert current = read(c, name).orElse(null);
            if (current != null && !mayChange.test(current.content())) {
                return false;
            }
            update(c, "delete from twinbell.alert where name = ?", name);
            removeHistory(c, name);
            return current != null;
        });
    }

    private static void removeHistory(Connection c, String name) throws SQLException {
        for (String table : AlertOutbox.BESIDES) {
            update(c, "delete from twinbell." + table + " where alert = ?", name);
        }
    }

    /**
     * Adds a test delivery, which the master sends at once.
     *
     * @param content the content of the delivery
     * @param mayUse tells by the alert's content, in the transaction of the change, whether it may be tested
     */
    public TestResult test(String name, String content, Predicate<String> mayUse) {
        return transactions.run(
                "test an alert",
                c -> isHeld(c, name, mayUse)
                        ? new TestResult(
                                true,
                                query(c, AlertRows::delivery, TEST, name, content, name).stream()
                                        .findFirst()
                                        .orElse(null))
                        : new TestResult(false, null));
    }

    /**
     * At most {@code limit} deliveries of an alert, newest first.
     *
     * @param states only deliveries in one of these states; empty for all
     * @param beforeId only deliveries with a smaller id
     * @param mayRead tells by the alert's content, in the transaction of the read, whether its deliveries may be read
     * @return empty if there is no such alert that may be read
     */
    public Optional<List<AlertDelivery>> deliveries(
            String name, List<DeliveryState> states, long beforeId, int limit, Predicate<String> mayRead) {
        List<String> names = states.stream().map(DeliveryState::name).toList();
        return transactions.run(
                "list deliveries",
                c -> isHeld(c, name, mayRead)
                        ? Optional.of(query(c, AlertRows::delivery, DELIVERIES, name, beforeId, names, names, limit))
                        : Optional.empty());
    }

    /** Whether there is such an alert. Until the transaction ends, it is neither changed nor removed. */
    private static boolean isHeld(Connection c, String name, Predicate<String> mayUse) throws SQLException {
        return query(c, AlertRows::alert, SELECT + " where name = ? for share", name).stream()
                .anyMatch(alert -> mayUse.test(alert.content()));
    }
}
