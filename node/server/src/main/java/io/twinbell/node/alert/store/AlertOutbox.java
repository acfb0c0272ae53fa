package io.twinbell.node.alert.store;

import static io.twinbell.node.alert.store.AlertRows.query;
import static io.twinbell.node.alert.store.AlertRows.update;

import io.twinbell.node.alert.store.AlertDelivery.DeliveryState;
import io.twinbell.node.alert.store.AlertStore.StoredAlert;
import io.twinbell.persistence.database.SqlWork;
import io.twinbell.persistence.database.Transactions;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochGuard;
import io.twinbell.persistence.ledger.ColumnArrays;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The master's operations on alerts: collecting events, and sending deliveries. Every write carries the epoch, and
 * changes nothing if the epoch is superseded. All methods throw
 * {@link io.twinbell.persistence.database.DatabaseUnavailableException} if the database does not answer.
 */
public final class AlertOutbox {
    /** Tables whose rows belong to an alert, but have no foreign key to it. */
    static final List<String> BESIDES = List.of("alert_event", "alert_condition", "alert_delivery", "alert_calendar");

    private static final String IS_LASTING =
            "exists (select 1 from twinbell.alert_condition n where n.alert = e.alert and n.key = e.lasting)";

    private static final String STANDINGS = String.format(Locale.ROOT, """
            select %s, w.waiting, w.lasting, w.oldest, twinbell.millis(g.created_at), s.id is not null,
                   exists (select 1 from twinbell.alert_delivery d
                     where d.alert = a.name and d.state in ('PENDING', 'SENDING') and not d.is_test),
                   (select twinbell.millis(max(d.started_at)) from twinbell.alert_delivery d
                     where d.alert = a.name and not d.is_test)
            from twinbell.alert a cross join lateral (
              select count(*) as waiting, count(*) filter (where e.lasting is not null and %s) as lasting,
                     coalesce(twinbell.millis(min(e.at)), 0) as oldest
              from twinbell.alert_event e where e.alert = a.name) w
            left join twinbell.alert_delivery g on g.alert = a.name and g.state = 'GATHERING' and g.ended_at is null
            left join twinbell.alert_delivery s on s.alert = a.name and s.state = 'SILENCED' and s.ended_at is null
            order by a.name""", AlertRows.ALERT, IS_LASTING);

    private static final String TAKE = """
            delete from twinbell.alert_event where id = any (array(
              select e.id from twinbell.alert_event e where e.alert = ? and %s order by e.id limit ?))
            returning id, event, twinbell.millis(at), about""";
    private static final String TAKE_ALL = String.format(Locale.ROOT, TAKE, "true");
    private static final String TAKE_WHAT_IS_OVER =
            String.format(Locale.ROOT, TAKE, "(e.lasting is null or not " + IS_LASTING + ")");

    private static final String GATHERED =
            "select content from twinbell.alert_delivery where alert = ? and state = ? and ended_at is null for update";
    private static final String GATHER_FIRST =
            "insert into twinbell.alert_delivery (content, alert, state) values (?::json, ?, ?)";
    private static final String GATHER_MORE = """
            update twinbell.alert_delivery set content = ?::json
            where alert = ? and state = ? and ended_at is null""";

    private static final String CLOSE = """
            update twinbell.alert_delivery set state = 'PENDING', due_at = clock_timestamp()
            where alert = ? and state = 'GATHERING' returning\s""" + AlertRows.DELIVERY;

    private static final String BEGIN = """
            with begun as (
              insert into twinbell.alert_condition (alert, key, event, about)
              select a.name, w.key, w.event, w.about
              from (values (?, ?, ?, ?::jsonb, ?, ?, ?::bigint)) as w(alert, key, event, about, app, task, task_id)
              join twinbell.alert a on a.name = w.alert
              where twinbell.alert_wants(a, w.event, w.app, w.task, w.task_id)
              on conflict do nothing
              returning alert, key, event, about
            )
            insert into twinbell.alert_event (alert, event, lasting, about) select alert, event, key, about from begun""";
    private static final String RAISE = """
            insert into twinbell.alert_event (alert, event, about)
            select a.name, w.event, w.about
            from (values (?, ?, ?::jsonb, ?, ?, ?::bigint)) as w(alert, event, about, app, task, task_id)
            join twinbell.alert a on a.name = w.alert
            where twinbell.alert_wants(a, w.event, w.app, w.task, w.task_id)""";
    private static final String END = """
            with over as (
              delete from twinbell.alert_condition where alert = ? and key = ? returning alert, key, event, began_at, about
            )
            insert into twinbell.alert_event (alert, event, lasting, about)
            select o.alert, o.event, o.key,
              o.about || jsonb_build_object('resolved', true, 'began', twinbell.instant_text(o.began_at))
            from over o join twinbell.alert a on a.name = o.alert where o.event = any (a.events)""";

    /** An attempt that an older epoch began is due again, because no process waits for its end. */
    private static final String DUE = "select " + AlertRows.DELIVERY + """
            \sfrom twinbell.alert_delivery
            where state in ('PENDING', 'SENDING')
              and (due_at <= statement_timestamp() or state = 'SENDING' and epoch is distinct from ?)
            order by id limit ?""";

    private static final String ATTEMPT = """
            update twinbell.alert_delivery
            set state = 'SENDING', attempt = attempt + 1, epoch = ?, node = ?,
                started_at = coalesce(started_at, clock_timestamp()),
                due_at = clock_timestamp() + ? * interval '1 millisecond'
            where id = ? and state in ('PENDING', 'SENDING') returning\s""" + AlertRows.DELIVERY;
    private static final String RECORD = """
            update twinbell.alert_delivery
            set state = ?, output = ?, error = ?,
                due_at = case when ? = 'PENDING' then clock_timestamp() + ? * interval '1 millisecond' end,
                ended_at = case when ? <> 'PENDING' then clock_timestamp() end
            where id = ? and attempt = ? and state = 'SENDING'""";

    private static final String PRUNE_OLD = """
            delete from twinbell.alert_delivery where id = any (array(
              select id from twinbell.alert_delivery where ended_at < statement_timestamp() - ? * interval '1 millisecond'
              order by ended_at limit 1000))""";
    private static final String PRUNE_MANY = """
            delete from twinbell.alert_delivery d using (
              select a.name, (select id from twinbell.alert_delivery k
                              where k.alert = a.name order by id desc offset ? limit 1) as last
              from twinbell.alert a) o
            where d.alert = o.name and d.id <= o.last and d.ended_at is not null""";

    private final Transactions transactions;

    /**
     * An event that an alert reports.
     *
     * @param atMillis when it happened, by the database's clock
     * @param about the details as JSON text
     */
    public record AlertEvent(String event, long atMillis, String about) {}

    /** Adds events to the content of a delivery. */
    @FunctionalInterface
    public interface DigestBuilder {
        /**
         * Called inside the transaction, perhaps more than once.
         *
         * @param gathered JSON text, or null for the first events
         */
        String add(String gathered, List<AlertEvent> events);
    }

    /**
     * An alert with its waiting events, deliveries and ongoing conditions.
     *
     * @param waiting the events that are in no delivery yet
     * @param conditions the ongoing conditions that were reported: key to event
     */
    public record AlertStanding(
            StoredAlert alert, Waiting waiting, DeliverySummary deliveries, Map<String, String> conditions) {
        /**
         * Events that are in no delivery yet.
         *
         * @param lasting how many of them concern a condition that still lasts
         * @param oldestMillis 0 if there are none
         */
        public record Waiting(long count, long lasting, long oldestMillis) {}

        /**
         * The alert's deliveries that have not ended.
         *
         * @param gatheringSinceMillis when the GATHERING delivery began; null if there is none
         * @param isSilencing whether a delivery collects the events of a silence
         * @param isUnderWay whether a delivery is being sent, or waits for an attempt; tests do not count
         * @param lastStartedMillis when the latest delivery was first sent; null if none was
         */
        public record DeliverySummary(
                Long gatheringSinceMillis, boolean isSilencing, boolean isUnderWay, Long lastStartedMillis) {}
    }

    /**
     * A condition that lasts, or what has happened.
     *
     * @param task the task that it concerns, or null
     * @param about JSON text of an object
     */
    public record Condition(String event, ConditionTask task, String about) {}

    /** The task that a condition concerns. */
    public record ConditionTask(long id, String app, String name) {}

    /**
     * The result of an attempt.
     *
     * @param againMillis the delay until the next attempt; used only for PENDING
     */
    public record DeliveryResult(DeliveryState state, long againMillis, String output, String error) {}

    public AlertOutbox(DataSource pool) {
        transactions = new Transactions(pool);
    }

    private <T> T guarded(Epoch epoch, T otherwise, SqlWork<T> work) {
        return transactions.run("alerts", c -> EpochGuard.isOwner(c, epoch) ? work.with(c) : otherwise);
    }

    /** Every alert with its waiting events, deliveries and conditions. */
    public List<AlertStanding> standings() {
        return transactions.run("read alerts", c -> {
            Map<String, Map<String, String>> conditions = new HashMap<>();
            query(
                    c,
                    row -> conditions
                            .computeIfAbsent(row.getString(1), alert -> new HashMap<>())
                            .put(row.getString(2), row.getString(3)),
                    "select alert, key, event from twinbell.alert_condition");
            return query(c, row -> readStanding(row, conditions), STANDINGS);
        });
    }

    private static AlertStanding readStanding(ResultSet row, Map<String, Map<String, String>> conditions)
            throws SQLException {
        StoredAlert alert = AlertRows.alert(row);
        return new AlertStanding(
                alert,
                new AlertStanding.Waiting(row.getLong(6), row.getLong(7), row.getLong(8)),
                new AlertStanding.DeliverySummary(
                        row.getObject(9, Long.class),
                        row.getBoolean(10),
                        row.getBoolean(11),
                        row.getObject(12, Long.class)),
                conditions.getOrDefault(alert.name(), Map.of()));
    }

    /** Moves waiting events of an alert, oldest first and at most {@code limit}, into its GATHERING delivery. */
    public void gather(Epoch epoch, String alert, int limit, DigestBuilder digestBuilder) {
        move(epoch, alert, DeliveryState.GATHERING, TAKE_ALL, limit, digestBuilder);
    }

    /** Moves waiting events into the SILENCED delivery. Events about a condition that still lasts continue to wait. */
    public void silence(Epoch epoch, String alert, int limit, DigestBuilder digestBuilder) {
        move(epoch, alert, DeliveryState.SILENCED, TAKE_WHAT_IS_OVER, limit, digestBuilder);
    }

    private void move(
            Epoch epoch, String alert, DeliveryState into, String take, int limit, DigestBuilder digestBuilder) {
        guarded(epoch, null, c -> {
            record Taken(long id, AlertEvent event) {}
            List<AlertEvent> events = query(
                            c,
                            row -> new Taken(
                                    row.getLong(1), new AlertEvent(row.getString(2), row.getLong(3), row.getString(4))),
                            take,
                            alert,
                            limit)
                    .stream()
                    .sorted((one, other) -> Long.compare(one.id(), other.id()))
                    .map(Taken::event)
                    .toList();
            if (!events.isEmpty()) {
                List<String> before = query(c, row -> row.getString(1), GATHERED, alert, into.name());
                String after = digestBuilder.add(before.isEmpty() ? null : before.get(0), events);
                update(c, before.isEmpty() ? GATHER_FIRST : GATHER_MORE, after, alert, into.name());
            }
            return null;
        });
    }

    /** Ends the SILENCED delivery of an alert: it is never sent. */
    public void endSilence(Epoch epoch, String alert) {
        guarded(epoch, 0, c -> update(c, """
                update twinbell.alert_delivery set ended_at = clock_timestamp()
                where alert = ? and state = 'SILENCED' and ended_at is null""", alert));
    }

    /** Deletes waiting events that are older than this. */
    public void forget(Epoch epoch, String alert, long beforeMillis) {
        guarded(
                epoch,
                0,
                c -> update(
                        c,
                        "delete from twinbell.alert_event where alert = ? and at < twinbell.instant(?)",
                        alert,
                        beforeMillis));
    }

    /** Closes the GATHERING delivery to further events, makes it due now, and returns it. */
    public Optional<AlertDelivery> close(Epoch epoch, String alert) {
        return guarded(epoch, List.<AlertDelivery>of(), c -> query(c, AlertRows::delivery, CLOSE, alert)).stream()
                .findFirst();
    }

    /**
     * Begins a condition for an alert that selects it, and raises one event.
     *
     * @param key of the condition, unique within the alert
     */
    public void begin(Epoch epoch, String alert, String key, Condition condition) {
        ConditionTask task = condition.task();
        guarded(
                epoch,
                0,
                c -> update(
                        c,
                        BEGIN,
                        alert,
                        key,
                        condition.event(),
                        condition.about(),
                        task == null ? null : task.app(),
                        task == null ? null : task.name(),
                        task == null ? null : task.id()));
    }

    /** Raises one event for an alert that selects it. */
    public void raise(Epoch epoch, String alert, Condition condition) {
        ConditionTask task = condition.task();
        guarded(
                epoch,
                0,
                c -> update(c, RAISE, alert, condition.event(), condition.about(), task.app(), task.name(), task.id()));
    }

    /** Ends a condition, and raises an event. */
    public void end(Epoch epoch, String alert, String key) {
        guarded(epoch, 0, c -> update(c, END, alert, key));
    }

    /** Due deliveries, and those whose attempt an earlier master did not finish; oldest first. */
    public List<AlertDelivery> due(Epoch epoch, int limit) {
        return transactions.run("read deliveries", c -> query(c, AlertRows::delivery, DUE, epoch.number(), limit));
    }

    /**
     * Counts an attempt before it is made.
     *
     * @param lostAfterMillis the time after which the attempt counts as lost
     * @return the delivery after the change; empty if it is no longer to be sent, or not under this epoch
     */
    public Optional<AlertDelivery> attempt(Epoch epoch, long id, long lostAfterMillis) {
        return guarded(
                        epoch,
                        List.<AlertDelivery>of(),
                        c -> query(c, AlertRows::delivery, ATTEMPT, epoch.number(), epoch.node(), lostAfterMillis, id))
                .stream()
                .findFirst();
    }

    /**
     * Records the result of an attempt.
     *
     * @return false if this is no longer the current attempt
     */
    public boolean record(Epoch epoch, long id, int attempt, DeliveryResult result) {
        String state = result.state().name();
        return guarded(
                        epoch,
                        0,
                        c -> update(
                                c,
                                RECORD,
                                state,
                                ColumnArrays.storable(result.output()),
                                ColumnArrays.storable(result.error()),
                                state,
                                result.againMillis(),
                                state,
                                id,
                                attempt))
                > 0;
    }

    /**
     * Deletes ended deliveries that are old or exceed {@code keepCount} per alert, and the rows that removed alerts and
     * tasks left behind.
     */
    public void prune(Epoch epoch, long keepMillis, int keepCount) {
        guarded(epoch, null, c -> {
            update(c, PRUNE_OLD, keepMillis);
            update(c, PRUNE_MANY, keepCount);
            update(c, """
                    delete from twinbell.task_ping p
                    where not exists (select 1 from twinbell.task t where t.id = p.task_id)""");
            for (String table : BESIDES) {
                update(c, String.format(Locale.ROOT, """
                        delete from twinbell.%s t
                        where not exists (select 1 from twinbell.alert a where a.name = t.alert)""", table));
            }
            return null;
        });
    }
}
