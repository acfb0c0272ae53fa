package io.twinbell.node.virtual;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.api.slot.ExplainedSlot;
import io.twinbell.node.api.slot.TaskSlots;
import io.twinbell.node.execution.store.Execution;
import io.twinbell.node.execution.store.ExecutionFilter;
import io.twinbell.node.execution.store.ExecutionQueries;
import io.twinbell.node.execution.store.ExecutionQueries.ExecutionPage;
import io.twinbell.node.execution.store.ExecutionQueries.ExecutionStatistics;
import io.twinbell.node.execution.store.ExecutionQueries.ManualRun;
import io.twinbell.node.execution.store.ExecutionRequests;
import io.twinbell.node.explain.SlotQuestion;
import io.twinbell.node.memory.MemoryRequests;
import io.twinbell.node.memory.MemoryRow;
import io.twinbell.node.memory.MemoryTables;
import io.twinbell.persistence.ledger.ExecutionState;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.task.Task;
import java.time.ZoneId;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongPredicate;
import java.util.stream.Stream;

/** Lists the executions in the tables in memory, and runs them again. */
record VirtualExecutions(MemoryTables tables) implements ExecutionQueries, ExecutionRequests {
    private static final Comparator<MemoryRow> OLDEST_FIRST = Comparator.comparingLong(
                    (MemoryRow row) -> row.slot.fireTimeMillis())
            .thenComparingLong(row -> row.slot.taskId());

    @Override
    public Optional<Execution> find(Slot slot) {
        tables.reach("read an execution");
        return Optional.ofNullable(tables.row(slot)).map(MemoryRow::execution);
    }

    @Override
    public List<Execution> list(ExecutionFilter filter, ExecutionPage page) {
        Comparator<MemoryRow> order = page.oldestFirst() ? OLDEST_FIRST : OLDEST_FIRST.reversed();
        return matching(filter, order)
                .filter(row -> page.after() == null || isAfter(row.slot, page.after(), page.oldestFirst()))
                .limit(page.limit())
                .map(MemoryRow::execution)
                .toList();
    }

    private static boolean isAfter(Slot slot, Slot place, boolean oldestFirst) {
        int byTime = Long.compare(slot.fireTimeMillis(), place.fireTimeMillis());
        int order = byTime == 0 ? Long.compare(slot.taskId(), place.taskId()) : byTime;
        return oldestFirst ? order > 0 : order < 0;
    }

    private Stream<MemoryRow> matching(ExecutionFilter filter, Comparator<MemoryRow> order) {
        if (filter.inDoubt() || filter.task().tag() != null) {
            throw VirtualNode.absent("slots in doubt, and no selection of executions by tag");
        }
        tables.reach("list executions");
        return tables.rows().stream()
                .filter(row -> matches(row, row.execution(), filter))
                .sorted(order);
    }

    private static boolean matches(MemoryRow row, Execution execution, ExecutionFilter filter) {
        ExecutionFilter.OfTask task = filter.task();
        long fireMillis = row.slot.fireTimeMillis();
        return (task.id() == null || task.id() == row.slot.taskId())
                && isGiven(task.app(), execution.app())
                && isGiven(task.name(), execution.name())
                && (filter.states().isEmpty() || filter.states().contains(execution.state()))
                && (filter.fromMillis() == null || fireMillis >= filter.fromMillis())
                && (filter.untilMillis() == null || fireMillis < filter.untilMillis())
                && isGiven(filter.node(), row.node)
                && (filter.epoch() == null
                        || execution.claim().epoch().isPresent()
                                && execution.claim().epoch().getAsLong() == filter.epoch())
                && isGiven(filter.errorCode(), row.errorCode);
    }

    private static boolean isGiven(String wanted, String value) {
        return wanted == null || Objects.equals(wanted, value);
    }

    /** The slots that can run again, oldest first. */
    List<Slot> rerunnable(ExecutionFilter filter, int limit) {
        MemoryRequests requests = new MemoryRequests(tables);
        return matching(filter, OLDEST_FIRST)
                .filter(row -> requests.obstacle(row) == null)
                .limit(limit)
                .map(row -> row.slot)
                .toList();
    }

    @Override
    public Optional<Answer> cancel(Slot slot, String reason) {
        boolean isAsked = new MemoryRequests(tables).cancel(slot, reason);
        return find(slot)
                .map(execution -> new Answer(isAsked ? null : "it has ended: " + execution.state(), execution));
    }

    @Override
    public Optional<Answer> rerun(Slot slot, String reason) {
        return Optional.ofNullable(tables.row(slot)).map(row -> {
            MemoryRequests requests = new MemoryRequests(tables);
            String obstacle = requests.obstacle(row);
            requests.rerun(slot, reason);
            return new Answer(obstacle, row.execution());
        });
    }

    @Override
    public int rerunAll(ExecutionFilter filter, String reason, int limit) {
        List<Slot> slots = rerunnable(filter, limit);
        slots.forEach(slot -> new MemoryRequests(tables).rerun(slot, reason));
        return slots.size();
    }

    @Override
    public Optional<String> waitedLimit(Slot slot) {
        throw VirtualNode.absent("queries about limits");
    }

    @Override
    public boolean isWaitedFor(String limitKey) {
        throw VirtualNode.absent("queries about limits");
    }

    @Override
    public boolean knows(long taskId) {
        throw VirtualNode.absent("statistics");
    }

    @Override
    public ExecutionStatistics statistics(long taskId, long fromMillis, long untilMillis) {
        throw VirtualNode.absent("statistics");
    }

    @Override
    public Map<Long, ExecutionState> lastOutcomes(Collection<Long> taskIds) {
        throw VirtualNode.absent("statistics");
    }

    @Override
    public Map<Long, Long> meanRunMillis(long sinceMillis, int most) {
        throw VirtualNode.absent("statistics");
    }

    @Override
    public Optional<Execution> trigger(long taskId, LongPredicate planned, ManualRun run) {
        throw VirtualNode.absent("triggers by the id of a task");
    }

    @Override
    public void release(Slot slot, String reason) {
        throw VirtualNode.absent("releases");
    }

    @Override
    public Optional<List<Long>> backfill(long taskId, List<Long> fireMillis, Backfill backfill) {
        throw VirtualNode.absent("backfills");
    }

    @Override
    public int cancelBackfill(long taskId, String reason) {
        throw VirtualNode.absent("backfills");
    }

    /** The operations on slots in virtual time: runs by hand, lists and reruns. */
    record VirtualTaskSlots(VirtualNode node, VirtualExecutions executions) implements TaskSlots {
        @Override
        public Writers writers() {
            return new Writers(executions, executions, this::ping);
        }

        @Override
        public TaskSlots writingTo(Writers writers) {
            throw VirtualNode.absent("database whose transaction a call could join");
        }

        @Override
        public Optional<Slot> trigger(Task task, ManualRun run) {
            return Optional.of(node.trigger(task, run.reason(), run.data()));
        }

        @Override
        public Optional<ObjectNode> backfill(Task task, ObjectNode body) {
            throw VirtualNode.absent("backfill");
        }

        @Override
        public int cancelBackfill(long taskId) {
            throw VirtualNode.absent("backfill");
        }

        @Override
        public OptionalLong ping(long taskId) {
            throw VirtualNode.absent("pings");
        }

        @Override
        public ZoneId zone(Task task) {
            throw VirtualNode.absent("explanations");
        }

        @Override
        public ExplainedSlot explain(Task task, SlotQuestion question) {
            throw VirtualNode.absent("explanations");
        }
    }
}
