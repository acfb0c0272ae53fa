package io.twinbell.node.api.execution;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.cluster.ClusterView;
import io.twinbell.node.api.cluster.PairState;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.AppScope;
import io.twinbell.node.api.exchange.ExecutionJson;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.task.NamedTaskRoutes;
import io.twinbell.node.api.task.TaskRoutes;
import io.twinbell.node.explain.SlotExplainer;
import io.twinbell.node.explain.SlotExplanation;
import io.twinbell.node.explain.SlotFacts;
import io.twinbell.node.explain.SlotQuestion;
import io.twinbell.node.json.Instants;
import io.twinbell.node.json.InvalidJsonException;
import io.twinbell.node.json.StrictJson;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.schedule.Schedule;
import io.twinbell.node.schedule.Window;
import io.twinbell.node.schedule.text.ScheduleException;
import io.twinbell.node.schedule.text.ScheduleTypeException;
import io.twinbell.node.schedule.zone.ZoneNames;
import io.twinbell.node.task.TaskReader;
import io.twinbell.node.task.definition.TaskDefinition;
import io.twinbell.persistence.cluster.FiringPauses;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.query.Execution;
import io.twinbell.persistence.limit.LimitStore;
import io.twinbell.persistence.task.Task;
import java.time.ZoneId;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Routes that explain why a task ran, did not run, or will run at an instant. */
public final class ExplanationRoutes {
    private final ApiStores stores;
    private final ClusterView cluster;

    public ExplanationRoutes(ApiStores stores, ClusterView cluster) {
        this.stores = stores;
        this.cluster = cluster;
    }

    public List<Route> routes() {
        return List.of(
                Route.get(
                        ApiPaths.TASKS + "/{id}/why",
                        AccessRule.read(AppScope.TASK_IN_PATH),
                        context -> explain(context, TaskRoutes.id(context)),
                        "at",
                        "zone"),
                Route.get(
                        ApiPaths.NAMED_TASK + "/why",
                        AccessRule.read(AppScope.APP_IN_PATH),
                        context -> explain(context, NamedTaskRoutes.id(stores.tasks(), NamedTaskRoutes.key(context))),
                        "at",
                        "zone"));
    }

    private void explain(Context context, long id) {
        QueryParameters query = QueryParameters.of(context);
        Task task = stores.tasks().find(id).orElse(null);
        if (task == null && !stores.executions().knows(id)) {
            throw TaskRoutes.unknown(id);
        }
        SlotQuestion question = question(query, zone(query, task));
        SlotFacts.Definition definition = definition(id, task, question.zone());
        Execution row = row(id, question, definition.parsed());
        String waitsFor =
                row == null ? null : stores.executions().waitedLimit(slot(row)).orElse(null);
        SlotExplanation explanation = SlotExplainer.explain(
                question,
                new SlotFacts(
                        task,
                        definition,
                        row,
                        waitsFor,
                        row == null ? OptionalLong.empty() : stores.callbacks().awaitedUntil(slot(row)),
                        situation(question, task, definition.parsed())));
        ResponseWriter.json(context, 200, json(id, task, question, explanation, row));
    }

    private static SlotQuestion question(QueryParameters query, ZoneId zone) {
        String at = query.text("at");
        if (at == null) {
            throw QueryParameters.refusal("at", "must be given: the instant that you ask about");
        }
        try {
            return SlotQuestion.of(at, zone);
        } catch (IllegalArgumentException e) {
            throw QueryParameters.refusal("at", e.getMessage());
        }
    }

    /** The zone of the question, which is that of the task's schedule unless the request names one. */
    private static ZoneId zone(QueryParameters query, Task task) {
        String name = query.text("zone");
        try {
            if (name != null) {
                return ZoneNames.find("", name);
            }
            String own = task == null ? "" : scheduleOf(task).path("zone").asText();
            return ZoneNames.find("", own.isEmpty() ? "UTC" : own);
        } catch (ScheduleException e) {
            throw QueryParameters.refusal("zone", e.getMessage());
        }
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
                    false,
                    window(task));
        } catch (ScheduleTypeException e) {
            return SlotFacts.Definition.withoutScheduleType(e.getMessage());
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

    /** The row that accounts for the instant. A slot that was claimed in a batch has no row yet. */
    private Execution row(long id, SlotQuestion question, TaskDefinition definition) {
        Optional<Slot> slot = stores.executions().covering(id, question.fromMillis(), question.untilMillis());
        if (slot.isEmpty() && definition != null) {
            OptionalLong fire = SlotExplainer.fireTime(question, definition.schedule());
            slot = fire.isPresent() ? Optional.of(new Slot(id, fire.getAsLong())) : slot;
        }
        return slot.flatMap(stores.executions()::find).orElse(null);
    }

    private static Slot slot(Execution row) {
        return new Slot(row.slots().taskId(), row.slots().fireMillis());
    }

    private SlotFacts.Situation situation(SlotQuestion question, Task task, TaskDefinition definition) {
        PairState pair = cluster.pairState();
        return new SlotFacts.Situation(
                stores.clock().nowMillis(),
                pauses(pair.pause(), task, definition),
                pair.master() == null ? noMaster(pair) : null,
                stores.verification().forgottenMillis(),
                stores.verification().openings(question.fromMillis()),
                task == null || definition == null ? List.of() : fullLimits(task, definition));
    }

    /** The pause of all firing and the standing pauses of the task. */
    private List<FiringPauses.Pause> pauses(FiringPauses.Pause ofAll, Task task, TaskDefinition definition) {
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

    private static ObjectNode json(
            long id, Task task, SlotQuestion question, SlotExplanation explanation, Execution row) {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        json.put("taskId", id);
        json.put(
                "app",
                task == null ? (row == null ? null : row.app()) : task.content().app());
        json.put(
                "name",
                task == null
                        ? (row == null ? null : row.name())
                        : task.content().name());
        json.put("at", Instants.text(question.fromMillis()));
        json.put("zone", question.zone().getId());
        json.put("cause", explanation.cause().name());
        json.put("sentence", explanation.sentence());
        json.put("fireTime", text(explanation.fireMillis()));
        json.put("previousFireTime", text(explanation.previousMillis()));
        json.put("nextFireTime", text(explanation.nextMillis()));
        json.set("execution", row == null ? null : ExecutionJson.whole(row));
        return json;
    }

    private static String text(OptionalLong millis) {
        return millis.isPresent() ? Instants.text(millis.getAsLong()) : null;
    }
}
