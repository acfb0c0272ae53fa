package io.twinbell.node.alert;

import io.twinbell.node.alert.store.AlertDelivery;
import io.twinbell.node.alert.store.AlertOutbox;
import io.twinbell.node.alert.store.AlertOutbox.AlertStanding;
import io.twinbell.node.alert.store.AlertOutbox.Condition;
import io.twinbell.node.alert.store.AlertStore.StoredAlert;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.loop.Loop;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes alerts on the master: gathers their events, applies silences, and sends deliveries. The code that records
 * an event enters it in the database. All state that must survive a change of master is in the database, so a successor
 * continues from there.
 */
public final class Alerts {
    private static final Logger LOG = LoggerFactory.getLogger(Alerts.class);
    /** Largest number of events moved at a time. */
    static final int BATCH = 1000;
    /** Number of deliveries kept for each alert. */
    static final int KEPT = 1000;

    private static final Duration LOOK = Duration.ofSeconds(1);
    private static final Duration WITHOUT_ALERTS = Duration.ofSeconds(2);
    private static final Duration BETWEEN_ACTS = Duration.ofMillis(20);
    private static final long BETWEEN_PRUNINGS = Duration.ofMinutes(1).toNanos();

    private final AlertOutbox outbox;
    private final Deliveries deliveries;
    private final OngoingConditions ongoingConditions;
    private final ExpectationMonitor watches;
    private final AlertListener listener;
    private final Supplier<Epoch> currentEpoch;
    private final DatabaseClock clock;
    private final Ticker ticker;
    private final Supplier<Calendars> calendars;
    private final Duration retention;
    private final Loop loop;
    private final Map<String, ParsedAlert> read = new HashMap<>();
    /** Conditions that alerts have checked already, accepted or not, so that each is checked once. */
    private final Set<String> offered = new HashSet<>();

    private Epoch of;
    private boolean hasPruned;
    private long prunedNanos;

    /** @param definition null if it cannot be read */
    private record ParsedAlert(long version, AlertDefinition definition) {}

    /**
     * @param currentEpoch the epoch under which this node is master, or null
     * @param retention how long deliveries are kept
     */
    public Alerts(
            AlertOutbox outbox,
            Deliveries deliveries,
            OngoingConditions ongoingConditions,
            ExpectationMonitor watches,
            AlertListener listener,
            Supplier<Epoch> currentEpoch,
            DatabaseClock clock,
            Ticker ticker,
            Supplier<Calendars> calendars,
            Duration retention,
            Loop loop) {
        this.outbox = outbox;
        this.deliveries = deliveries;
        this.ongoingConditions = ongoingConditions;
        this.watches = watches;
        this.listener = listener;
        this.currentEpoch = currentEpoch;
        this.clock = clock;
        this.ticker = ticker;
        this.calendars = calendars;
        this.retention = retention;
        this.loop = loop;
    }

    /** Does one bounded pass; returns how long to rest, in nanoseconds. */
    public long step() {
        Epoch epoch = currentEpoch.get();
        if (epoch == null || !epoch.equals(of)) {
            of = epoch;
            deliveries.forget();
            ongoingConditions.forget();
            watches.watch(Map.of());
            offered.clear();
        }
        if (epoch == null) {
            return LOOK.toNanos();
        }
        try {
            return step(epoch).toNanos();
        } catch (DatabaseUnavailableException e) {
            loop.failed(e);
            return LOOK.toNanos();
        }
    }

    private Duration step(Epoch epoch) {
        deliveries.recordFinished(epoch);
        pruneOrLog(epoch);
        List<AlertStanding> standings = outbox.standings();
        if (standings.isEmpty()) {
            read.clear();
            watches.watch(Map.of());
            return WITHOUT_ALERTS;
        }
        long now = clock.nowMillis();
        Map<String, AlertDefinition> known = definitions(standings);
        Set<String> silent = silent(known, now);
        watches.watch(watched(epoch, standings, known));
        recordOngoingConditions(epoch, standings, known);
        boolean hasActed = false;
        for (AlertStanding standing : standings) {
            AlertDefinition definition = known.get(standing.alert().name());
            if (definition != null) {
                AlertDecision.Act act = AlertDecision.decide(
                        definition, standing, silent.contains(standing.alert().name()), now);
                String alert = standing.alert().name();
                boolean hasWorked = isolated(alert, "step " + act, () -> act(epoch, act, alert, definition, now));
                // A failing step waits as long as a step with nothing to do.
                hasActed |= hasWorked && act != AlertDecision.Act.WAIT;
            }
        }
        deliveries.send(epoch, delivery -> sendable(delivery, known, silent));
        return hasActed ? BETWEEN_ACTS : LOOK;
    }

    private static Optional<AlertDefinition> sendable(
            AlertDelivery delivery, Map<String, AlertDefinition> known, Set<String> silent) {
        boolean isHeldBack = silent.contains(delivery.alert()) && !delivery.isTest();
        return isHeldBack ? Optional.empty() : Optional.ofNullable(known.get(delivery.alert()));
    }

    private Map<String, AlertDefinition> definitions(List<AlertStanding> standings) {
        Map<String, AlertDefinition> known = new HashMap<>();
        for (AlertStanding standing : standings) {
            StoredAlert alert = standing.alert();
            ParsedAlert before = read.get(alert.name());
            if (before == null || before.version() != alert.version()) {
                read.put(alert.name(), new ParsedAlert(alert.version(), definition(alert)));
            }
            AlertDefinition definition = read.get(alert.name()).definition();
            if (definition != null) {
                known.put(alert.name(), definition);
            }
        }
        read.keySet()
                .removeIf(name -> standings.stream()
                        .noneMatch(standing -> standing.alert().name().equals(name)));
        return known;
    }

    private static AlertDefinition definition(StoredAlert alert) {
        try {
            return AlertReader.stored(alert.content());
        } catch (InvalidJsonException e) {
            LOG.error(
                    "the definition of the alert {} can't be read, so it reports nothing; store it again: {}",
                    alert.name(),
                    e.getMessage());
            return null;
        }
    }

    /** The names of the silent alerts. An alert that is off counts as silent. */
    private Set<String> silent(Map<String, AlertDefinition> known, long nowMillis) {
        boolean namesCalendars = known.values().stream()
                .anyMatch(definition -> !definition.silence().calendars().isEmpty());
        Calendars shared = namesCalendars ? calendars.get() : Calendars.NONE;
        Set<String> silent = new HashSet<>();
        known.forEach((name, definition) -> {
            if (definition.on().isEmpty() || definition.silence().isAt(nowMillis, shared)) {
                silent.add(name);
            }
        });
        return silent;
    }

    private static Map<String, ExpectationMonitor.Watched> watched(
            Epoch epoch, List<AlertStanding> standings, Map<String, AlertDefinition> known) {
        Map<String, ExpectationMonitor.Watched> watched = new HashMap<>();
        for (AlertStanding standing : standings) {
            StoredAlert alert = standing.alert();
            AlertDefinition definition = known.get(alert.name());
            if (definition != null
                    && definition.watch() != null
                    && !definition.on().isEmpty()) {
                long since = ExpectationMonitor.since(alert.updatedAtMillis(), epoch.openedAtMillis());
                watched.put(alert.name(), new ExpectationMonitor.Watched(alert.version(), definition.watch(), since));
            }
        }
        return watched;
    }

    private void recordOngoingConditions(
            Epoch epoch, List<AlertStanding> standings, Map<String, AlertDefinition> known) {
        OngoingConditions.ConditionReading ofAll = ongoingConditions.now(epoch);
        Set<String> offers = new HashSet<>();
        for (AlertStanding standing : standings) {
            String alert = standing.alert().name();
            ExpectationMonitor.Unmet unmet =
                    watches.found(alert, standing.alert().version());
            OngoingConditions.ConditionReading reading = ofAll.with(unmet.conditions(), unmet.known());
            reading.conditions().keySet().forEach(key -> offers.add(offer(standing, key)));
            isolated(alert, "recording of conditions", () -> {
                raiseLateStarts(epoch, standing, unmet);
                beginAndEnd(epoch, standing, known.get(alert), reading);
            });
        }
        offered.retainAll(offers);
    }

    private static String offer(AlertStanding standing, String condition) {
        return standing.alert().name() + " " + standing.alert().version() + " " + condition;
    }

    /** A late start is forgotten once its event is committed, so a failure in between raises it again. */
    private void raiseLateStarts(Epoch epoch, AlertStanding standing, ExpectationMonitor.Unmet unmet) {
        String alert = standing.alert().name();
        for (Condition late : unmet.lateStarts()) {
            outbox.raise(epoch, alert, late);
            watches.raised(alert, standing.alert().version());
        }
    }

    /** @param definition null if it cannot be read */
    private void beginAndEnd(
            Epoch epoch,
            AlertStanding standing,
            AlertDefinition definition,
            OngoingConditions.ConditionReading reading) {
        String alert = standing.alert().name();
        Set<AlertEventType> on = definition == null ? Set.of() : definition.on();
        reading.conditions().forEach((key, condition) -> {
            String offer = offer(standing, key);
            if (on.contains(AlertEventType.valueOf(condition.event())) && !offered.contains(offer)) {
                outbox.begin(epoch, alert, key, condition);
                offered.add(offer);
            }
        });
        standing.conditions().forEach((key, event) -> {
            Optional<AlertEventType> eventType = AlertEventType.stored(event);
            boolean isOver = eventType.filter(reading.known()::contains).isPresent()
                    && !reading.conditions().containsKey(key);
            boolean isWanted = eventType.filter(on::contains).isPresent();
            if (isOver || !isWanted && definition != null) {
                outbox.end(epoch, alert, key);
            }
        });
    }

    /**
     * Does the work of one alert. Its failure does not stop the others, unless the database is away.
     *
     * @return whether it worked
     */
    private boolean isolated(String alert, String what, Runnable work) {
        try {
            work.run();
            return true;
        } catch (DatabaseUnavailableException e) {
            if (e.isOutage()) {
                throw e;
            }
            loop.failed(e.getMessage() + " (alert " + alert + ", " + what + ")");
        } catch (RuntimeException e) {
            loop.failed(new IllegalStateException("alert " + alert + ", " + what + ": " + e, e));
        }
        return false;
    }

    private void act(Epoch epoch, AlertDecision.Act act, String alert, AlertDefinition definition, long nowMillis) {
        switch (act) {
            case FORGET ->
                outbox.forget(
                        epoch,
                        alert,
                        nowMillis - definition.threshold().within().toMillis());
            case GATHER -> outbox.gather(epoch, alert, BATCH, AlertMessage::digest);
            case SILENCE -> outbox.silence(epoch, alert, BATCH, AlertMessage::digest);
            case END_SILENCE -> outbox.endSilence(epoch, alert);
            case CLOSE -> outbox.close(epoch, alert).ifPresent(this::notifyListener);
            default -> LOG.trace("nothing to do for the alert {}", alert);
        }
    }

    private void notifyListener(AlertDelivery delivery) {
        var message = AlertMessage.of(delivery);
        String summary = message.path("summary").asText();
        LOG.warn("alert {}: {}", delivery.alert(), summary);
        listener.onAlert(
                delivery.alert(),
                delivery.key().toString(),
                summary,
                message.path("count").asLong());
    }

    /** A failure to prune is only noted: old deliveries may stay for a while. */
    private void pruneOrLog(Epoch epoch) {
        try {
            prune(epoch);
        } catch (DatabaseUnavailableException e) {
            if (e.isOutage()) {
                throw e;
            }
            loop.failed(e);
        }
    }

    private void prune(Epoch epoch) {
        if (!hasPruned || ticker.nanos() - prunedNanos > BETWEEN_PRUNINGS) {
            hasPruned = true;
            prunedNanos = ticker.nanos();
            outbox.prune(epoch, retention.toMillis(), KEPT);
        }
    }
}
