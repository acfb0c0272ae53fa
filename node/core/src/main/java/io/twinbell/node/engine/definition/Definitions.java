package io.twinbell.node.engine.definition;

import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.node.engine.run.AppHash;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.Urgency;
import io.twinbell.node.engine.task.TaskCompiler;
import io.twinbell.node.engine.task.TaskDefinition;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.ledger.claim.DueTask;
import io.twinbell.persistence.task.TaskName;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Cache of the compiled definitions of tasks that fired recently or will soon fire for the first time. So a recurring
 * task is not read and parsed for every slot. If an edit outdates an entry, the claim changes no row and the entry is
 * read again. An entry with an outdated calendar counts as absent. Only under the claimer's lock.
 */
public final class Definitions {
    private static final long SOON_MILLIS = Duration.ofMinutes(1).toMillis();
    /** In characters; most definitions have some hundred. */
    private static final int SMALL = 4096;

    /** Ordered by last use, the least recent first. */
    private final Map<Long, KnownDefinition> known = new LinkedHashMap<>(1024, 0.75f, true);

    private final TaskCompiler compiler;
    private final Bounds bounds;
    private long length;

    /**
     * The bounds of the cache.
     *
     * @param tasks number of tasks
     * @param length total characters of their definitions
     */
    public record Bounds(int tasks, long length) {}

    /**
     * A compiled definition of a task.
     *
     * @param definition null if it could not be read, for the reason given in {@code error}
     * @param offSchedule whether the next fire time that was read with it is valid even if the schedule does not have
     *     it. Later fire times are computed from the schedule by this process
     * @param length characters of the text that it was read from
     */
    public record KnownDefinition(
            long version,
            TaskName name,
            List<String> tags,
            TaskDefinition definition,
            String error,
            boolean offSchedule,
            int length) {
        static KnownDefinition of(DueTask task, TaskCompiler compiler) {
            TaskCompiler.Compiled compiled = compiler.compile(task.app(), task.name(), task.definition());
            return new KnownDefinition(
                    task.version(),
                    new TaskName(task.app(), task.name()),
                    task.tags(),
                    compiled.definition(),
                    compiled.error(),
                    task.offSchedule(),
                    task.definition().length());
        }

        /** Whether it was compiled with the current calendars. */
        boolean isCurrent(TaskCompiler compiler) {
            return definition == null || compiler.isCurrent(definition);
        }

        public SlotDecision.Due due(long taskId, long fireMillis, int oldestLeft) {
            return new SlotDecision.Due(taskId, version, definition, fireMillis, offSchedule, oldestLeft);
        }

        /** Creates the run of a slot that has just been claimed. */
        public Run firstRun(Slot slot, Epoch epoch, int generation) {
            Attempt first = new Attempt(slot, name.app(), name.name(), 1, epoch.number(), epoch.node(), tags);
            return new Run(epoch, first, definition, length(), generation);
        }

        public List<String> limitKeys() {
            return definition.limitKeys(name.app(), tags);
        }

        public short app() {
            return AppHash.of(name.app());
        }

        /** The task's priority; the default one if the definition cannot be read. */
        public int priority() {
            return definition == null
                    ? Urgency.USUAL
                    : definition.contentionPolicy().priority();
        }
    }

    public Definitions(Bounds bounds, TaskCompiler compiler) {
        this.bounds = bounds;
        this.compiler = compiler;
    }

    /** The task's entry, or null. */
    public KnownDefinition get(long taskId) {
        KnownDefinition found = known.get(taskId);
        return found != null && found.isCurrent(compiler) ? found : null;
    }

    public KnownDefinition add(DueTask task) {
        return keep(task.id(), KnownDefinition.of(task, compiler));
    }

    private KnownDefinition keep(long taskId, KnownDefinition learned) {
        forget(taskId);
        known.put(taskId, learned);
        length += learned.length();
        while (known.size() > bounds.tasks() || length > bounds.length()) {
            forget(known.keySet().iterator().next());
        }
        return learned;
    }

    /**
     * Updates the entry of a task that has just been read. A task due soon is added while there is time: otherwise
     * thousands of new tasks would be parsed at the instant at which they are due. Other tasks are read when they fire.
     * Most tasks of a large batch are due much later, and large definitions would fill the memory: neither may displace
     * tasks that fire already. An unreadable definition is not kept, because it may be corrected before the task fires.
     */
    public void renew(DueTask task, long nowMillis) {
        boolean isWorthLearning =
                isSoon(task.nextFireMillis(), nowMillis) && task.definition().length() < SMALL && hasRoom();
        if (isWorthLearning || has(task.id())) {
            KnownDefinition learned = KnownDefinition.of(task, compiler);
            if (learned.definition() == null) {
                forget(task.id());
            } else {
                keep(task.id(), learned);
            }
        }
    }

    /** Keeps only the given number of entries, the most recently used. */
    void trimTo(int latest) {
        while (known.size() > latest) {
            forget(known.keySet().iterator().next());
        }
    }

    /** Whether the task has an entry, which may be outdated. */
    boolean has(long taskId) {
        return known.containsKey(taskId);
    }

    int size() {
        return known.size();
    }

    static boolean isSoon(long fireMillis, long nowMillis) {
        return fireMillis - nowMillis < SOON_MILLIS;
    }

    /** Whether tasks may be added before they fire. */
    private boolean hasRoom() {
        return known.size() < bounds.tasks() / 2 && length < bounds.length() / 2;
    }

    public void forget(long taskId) {
        KnownDefinition forgotten = known.remove(taskId);
        length -= forgotten == null ? 0 : forgotten.length();
    }
}
