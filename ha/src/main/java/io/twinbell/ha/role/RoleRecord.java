package io.twinbell.ha.role;

import io.twinbell.persistence.database.DatabaseClock;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.RoleChange;
import io.twinbell.persistence.epoch.RoleHistory;
import java.util.ArrayDeque;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.MDC;

/** This node's current role, and the one place where it changes. */
public final class RoleRecord {
    private static final Logger LOG = LoggerFactory.getLogger(RoleRecord.class);
    /** Changes that wait for the database to come back; older ones are only in the log then. */
    private static final int UNSAVED_LIMIT = 100;

    private final String node;
    private final UUID incarnation;
    private final RoleHistory history;
    private final DatabaseClock clock;
    private final RoleListener listener;
    private final ArrayDeque<RoleChange> unsaved = new ArrayDeque<>();
    private final AtomicReference<FirstFire> firstFire = new AtomicReference<>();
    private volatile long knownEpoch;
    private volatile Role role = Role.STOPPED;
    private volatile Transition last = new Transition(0, "not started", 0, 0);

    private record FirstFire(long epoch, long micros) {}

    /** The latest change: when (database's clock), why, how long it took, and how many there were. */
    public record Transition(long atMillis, String reason, long tookMillis, long count) {}

    public RoleRecord(String node, UUID incarnation, RoleHistory history, DatabaseClock clock, RoleListener listener) {
        this.node = node;
        this.incarnation = incarnation;
        this.history = history;
        this.clock = clock;
        this.listener = listener;
    }

    /** The newest epoch that this node has heard of. */
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

    /** Changes the role and records why. A change that the life of a node does not know is a bug and is refused. */
    void change(Role to, String reason, long epoch, long tookMillis, String steps) {
        Role from = role;
        if (!from.successors().contains(to)) {
            throw new IllegalStateException("no way from " + from + " to " + to + " (" + reason + ")");
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
        tell(from, to, reason, epoch);
    }

    private void log(Role from, Role to, String reason, long epoch, long tookMillis, String steps) {
        MDC.put("node", node);
        MDC.put("epoch", Long.toString(epoch));
        try {
            LOG.info("{} -> {} (epoch {}): {}; took {} ms {}", from, to, epoch, reason, tookMillis, steps);
        } finally {
            MDC.remove("node");
            MDC.remove("epoch");
        }
    }

    /**
     * The first handler under an epoch of this node has started; the history gets to know with the next step. Any thread.
     *
     * @param micros after the first page of the heap was in, or after its fire time if that came later
     */
    public void firstFired(long epoch, long micros) {
        firstFire.set(new FirstFire(epoch, micros));
    }

    /** Who is told must not be able to stop a change half way. */
    private void tell(Role from, Role to, String reason, long epoch) {
        try {
            listener.roleChanged(from, to, reason, epoch);
        } catch (RuntimeException e) {
            LOG.error("telling of {} -> {} failed", from, to, e);
        }
    }

    /** Writes what is not in the history yet; tries again another time if the database does not answer. */
    void save() {
        try {
            while (!unsaved.isEmpty()) {
                history.record(unsaved.getFirst());
                unsaved.removeFirst();
            }
            FirstFire fire = firstFire.get();
            if (fire != null) {
                history.addStep(node, fire.epoch(), "first fire", fire.micros());
                firstFire.compareAndSet(fire, null);
            }
        } catch (DatabaseUnavailableException e) {
            LOG.debug("role history not saved yet: {}", e.getMessage());
        }
    }
}
