package io.twinbell.node.engine;

import io.twinbell.node.task.TaskDefinition;
import io.twinbell.persistence.ledger.DueTask;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compiled definitions of the tasks that fired last, so that a recurring task is not read and parsed for every slot. An
 * entry that an edit has outdated makes a claim that changes no row, and is read again then; one that a calendar has
 * outdated counts as not known. Claimer's thread only.
 */
final class Definitions {
    private final Map<Long, Known> known;
    private final DefinitionCompiler compiler;

    /**
     * @param definition null if it could not be read, for the reason given in {@code error}
     * @param offSchedule whether the next fire time that was read with it stands though the schedule may not have it; of
     *     the ones after it, which this process has reckoned itself, it does not matter
     */
    record Known(
            long version,
            String app,
            String name,
            List<String> tags,
            TaskDefinition definition,
            String error,
            boolean offSchedule) {
        SlotDecision.Due due(long taskId, long fireMillis, int oldestLeft) {
            return new SlotDecision.Due(taskId, version, definition, fireMillis, offSchedule, oldestLeft);
        }

        List<String> limitKeys() {
            return definition.limitKeys(app, tags);
        }

        /** The usual one of a definition that cannot be read. */
        int priority() {
            return definition == null ? Urgency.USUAL : definition.rank().priority();
        }
    }

    Definitions(int capacity, DefinitionCompiler compiler) {
        this.compiler = compiler;
        known = new LinkedHashMap<>(1024, 0.75f, true) {
            private static final long serialVersionUID = 1L;

            @Override
            protected boolean removeEldestEntry(Map.Entry<Long, Known> eldest) {
                return size() > capacity;
            }
        };
    }

    /** What is known of the task, or null. */
    Known get(long taskId) {
        Known found = known.get(taskId);
        return found != null && compiler.isCurrent(found) ? found : null;
    }

    Known learn(DueTask task) {
        return keep(task.id(), compiler.compile(task));
    }

    Known keep(long taskId, Known learned) {
        known.put(taskId, learned);
        return learned;
    }

    /** What has not fired lately is read when it does: most tasks of a large batch are not due for long. */
    void renew(DueTask task) {
        if (known.containsKey(task.id())) {
            learn(task);
        }
    }

    void forget(long taskId) {
        known.remove(taskId);
    }
}
