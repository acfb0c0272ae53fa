package io.twinbell.node.simulation;

import io.twinbell.node.memory.TableListener;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Predicate;

/**
 * The database server: its sessions, locks, clock and notifications, and which nodes reach it. Its rows are in {@link
 * Tables}.
 */
final class SimulatedDatabase {
    /** 2026-11-21T00:00:00Z, when every simulation begins. */
    static final long EPOCH_MILLIS = 1_795_219_200_000L;
    /** The time after which the server notices that a host is silent. */
    private static final long KEEPALIVE = 2 * World.SECOND;

    private static final String MASTER_LOCK = "master";

    final Tables tables = new Tables(this);

    private final SimulatedReplica replica = new SimulatedReplica(this);
    private final World world;
    private final Weather weather = new Weather();
    private final Map<Integer, Backend> backends = new LinkedHashMap<>();
    private final Map<String, Backend> advisory = new HashMap<>();
    private final Map<String, Runnable> lockWaiters = new LinkedHashMap<>();
    private final Map<String, Boolean> cutSilently = new HashMap<>();
    private final List<Notices> listeners = new ArrayList<>();
    private final Map<Long, Long> heldTasks = new HashMap<>();
    private final Map<String, Long> stalledUntil = new HashMap<>();
    private Backend serving;
    private boolean down;
    private int pids = 1000;

    /** Receives the notifications of commits. */
    interface Notices {
        /** The listening session; null if it does not listen now. */
        Backend listening();

        void hear(String channel, long taskId);
    }

    SimulatedDatabase(World world) {
        this.world = world;
        tables.tell(new TableListener() {
            @Override
            public void taskChanged(long id) {
                SimulatedDatabase.this.tell("task", id);
            }

            @Override
            public void ledgerChanged() {
                SimulatedDatabase.this.tell("ledger", 0);
            }

            @Override
            public void limitsChanged() {}

            @Override
            public void calendarsChanged() {}
        });
    }

    World world() {
        return world;
    }

    SimulatedReplica replica() {
        return replica;
    }

    void endAll() {
        sessions(backend -> true).forEach(this::end);
    }

    /** The session whose statement is executed now. */
    Backend serving() {
        return serving;
    }

    void serves(Backend backend) {
        serving = backend;
    }

    Weather weather() {
        return weather;
    }

    long nowMicros() {
        return EPOCH_MILLIS * 1000 + world.now() / 1000;
    }

    long nowMillis() {
        return Math.floorDiv(nowMicros(), 1000);
    }

    boolean isReachableFrom(String node) {
        return !down && !cutSilently.containsKey(node);
    }

    boolean isSilentFor(String node) {
        return cutSilently.getOrDefault(node, false);
    }

    /** Cuts the node off: silently, or so that its own host reports it. */
    void cut(String node, boolean silently) {
        cutSilently.put(node, silently);
        sessions(backend -> backend.process.node().equals(node)).forEach(this::abandon);
    }

    void mend(String node) {
        cutSilently.remove(node);
    }

    /** Stops at once. Everything that was not committed is lost. */
    void crash() {
        down = true;
        endAll();
    }

    void start() {
        down = false;
    }

    /** Fails over to a replica that lacks the latest promotion and everything since. */
    boolean failOverToReplica() {
        boolean hasReplica = tables.goBack();
        if (hasReplica) {
            endAll();
        }
        return hasReplica;
    }

    boolean isDown() {
        return down;
    }

    Backend connect(Process process, String purpose) {
        Backend backend = new Backend(++pids, process, purpose);
        backend.spokeNanos = world.now();
        backends.put(backend.pid, backend);
        return backend;
    }

    /**
     * Ends the session of a client that has gone: at once if no statement is under way and the client's host can report
     * it.
     */
    void abandon(Backend backend) {
        if (backend.ended) {
            return;
        }
        backend.abandoned = true;
        if (isSilentFor(backend.process.node())) {
            world.after(KEEPALIVE, () -> end(backend));
        } else if (backend.statements == 0) {
            end(backend);
        }
    }

    void end(Backend backend) {
        if (backend.ended) {
            return;
        }
        backend.ended = true;
        backend.sharesEpoch = false;
        backend.tasks.clear();
        backends.remove(backend.pid);
        advisory.values().removeIf(holder -> holder == backend);
        List<Runnable> waiters = List.copyOf(lockWaiters.values());
        lockWaiters.clear();
        waiters.forEach(Runnable::run);
    }

    boolean terminate(int pid) {
        Backend backend = backends.get(pid);
        if (backend == null) {
            return false;
        }
        world.trace.say(null, "session ended: " + backend);
        end(backend);
        return true;
    }

    List<Backend> sessions(Predicate<Backend> which) {
        return backends.values().stream().filter(which).toList();
    }

    List<Backend> sessionsOf(UUID incarnation) {
        return sessions(backend -> backend.process.incarnation().equals(incarnation));
    }

    /** Whether statements of other sessions hold the epoch row. */
    boolean isEpochSharedByOthersThan(Backend asker) {
        return backends.values().stream().anyMatch(backend -> backend != asker && backend.sharesEpoch);
    }

    boolean isLocked(long task, Backend asker) {
        return heldTasks.containsKey(task)
                || backends.values().stream().anyMatch(backend -> backend != asker && backend.tasks.contains(task));
    }

    /** An application holds the task's row for that long. */
    void hold(long task, long nanos) {
        long until = world.now() + nanos;
        heldTasks.put(task, until);
        world.after(nanos, () -> heldTasks.remove(task, until));
    }

    /** Stalls one connection of the node for that long. */
    void stall(String node, String purpose, long nanos) {
        stalledUntil.put(node + "/" + purpose, world.now() + nanos);
    }

    void endStalls() {
        stalledUntil.clear();
    }

    long stalledNanos(String node, String purpose) {
        return Math.max(0, stalledUntil.getOrDefault(node + "/" + purpose, 0L) - world.now());
    }

    boolean lockNode(String node, Backend backend) {
        Backend holder = advisory.get("node " + node);
        if (holder != null && holder != backend && holder.process == backend.process) {
            terminate(holder.pid);
        }
        return lock("node " + node, backend);
    }

    boolean lockMaster(Backend backend) {
        return lock(MASTER_LOCK, backend);
    }

    private boolean lock(String name, Backend backend) {
        Backend holder = advisory.putIfAbsent(name, backend);
        return holder == null || holder == backend;
    }

    void unlockMaster(Backend backend) {
        if (advisory.remove(MASTER_LOCK, backend)) {
            List<Runnable> waiters = List.copyOf(lockWaiters.values());
            lockWaiters.clear();
            waiters.forEach(Runnable::run);
        }
    }

    Optional<Backend> masterLockHolder() {
        return Optional.ofNullable(advisory.get(MASTER_LOCK));
    }

    /** Registers for the next moment at which a lock becomes free. */
    void waitForLock(String who, Runnable told) {
        lockWaiters.put(who, told);
    }

    void listen(Notices listener) {
        listeners.add(listener);
    }

    /** Notifies all listening sessions of a commit, soon or some time later. */
    void tell(String channel, long taskId) {
        for (Notices listener : List.copyOf(listeners)) {
            Backend backend = listener.listening();
            if (backend == null || backend.ended) {
                continue;
            }
            long delay = world.isRough() && world.chance(0.05)
                    ? world.between(0, World.SECOND)
                    : world.between(0, 2 * World.MILLI);
            world.after(delay, backend.process, () -> {
                if (!backend.ended) {
                    listener.hear(channel, taskId);
                }
            });
        }
    }
}
