package io.twinbell.node.api.slot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.api.cluster.ClusterView;
import io.twinbell.node.api.cluster.PairState;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.audit.store.AuditEntry;
import io.twinbell.node.audit.store.AuditReader.AuditAct;
import io.twinbell.node.audit.store.AuditReader.AuditFilter;
import io.twinbell.node.audit.store.AuditReader.AuditKind;
import io.twinbell.node.engine.task.Schedule;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExplanationSource.HeartbeatGap;
import io.twinbell.node.explain.SlotCause;
import io.twinbell.node.explain.SlotExplainer;
import io.twinbell.node.explain.SlotExplainer.SlotExplanation;
import io.twinbell.node.explain.SlotFacts;
import io.twinbell.node.explain.SlotQuestion;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.limit.store.LimitStore;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.Window;
import io.twinbell.node.schedule.zone.ZoneNames;
import io.twinbell.node.task.TaskReader;
import io.twinbell.persistence.cluster.Pause;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.record.LedgerWait;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskState;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Reads the facts that an explanation needs, and has them explained. */
public final class ExplanationReader {
    /** A task has few changes of its definition and state. */
    private static final int MOST_ENTRIES = 200;

    private final ApiStores stores;
    private final ClusterView cluster;

    public ExplanationReader(ApiStores stores, ClusterView cluster) {
        this.stores = stores;
        this.cluster = cluster;
    }

    /**
     * Explains the first planned slot of the question's span.
     *
     * @param task null if it was removed
     */
    public ExplainedSlot explain(long id, Task task, SlotQuestion question) {
        ExplainedSlot explained = explainOnce(id, task, question);
        if (explained.explanation().cause() != SlotCause.UNACCOUNTED) {
            return explained;
        }
        // The task, its rows and what is not entered yet were read one after the other: a slot may have moved from one
        // to the other meanwhile.
        return explainOnce(id, stores.tasks().find(id).orElse(null), question);
    }

    private ExplainedSlot explainOnce(long id, Task task, SlotQuestion question) {
        SlotFacts.Definition definition = definition(id, task, question.zone());
        SlotRows rows = new SlotRows(stores, id, question, task, definition.parsed());
        Execution row = rows.entered();
        Execution unentered = row == null ? rows.unentered() : null;
        Execution known = row == null ? unentered : row;
        SlotFacts.Evidence evidence =
                new SlotFacts.Evidence(rows.count(), unentered == null, pause(id, task, question, known), gap(known));
        String waitsFor =
                row == null ? null : stores.executions().waitedLimit(row.slot()).orElse(null);
        SlotExplanation explanation = SlotExplainer.explain(
                question,
                new SlotFacts(
                        task,
                        definition,
                        known,
                        waitsFor,
                        row == null ? OptionalLong.empty() : stores.callbacks().awaitedUntil(row.slot()),
                        situation(question, task, definition.parsed()),
                        evidence));
        String earlier = row == null
                ? null
                : stores.evidence().earlierDefinition(row.slot()).orElse(null);
        return new ExplainedSlot(id, task, question, explanation, row, earlier);
    }

    /** The pause that the slot or the task is subject to; null if there is none, or its beginning is not known. */
    private SlotFacts.PauseBegin pause(long id, Task task, SlotQuestion question, Execution row) {
        if (row == null) {
            boolean isPaused = task != null && task.progress().state() == TaskState.PAUSED;
            return isPaused ? pauseOfTask(id, Long.MAX_VALUE) : null;
        }
        if (row.state() != ExecutionState.SKIPPED || row.outcome().reason() == null) {
            return null;
        }
        long fire = row.slots().fireMillis();
        if (row.outcome().reason().startsWith("paused")) {
            return pauseOfTask(id, row.slots().untilFireMillis().orElse(Math.max(fire, question.fromMillis())));
        }
        return stores.evidence().pausesAt(fire).stream()
                .filter(pause -> row.outcome().reason().startsWith("firing was paused by " + pause.by()))
                .filter(pause -> row.outcome().reason().contains(" for " + pause.key() + ":") == pause.isStanding())
                .map(pause -> new SlotFacts.PauseBegin(pause.fromMillis(), pause.by()))
                .findFirst()
                .orElse(null);
    }

    /** The latest change to PAUSED at or before an instant, if the audit still has it. */
    private SlotFacts.PauseBegin pauseOfTask(long id, long atMillis) {
        Long until = atMillis == Long.MAX_VALUE ? null : atMillis + 1;
        AuditFilter changes =
                new AuditFilter(null, until, null, null, AuditKind.TASK, String.valueOf(id), null, null, false);
        for (AuditEntry entry : stores.audit().list(changes, null, MOST_ENTRIES)) {
            boolean began = entry.act().equals(AuditAct.CREATE.name())
                    || entry.act().equals(AuditAct.PAUSE.name())
                            && !isPaused(entry.values().before());
            if (began) {
                return new SlotFacts.PauseBegin(
                        Math.floorDiv(entry.atMicros(), 1000L), entry.author().name());
            }
        }
        return null;
    }

    private static boolean isPaused(String stateJson) {
        return stateJson != null
                && TaskState.PAUSED
                        .name()
                        .equals(StrictJson.readStored(stateJson).path("state").asText());
    }

    private HeartbeatGap gap(Execution row) {
        return row == null || row.state() != ExecutionState.MISSED
                ? null
                : stores.evidence().gap(row.slots().fireMillis()).orElse(null);
    }

    /**
     * The zone of the task's schedule; UTC if it has none, or the task was removed.
     *
     * @param task null if it was removed
     * @throws io.twinbell.node.engine.task.ScheduleException if this node does not know the zone
     */
    public static ZoneId zone(Task task) {
        String own = task == null ? "" : scheduleOf(task).path("zone").asText();
        return ZoneNames.find("", own.isEmpty() ? "UTC" : own);
    }

    private static JsonNode scheduleOf(Task task) {
        return StrictJson.readStored(task.content().definition()).path("schedule");
    }

    private SlotFacts.Definition definition(long id, Task task, ZoneId zone) {
        if (task == null) {
            return SlotFacts.Definition.NONE;
        }
        try {
            Calendars calendars = stores.calendars().fresh();
            return new SlotFacts.Definition(
                    parsed(task, task.content().definition(), calendars),
                    isIn(zone, scheduleOf(task))
                            ? parsed(task, inUtc(task), stores.calendars().none())
                            : null,
                    null,
                    stores.verification().planned(id).orElse(null),
                    window(task));
        } catch (InvalidJsonException e) {
            return SlotFacts.Definition.unreadable(e.getMessage());
        }
    }

    private static boolean isIn(ZoneId zone, JsonNode schedule) {
        return schedule.hasNonNull("zone")
                && ZoneNames.find("", schedule.get("zone").asText()).equals(zone);
    }

    private static Window window(Task task) {
        JsonNode definition = StrictJson.readStored(task.content().definition());
        return new Window(
                Instants.millis(definition.get("start").asText()),
                definition.hasNonNull("end")
                        ? Instants.millis(definition.get("end").asText())
                        : Schedule.NEVER);
    }

    private static TaskDefinition parsed(Task task, String definition, Calendars calendars) {
        return TaskReader.definition(task.content().app(), task.content().name(), definition, calendars);
    }

    /** The definition with UTC as its zone, without calendars and window: it has every local time of the schedule. */
    private static String inUtc(Task task) {
        ObjectNode definition =
                (ObjectNode) StrictJson.readStored(task.content().definition());
        definition.remove(List.of("calendars", "end", "jitter"));
        definition.put("start", Instants.text(0));
        ((ObjectNode) definition.get("schedule")).put("zone", "UTC");
        return definition.toString();
    }

    private SlotFacts.Situation situation(SlotQuestion question, Task task, TaskDefinition definition) {
        PairState pair = cluster.pairState();
        return new SlotFacts.Situation(
                stores.clock().nowMillis(),
                pauses(pair.pause(), task, definition),
                pair.master() == null ? noMaster(pair) : null,
                stores.verification().forgottenMillis(),
                stores.verification().openings(question.fromMillis()),
                task == null || definition == null ? List.of() : fullLimits(task, definition),
                task != null
                        && stores.executions()
                                .isWaitedFor(LedgerWait.quota(task.content().app())));
    }

    /** The pause of all firing and the standing pauses of the task. */
    private List<Pause> pauses(Pause ofAll, Task task, TaskDefinition definition) {
        if (task == null || definition == null) {
            return ofAll == null ? List.of() : List.of(ofAll);
        }
        List<String> keys =
                definition.limitKeys(task.content().app(), task.content().tags());
        return Stream.concat(
                        Stream.ofNullable(ofAll),
                        stores.pauses().open().stream().filter(pause -> keys.contains(pause.key())))
                .toList();
    }

    private static String noMaster(PairState pair) {
        String heldBack = pair.nodes().stream()
                .map(PairState.Node::electionState)
                .filter(Objects::nonNull)
                .map(PairState.ElectionState::heldBack)
                .filter(Objects::nonNull)
                .collect(Collectors.joining("; "));
        if (!heldBack.isEmpty()) {
            return heldBack;
        }
        String errors = pair.nodes().stream()
                .filter(node -> node.error() != null)
                .map(node -> "node " + node.id() + ": " + node.error())
                .collect(Collectors.joining("; "));
        return errors.isEmpty() ? "no node has taken over yet" : errors;
    }

    private List<SlotFacts.FullLimit> fullLimits(Task task, TaskDefinition definition) {
        return definition.limitKeys(task.content().app(), task.content().tags()).stream()
                .map(key -> stores.limits().find(key).orElse(null))
                .filter(use -> use != null && use.waiting() > 0 && isFull(use))
                .map(SlotFacts.FullLimit::of)
                .toList();
    }

    private static boolean isFull(LimitStore.Use use) {
        return use.running() >= use.limit().maxRunning() || use.limit().rate() != null;
    }
}
