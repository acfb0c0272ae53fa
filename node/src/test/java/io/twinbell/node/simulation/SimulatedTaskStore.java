package io.twinbell.node.simulation;

import io.twinbell.persistence.task.PassedSlots;
import io.twinbell.persistence.task.Task;
import io.twinbell.persistence.task.TaskChange;
import io.twinbell.persistence.task.TaskDecision;
import java.util.Optional;
import java.util.function.Consumer;

/** The part of {@code JdbcTaskStore} that edits of one task need. */
final class SimulatedTaskStore {
    private static final long LONGEST_WAIT = 3 * World.SECOND;

    private final Link link;
    private final SimulatedDatabase database;
    private final Tables tables;

    /** A committed edit. */
    record Edited(Task before, Optional<Task> after, long nowMillis) {}

    SimulatedTaskStore(Link link, SimulatedDatabase database) {
        this.link = link;
        this.database = database;
        tables = database.tables;
    }

    /** Waits for the lock on the row; empty if there is no such task. */
    Optional<Edited> change(long id, TaskDecision decision, Consumer<Edited> onCommit) {
        World world = database.world();
        world.pass(LONGEST_WAIT, () -> !database.isLocked(id, link.backend()), link.process());
        return link.ask("edit " + id, () -> {
            if (link.isUnanswered()) {
                throw link.unavailable("the edit waits for the replica");
            }
            Task current = tables.tasks.get(id);
            if (current == null || database.isLocked(id, link.serving())) {
                return Optional.empty();
            }
            long now = database.nowMillis();
            perform(current, decision.decide(current, now));
            Edited edited = new Edited(current, Optional.ofNullable(tables.tasks.get(id)), now);
            onCommit.accept(edited);
            return Optional.of(edited);
        });
    }

    private void perform(Task current, TaskChange change) {
        if (change instanceof TaskChange.Rewrite rewrite) {
            Task withContent = new Task(
                    current.id(),
                    current.version(),
                    rewrite.content(),
                    current.progress(),
                    current.createdAtMillis(),
                    database.nowMillis());
            tables.put(withContent, rewrite.progress(), true);
            rewrite.passed().ifPresent(passed -> pass(current, passed));
            database.tell("task", current.id());
        } else if (change instanceof TaskChange.Remove remove) {
            tables.tasks.remove(current.id());
            remove.passed().ifPresent(passed -> pass(current, passed));
            database.tell("task", current.id());
        }
    }

    private void pass(Task task, PassedSlots slots) {
        tables.passed.add(new Tables.Passed(
                task.id(), task.content().app(), task.content().name(), slots));
        database.tell("ledger", 0);
    }
}
