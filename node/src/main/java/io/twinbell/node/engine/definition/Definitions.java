package io.twinbell.node.engine.definition;

import io.twinbell.node.engine.decision.SlotDecision;
import io.twinbell.node.engine.run.AppGroup;
import io.twinbell.node.engine.run.Run;
import io.twinbell.node.engine.run.Urgency;
import io.twinbell.node.task.TaskDefinition;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.ledger.Attempt;
import io.twinbell.persistence.ledger.DueTask;
import io.twinbell.persistence.ledger.Slot;
import io.twinbell.persistence.task.TaskName;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Compiled definitions of the tasks that fired last or will soon for the first time, so that a recurring task is not read
 * and parsed for every slot. An entry that an edit has outdated makes a claim that changes no row, and is read again then;
 * one that a calendar has outdated counts as not known. Only under the claimer's lock.
 */
public final class Definitions {
    private static final long SOON_MILLIS = Duration.ofMinutes(1).toMillis();
    /** Characters; those of most tasks have some hundred. */
    private static final int SMALL = 4096;

    /** The eldest use first. */
    private final Map<Long, Known> known = new LinkedHashMap<>(1024, 0.75f, true);

    private final DefinitionCompiler compiler;
    private final Bounds bounds;
    private long length;

    /**
     * How much is remembered.
     *
     * @param tasks how many
     * @param length characters of their definitions in all
     */
    public record Bounds(int tasks, long length) {}

    /**
     * @param definition null if it could not be read, for the reason given in {@code error}
     * @param offSchedule whether the next fire time that was read with it stands though the schedule may not have it; of
     *     the ones after it, which this process has reckoned itself, it does not matter
     * @param length characters of the text that it was read from
     */
    public record Known(
            long version,
            TaskName name,
            List<String> tags,
            TaskDefinition definition,
            String error,
            boolean offSchedule,
            int length) {
        public SlotDecision.Due due(long taskId, long fireMillis, int oldestLeft) {
            return new SlotDecision.Due(taskId, version, definition, fireMillis, offSchedule, oldestLeft);
        }

        /** Of a slot that has just been claimed. */
        public Run firstRun(Slot slot, Epoch epoch, int generation) {
            Attempt first = new Attempt(slot, name.app(), name.name(), 1, epoch.number(), epoch.node(), tags);
            return new Run(epoch, first, definition, length(), generation);
        }

        public List<String> limitKeys() {
            return definition.limitKeys(name.app(), tags);
        }

        public short app() {
            return AppGroup.of(name.app());
        }

        /** The usual one of a definition that cannot be read. */
        public int priority() {
            return definition == null ? Urgency.USUAL : definition.rank().priority();
        }
    }

    public Definitions(Bounds bounds, DefinitionCompiler compiler) {
        this.bounds = bounds;
        this.compiler = compiler;
    }

    /** What is known of the task, or null. */
    public Known get(long taskId) {
        Known found = known.get(taskId);
        return found != null && compiler.isCurrent(found) ? found : null;
    }

    public Known learn(DueTask task) {
        return keep(task.id(), compiler.compile(task));
    }

    Known keep(long taskId, Known learned) {
        forget(taskId);
        known.put(taskId, learned);
        length += learned.length();
        while (known.size() > bounds.tasks() || length > bounds.length()) {
            forget(known.keySet().iterator().next());
        }
        return learned;
    }

    /**
     * The task has just been read. What is due soon is learned while there is time: thousands that are new would else be
     * parsed at the instant at which they are due. The rest is read when it fires; most tasks of a large batch are not
     * due for long, large definitions would fill the memory, and what fires already is not to be forgotten for it. Nor is
     * it kept that one can't be read: that may be mended by then.
     */
    public void renew(DueTask task, long nowMillis) {
        boolean isWorthLearning =
                isSoon(task.nextFireMillis(), nowMillis) && task.definition().length() < SMALL && hasRoom();
        if (isWorthLearning || known.containsKey(task.id())) {
            Known learned = compiler.compile(task);
            if (learned.definition() == null) {
                forget(task.id());
            } else {
                keep(task.id(), learned);
            }
        }
    }

    /** Forgets all but so many, those that were asked for last. */
    void forgetAllBut(int latest) {
        while (known.size() > latest) {
            forget(known.keySet().iterator().next());
        }
    }

    int size() {
        return known.size();
    }

    static boolean isSoon(long fireMillis, long nowMillis) {
        return fireMillis - nowMillis < SOON_MILLIS;
    }

    /** Whether more may be learned before it fires. */
    boolean hasRoom() {
        return known.size() < bounds.tasks() / 2 && length < bounds.length() / 2;
    }

    public void forget(long taskId) {
        Known forgotten = known.remove(taskId);
        length -= forgotten == null ? 0 : forgotten.length();
    }
}
