package io.twinbell.node.api.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.javalin.http.Context;
import io.twinbell.node.api.exchange.AccessRule;
import io.twinbell.node.api.exchange.AccessRule.AppScope;
import io.twinbell.node.api.exchange.ApiPaths;
import io.twinbell.node.api.exchange.ApiStores;
import io.twinbell.node.api.exchange.Caller;
import io.twinbell.node.api.exchange.NamedObject;
import io.twinbell.node.api.exchange.Problem;
import io.twinbell.node.api.exchange.Problem.ErrorBudget;
import io.twinbell.node.api.exchange.ProblemType;
import io.twinbell.node.api.exchange.QueryParameters;
import io.twinbell.node.api.exchange.RefusalReport;
import io.twinbell.node.api.exchange.RequestBody;
import io.twinbell.node.api.exchange.ResponseWriter;
import io.twinbell.node.api.exchange.Route;
import io.twinbell.node.api.exchange.TaskAccess;
import io.twinbell.node.schedule.Calendars;
import io.twinbell.node.task.TaskListReader;
import io.twinbell.persistence.task.NewTask;
import io.twinbell.persistence.task.TaskDecision;
import io.twinbell.persistence.task.TaskName;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalLong;
import java.util.Set;
import java.util.stream.Collectors;

/** Route that creates many tasks in one transaction. An invalid item does not prevent the others from being stored. */
public final class TaskBatchRoute {
    static final int MAX_ITEMS = 10_000;
    /** A task may finish or be removed between the lookup of its name and the change, so both are repeated. */
    private static final int ROUNDS = 3;

    private static final Problem NAME_CAME_AND_WENT = Problem.of(
            ProblemType.CONFLICT,
            "tasks of that name finished or were removed while this one was stored: send it again");

    private final ApiStores stores;

    public TaskBatchRoute(ApiStores stores) {
        this.stores = stores;
    }

    public List<Route> routes() {
        return List.of(Route.post(
                ApiPaths.TASKS + "/batch",
                AccessRule.edit(AppScope.IN_BODY),
                this::create,
                NameConflictPolicy.PARAMETER,
                NamedObject.DRY_RUN));
    }

    private void create(Context context) {
        QueryParameters query = QueryParameters.of(context);
        NameConflictPolicy ifExists = NameConflictPolicy.of(query, NameConflictPolicy.REFUSE);
        boolean dryRun = query.flag(NamedObject.DRY_RUN);
        List<JsonNode> items = RequestBody.items(context, MAX_ITEMS, "tasks").items();
        Calendars calendars = stores.calendars().fresh();
        List<BatchItem> batch = new ArrayList<>();
        TaskAccess access = new TaskAccess(Caller.of(context).principal());
        TaskListReader reader = new TaskListReader(stores.clock().nowMillis(), calendars);
        items.forEach(item -> batch.add(BatchItem.of(item, reader, calendars, stores.handlers(), access)));
        reportRefusals(context, batch);
        if (dryRun) {
            predictResults(batch.stream().filter(BatchItem::isOpen).toList(), ifExists);
            answer(context, batch);
            return;
        }
        for (int round = 0; round < ROUNDS; round++) {
            insert(batch.stream().filter(BatchItem::isOpen).toList());
            resolveExisting(batch.stream().filter(BatchItem::isOpen).toList(), ifExists);
        }
        batch.stream().filter(BatchItem::isOpen).forEach(item -> item.refused(NAME_CAME_AND_WENT));
        answer(context, batch);
    }

    /** Predicts the result of each item for a dry run, as far as possible without storing. */
    private void predictResults(List<BatchItem> batch, NameConflictPolicy ifExists) {
        Map<TaskName, Long> ids =
                stores.tasks().unfinishedIds(batch.stream().map(BatchItem::key).collect(Collectors.toSet()));
        for (BatchItem item : batch) {
            if (!ids.containsKey(item.key())) {
                item.wouldBe(BatchItem.ItemResult.CREATED);
            } else if (ifExists == NameConflictPolicy.REFUSE) {
                item.refused(TaskRoutes.nameTaken(item.key()));
            } else {
                item.wouldBe(BatchItem.ItemResult.EXISTING);
            }
        }
    }

    private void insert(List<BatchItem> batch) {
        List<NewTask> tasks = batch.stream().map(BatchItem::task).toList();
        List<OptionalLong> ids = stores.tasks().insertAll(tasks);
        for (int i = 0; i < batch.size(); i++) {
            ids.get(i).ifPresent(batch.get(i)::created);
        }
    }

    private void resolveExisting(List<BatchItem> taken, NameConflictPolicy ifExists) {
        if (ifExists == NameConflictPolicy.REFUSE || taken.isEmpty()) {
            taken.forEach(item -> item.refused(TaskRoutes.nameTaken(item.key())));
            return;
        }
        Set<TaskName> names = taken.stream().map(BatchItem::key).collect(Collectors.toSet());
        // A task that has finished since then is not kept, but it can be replaced.
        Map<TaskName, Long> ids = ifExists == NameConflictPolicy.KEEP
                ? stores.tasks().unfinishedIds(names)
                : stores.tasks().ids(names);
        Map<Long, TaskDecision> replacements = new HashMap<>();
        for (BatchItem item : taken) {
            Long id = ids.get(item.key());
            if (id != null) {
                item.existed(id);
                // If several items have the same name, the last one counts.
                replacements.put(id, item.replacement());
            }
        }
        if (ifExists == NameConflictPolicy.REPLACE) {
            Map<Long, Long> successors = stores.tasks().changeEach(replacements);
            taken.forEach(item -> item.succeeded(successors));
        }
    }

    private static void reportRefusals(Context context, List<BatchItem> batch) {
        List<Problem> refusals = batch.stream()
                .map(BatchItem::problem)
                .filter(problem -> problem != null && problem.type() == ProblemType.NOT_PERMITTED)
                .toList();
        refusals.stream().findFirst().ifPresent(first -> RefusalReport.report(context, first, refusals.size()));
    }

    /** Writes the answer item by item, because the answer to a dry run may be longer than the request. */
    private void answer(Context context, List<BatchItem> batch) {
        Set<String> keys = batch.stream()
                .filter(item -> item.itemResult() != BatchItem.ItemResult.REFUSED)
                .map(item -> item.task().content().handlerKey())
                .filter(Objects::nonNull)
                .collect(Collectors.toSet());
        Set<String> unknown =
                keys.isEmpty() ? Set.of() : Set.copyOf(stores.handlers().unknown(keys));
        ErrorBudget room = new ErrorBudget();
        ResponseWriter.list(context, batch.stream().map(item -> item.answer(room, unknown)), () -> {
            ObjectNode counts = JsonNodeFactory.instance.objectNode();
            for (BatchItem.ItemResult itemResult : BatchItem.ItemResult.values()) {
                counts.put(
                        itemResult.word(),
                        batch.stream()
                                .filter(item -> item.itemResult() == itemResult)
                                .count());
            }
            if (room.leftOut() > 0) {
                counts.put("errorsLeftOut", room.leftOut());
            }
            return counts;
        });
    }
}
