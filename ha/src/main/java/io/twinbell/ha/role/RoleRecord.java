package io.twinbell.ha.role;

import io.twinbell.persistence.clock.DatabaseClock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.RoleChange;
import io.twinbell.persistence.epoch.RoleHistory;
import java.util.ArrayDeque;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;
import org.slf4j.event.Level;

/** This node's current role, and the only place where it changes. */
public final class RoleRecord {
    private static final Logger LOG = LoggerFactory.getLogger(RoleRecord.class);
    /** Bound on the changes that wait for the database to come back. Beyond it the oldest remain only in the log. */
    private static final int UNSAVED_LIMIT = 100;

    private final String node;
    private final UUID incarnation;
    private final RoleHistory history;
    private final DatabaseClock clock;
    private final RoleListener listener;
    private final ArrayDeque<RoleChange> unsaved = new ArrayDeque<>();
    private final AtomicReference<FirstFireTime> firstFire = new AtomicReference<>();
    private volatile long knownEpoch;
    private volatile Role role = Role.STOPPED;
    private volatile Transition last = new Transition(0, "not started", 0, 0);

    private record FirstFireTime(long epoch, long micros) {}

    /** The latest change: its time (database clock), its reason, its duration, and the number of changes so far. */
    public record Transition(long atMillis, String reason, long tookMillis, long count) {}

    public RoleRecord(String node, UUID incarnation, RoleHistory history, DatabaseClock clock, RoleListener listener) {
        this.node = node;
        this.incarnation = incarnation;
        this.history = history;
        this.clock = clock;
        this.listener = listener;
    }

    /** The newest epoch known to this node. */
    public long knownEpoch() {
        return knownEpoch;
    }

    /** Called on the thread that steps the role. */
    void saw(long epoch) {
        knownEpoch = Math.max(knownEpoch, epoch);
    }

    public Role role() {
        return role;
    }

    public Transition last() {
        return last;
    }

    /**
     * Changes the role and records why.
     *
     * @throws IllegalStateException if no transition leads from the current role to {@code to}, which is a bug
     */
    void change(Role to, String reason, long epoch, long tookMillis, String steps) {
        Role from = role;
        if (!from.successors().contains(to)) {
            throw new IllegalStateException("no transition from " + from + " to " + to + " (" + reason + ")");
        }
        saw(epoch);
        role = to;
        last = new Transition(clock.nowMillis(), reason, tookMillis, last.count() + 1);
        log(from, to, reason, epoch, tookMillis, steps);
        if (unsaved.size() == UNSAVED_LIMIT) {
            unsaved.removeFirst();
        }
        unsaved.add(new RoleChange(
                last.atMillis(), node, incarnation, epoch, from.name(), to.name(), reason, tookMillis, steps));
        notifyListeners(from, to, reason, epoch);
    }

    private void log(Role from, Role to, String reason, long epoch, long tookMillis, String steps) {
        MDC.put("node", node);
        MDC.put("epoch", Long.toString(epoch));
        try {
            // The entry for the end of the promotion follows within a second, and lists its steps.
            LOG.atLevel(to == Role.PROMOTING ? Level.DEBUG : Level.INFO)
                    .log("{} -> {} (epoch {}): {}; took {} ms {}", from, to, epoch, reason, tookMillis, steps);
        } finally {
            MDC.remove("node");
            MDC.remove("epoch");
        }
    }

    /**
     * Notes that the first handler under an epoch of this node has started; the next step writes it to the history. Any
     * thread.
     *
     * @param micros time since the first page of the task heap was read, or since the fire time if that came later
     */
    public void firstFired(long epoch, long micros) {
        firstFire.set(new FirstFireTime(epoch, micros));
    }

    /** A failing listener must not stop a role change half way. */
    private void notifyListeners(Role from, Role to, String reason, long epoch) {
        try {
            listener.roleChanged(from, to, reason, epoch);
        } catch (RuntimeException e) {
            LOG.error("reporting the role change {} -> {} failed", from, to, e);
        }
    }

    /** Writes the changes that are not in the history yet; a later call retries if the database does not answer. */
    void save() {
        try {
            while (!unsaved.isEmpty()) {
                history.record(unsaved.getFirst());
                unsaved.removeFirst();
            }
            FirstFireTime fire = firstFire.get();
            if (fire != null) {
                history.addStep(node, fire.epoch(), "first fire", fire.micros());
                firstFire.compareAndSet(fire, null);
            }
        } catch (DatabaseUnavailableException e) {
            LOG.debug("role history not saved yet: {}", e.getMessage());
        }
    }
}
