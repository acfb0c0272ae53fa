package io.twinbell.node.memory;

import io.twinbell.node.json.StrictJson;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.limit.LimitKey;
import io.twinbell.persistence.limit.LimitSource;
import io.twinbell.persistence.limit.RunLimit;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskContent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;

/** Reads limits and what counts towards them from the tables in memory. */
public record MemoryLimits(MemoryTables tables) implements LimitSource {
    private static final Set<ExecutionState> NOT_STARTED =
            Set.of(ExecutionState.PENDING, ExecutionState.SKIPPED, ExecutionState.MISSED);

    @Override
    public List<RunLimit> limits() {
        tables.reach("read limits");
        return List.copyOf(tables.limits());
    }

    @Override
    public Map<String, Integer> runningElsewhere(Epoch epoch, Collection<String> keys) {
        tables.reach("count running executions");
        Map<String, Integer> running = new HashMap<>();
        tables.openRows()
                .filter(row -> row.isClaimed() && !row.isOf(epoch))
                .forEach(row -> keys(row, keys).forEach(key -> running.merge(key, 1, Integer::sum)));
        return running;
    }

    @Override
    public Map<String, List<Long>> startedWithin(Duration time, Collection<String> keys) {
        tables.reach("read starts");
        long since = tables.nowMillis() - time.toMillis();
        Map<String, List<Long>> started = new HashMap<>();
        tables.rows().stream()
                .filter(row -> !NOT_STARTED.contains(row.state) && row.claimedMillis != null)
                .filter(row -> row.claimedMillis > since
                        && row.slot.fireTimeMillis()
                                > since - Duration.ofDays(1).toMillis())
                .forEach(row -> keys(row, keys)
                        .forEach(key -> started.computeIfAbsent(key, any -> new ArrayList<>())
                                .add(row.claimedMillis)));
        return started;
    }

    private Stream<String> keys(MemoryRow row, Collection<String> wanted) {
        Task task = tables.tasks.get(row.slot.taskId());
        if (task == null) {
            return Stream.empty();
        }
        TaskContent content = task.content();
        String concurrencyKey = StrictJson.readStored(content.definition())
                .path("concurrencyKey")
                .textValue();
        return LimitKey.of(content.app(), content.tags(), content.handlerType(), content.handlerKey(), concurrencyKey)
                .stream()
                .filter(wanted::contains);
    }
}
