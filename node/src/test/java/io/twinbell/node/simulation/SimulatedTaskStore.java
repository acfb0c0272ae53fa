package io.twinbell.node.simulation;

import io.twinbell.node.memory.MemoryTaskStore;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskDecision;
import java.util.Optional;
import java.util.function.Consumer;

/** Edits of one task in the store in memory, behind a link. */
final class SimulatedTaskStore {
    private static final long LONGEST_WAIT = 3 * World.SECOND;

    private final Link link;
    private final SimulatedDatabase database;
    private final Tables tables;
    private final MemoryTaskStore store;

    /** A committed edit. */
    record Edited(Task before, Optional<Task> after, long nowMillis) {}

    SimulatedTaskStore(Link link, SimulatedDatabase database) {
        this.link = link;
        this.database = database;
        tables = database.tables;
        store = new MemoryTaskStore(tables, content -> {});
    }

    /** Waits for the lock on the row; empty if there is no such task. */
    Optional<Edited> change(long id, TaskDecision decision, Consumer<Edited> onCommit) {
        World world = database.world();
        world.pass(LONGEST_WAIT, () -> !database.isLocked(id, link.backend()), link.process());
        return link.ask("edit " + id, () -> {
            if (link.isUnanswered()) {
                throw link.unavailable("the edit waits for the replica");
            }
            Task current = tables.tasks().get(id);
            if (current == null || tables.isLocked(id)) {
                return Optional.empty();
            }
            long now = database.nowMillis();
            store.change(id, (task, millis) -> kept(decision.decide(task, millis)));
            Edited edited =
                    new Edited(current, Optional.ofNullable(tables.tasks().get(id)), now);
            onCommit.accept(edited);
            return Optional.of(edited);
        });
    }

    /** A finished task stays finished, because its plan is over. */
    private static TaskChange kept(TaskChange change) {
        return change instanceof TaskChange.Renew ? new TaskChange.Keep() : change;
    }
}
