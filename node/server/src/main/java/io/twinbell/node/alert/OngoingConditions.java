package io.twinbell.node.alert;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.alert.store.AlertOutbox;
import io.twinbell.node.cluster.store.HandlerKeys;
import io.twinbell.node.execution.StuckDetector;
import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import java.time.Duration;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Finds the ongoing conditions that alerts report: executions that are stuck, handlers and other needs of tasks that no node has, and the
 * lack of a standby that could take over.
 */
public final class OngoingConditions {
    /** A standby that is restarted is back sooner. */
    static final Duration WITHOUT_STANDBY = Duration.ofSeconds(10);

    private final Supplier<StuckDetector.StuckReport> stuck;
    private final Supplier<UnknownHandlerSurvey.Report> unknownHandlers;
    private final Supplier<Optional<String>> noStandby;
    private final Ticker ticker;
    private boolean isLacking;
    private long lackingSince;

    /**
     * The current conditions, by key.
     *
     * @param known the event types that can be judged now; nothing is known about the others
     */
    record ConditionReading(Map<String, AlertOutbox.Condition> conditions, Set<AlertEventType> known) {
        /** Adds the conditions that concern one alert only. */
        ConditionReading with(Map<String, AlertOutbox.Condition> own, Set<AlertEventType> ownKnown) {
            if (own.isEmpty() && ownKnown.isEmpty()) {
                return this;
            }
            Map<String, AlertOutbox.Condition> all = new LinkedHashMap<>(conditions);
            all.putAll(own);
            Set<AlertEventType> allKnown = EnumSet.noneOf(AlertEventType.class);
            allKnown.addAll(known);
            allKnown.addAll(ownKnown);
            return new ConditionReading(all, allKnown);
        }
    }

    /** @param noStandby why no node could take over; empty if one could */
    public OngoingConditions(
            Supplier<StuckDetector.StuckReport> stuck,
            Supplier<UnknownHandlerSurvey.Report> unknownHandlers,
            Supplier<Optional<String>> noStandby,
            Ticker ticker) {
        this.stuck = stuck;
        this.unknownHandlers = unknownHandlers;
        this.noStandby = noStandby;
        this.ticker = ticker;
    }

    /** Forgets all conditions, because this node is not master. */
    void forget() {
        isLacking = false;
    }

    ConditionReading now(Epoch epoch) {
        Map<String, AlertOutbox.Condition> conditions = new LinkedHashMap<>();
        Set<AlertEventType> known = EnumSet.noneOf(AlertEventType.class);
        standby(epoch, conditions, known);
        unknownHandlers(epoch, conditions, known);
        StuckDetector.StuckReport stuckReport = stuck.get();
        // Executions seen as stuck before this node became master may be settled by now.
        if (stuckReport.atMillis() > epoch.openedAtMillis()) {
            known.add(AlertEventType.STUCK);
            stuckReport.stuck().forEach(one -> conditions.put(key(one), condition(one)));
        }
        return new ConditionReading(conditions, known);
    }

    private void unknownHandlers(
            Epoch epoch, Map<String, AlertOutbox.Condition> conditions, Set<AlertEventType> known) {
        UnknownHandlerSurvey.Report report = unknownHandlers.get();
        if (report.atMillis() <= epoch.openedAtMillis()) {
            return;
        }
        if (report.missing().size() < UnknownHandlerSurvey.MAX_HANDLERS) {
            known.add(AlertEventType.UNKNOWN_HANDLER);
        }
        String event = AlertEventType.UNKNOWN_HANDLER.name();
        for (HandlerKeys.UnknownCode code : report.missing()) {
            ObjectNode about = JsonNodeFactory.instance.objectNode();
            UnknownWords words = UnknownWords.of(code.kind());
            about.put(words.member(), code.key());
            about.put(
                    "reason",
                    "tasks such as " + code.app() + "/" + code.task() + " need the " + words.noun() + " \"" + code.key()
                            + "\"");
            conditions.put(
                    event + words.prefix() + code.key(),
                    new AlertOutbox.Condition(event, null, StrictJson.write(about)));
        }
    }

    /**
     * How a condition describes what no node has.
     *
     * @param member the field with its name
     * @param prefix begins the key of the condition
     */
    private record UnknownWords(String noun, String member, String prefix) {
        static UnknownWords of(HandlerKeys.CodeKind kind) {
            return switch (kind) {
                case JAVA_HANDLER -> new UnknownWords("Java handler", "key", " ");
                case HTTP_PROFILE -> new UnknownWords("http profile", "httpProfile", " profile:");
            };
        }
    }

    private void standby(Epoch epoch, Map<String, AlertOutbox.Condition> conditions, Set<AlertEventType> known) {
        Optional<String> reason = noStandby.get();
        if (reason.isPresent() && !isLacking) {
            lackingSince = ticker.nanos();
        }
        isLacking = reason.isPresent();
        if (reason.isEmpty()) {
            known.add(AlertEventType.NO_STANDBY);
        } else if (ticker.nanos() - lackingSince >= WITHOUT_STANDBY.toNanos()) {
            known.add(AlertEventType.NO_STANDBY);
            ObjectNode about = JsonNodeFactory.instance.objectNode();
            about.put("node", epoch.node()).put("epoch", epoch.number()).put("reason", reason.get());
            String name = AlertEventType.NO_STANDBY.name();
            conditions.put(name, new AlertOutbox.Condition(name, null, StrictJson.write(about)));
        }
    }

    private static String key(StuckDetector.Stuck stuck) {
        return "STUCK " + stuck.slot().taskId() + "-" + stuck.slot().fireTimeMillis() + " " + stuck.attempt();
    }

    private static AlertOutbox.Condition condition(StuckDetector.Stuck stuck) {
        ObjectNode about = JsonNodeFactory.instance.objectNode();
        about.put("app", stuck.app());
        about.put("name", stuck.name());
        about.put("taskId", stuck.slot().taskId());
        about.put("fireTime", stuck.slot().fireTime());
        about.put("state", stuck.state().name());
        about.put("attempt", stuck.attempt());
        about.put("node", stuck.node());
        about.put("epoch", stuck.epoch());
        about.put("reason", stuck.reason());
        return new AlertOutbox.Condition(
                AlertEventType.STUCK.name(),
                new AlertOutbox.ConditionTask(stuck.slot().taskId(), stuck.app(), stuck.name()),
                StrictJson.write(about));
    }
}
