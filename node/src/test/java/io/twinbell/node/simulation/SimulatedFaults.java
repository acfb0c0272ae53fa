package io.twinbell.node.simulation;

import io.twinbell.node.simulation.Machine.Scene;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.ObjLongConsumer;

/**
 * The faults of a simulation, drawn from the seed: which ones occur, when, where and for how long. Also repairs all of
 * them.
 */
final class SimulatedFaults {
    private static final ObjLongConsumer<Process> NO_SLEEP = (frozen, began) -> {};

    private final Scene scene;
    private final World world;
    private final Map<String, Machine> machines;
    private final List<Kind> kinds = new ArrayList<>();
    private long meanPause;
    private boolean healed;
    private boolean hasLostCommits;
    private boolean hasLostSeconds;

    /** The kinds of faults. */
    enum Kind {
        KILL,
        KILL_HOST,
        STOP,
        FREEZE,
        SLEEP,
        SLEEP_HIDDEN,
        RESIGN,
        RESIGN_TWICE,
        EXPIRE_SESSION,
        CUT_ZOOKEEPER,
        STOP_ENSEMBLE,
        DELETE_LATCH_NODE,
        DECEIVE,
        CUT_DATABASE,
        CUT_DATABASE_FROM_BOTH,
        CRASH_DATABASE,
        END_SESSION,
        END_SESSIONS,
        END_LOCK_SESSION,
        JUMP_WALL_CLOCK,
        HOLD_TASK,
        KILL_BOTH,
        FAIL_OVER_DATABASE,
        STALL_SESSION,
        DEAFEN,
        HIDE,
        HANG_REPLICA,
        LEAD_TO_FORMER,
        PROMOTE_LAGGING,
        CANCEL_WAITS
    }

    SimulatedFaults(Scene scene, Map<String, Machine> machines) {
        this.scene = scene;
        world = scene.world();
        this.machines = machines;
    }

    /** Draws the kinds of faults of this seed, and begins with them. */
    void begin() {
        Trouble trouble = scene.mutation().trouble();
        for (Kind kind : Kind.values()) {
            if (world.chance(share(kind))) {
                kinds.add(kind);
            }
        }
        if (!trouble.kinds().isEmpty() || kinds.isEmpty()) {
            kinds.clear();
            kinds.addAll(trouble.kinds().isEmpty() ? List.of(Kind.KILL) : trouble.kinds());
        }
        world.rough(world.chance(0.8));
        double slow = world.oneOf(List.of(0.02, 0.1, 0.3));
        double lost = world.oneOf(List.of(0.0, 0.0, 0.003, 0.02));
        scene.database().weather().is(slow, trouble.shareLost() < 0 ? lost : trouble.shareLost());
        meanPause = world.between(500, 6000) * World.MILLI;
        world.trace.say(null, "faults: " + kinds);
        next();
    }

    /**
     * How likely a seed has this kind. Some kinds are rare, because they lose data for good, and little can be judged
     * then.
     */
    private static double share(Kind kind) {
        return switch (kind) {
            case FAIL_OVER_DATABASE -> 0.03;
            case PROMOTE_LAGGING, CANCEL_WAITS -> 0;
            default -> 0.35;
        };
    }

    private void next() {
        world.after(world.between(meanPause / 10, 2 * meanPause), () -> {
            if (!healed) {
                strike(world.oneOf(kinds));
                next();
            }
        });
    }

    private void strike(Kind kind) {
        Machine victim = victim();
        world.trace.say(null, "FAULT " + kind + " " + victim);
        machines.values().forEach(Machine::look);
        switch (kind) {
            case KILL -> killAndRestart(victim, false);
            case KILL_HOST -> killAndRestart(victim, true);
            case KILL_BOTH -> machines.values().forEach(machine -> killAndRestart(machine, false));
            case STOP -> stopAndRestart(victim);
            case FREEZE -> freeze(victim, span(50, 16_000), NO_SLEEP);
            case SLEEP -> freeze(victim, span(50, 16_000), Process::sleptSince);
            case SLEEP_HIDDEN -> freeze(victim, span(50, 16_000), this::sleptHidden);
            case RESIGN -> resign(victim);
            case RESIGN_TWICE -> resignTwice();
            case EXPIRE_SESSION -> scene.ensemble().expireSessionOf(victim.name);
            case CUT_ZOOKEEPER -> cutZooKeeper(victim);
            case STOP_ENSEMBLE -> stopEnsemble();
            case DELETE_LATCH_NODE -> scene.ensemble().deleteFirst();
            case DECEIVE -> deceive(victim);
            case CUT_DATABASE -> cutDatabase(victim);
            case CUT_DATABASE_FROM_BOTH -> machines.values().forEach(this::cutDatabase);
            case CRASH_DATABASE -> crashDatabase();
            case END_SESSION -> endSessions(victim, 1);
            case END_SESSIONS -> endSessions(victim, Integer.MAX_VALUE);
            case END_LOCK_SESSION ->
                scene.database()
                        .masterLockHolder()
                        .ifPresent(holder -> scene.database().terminate(holder.pid));
            case JUMP_WALL_CLOCK -> jumpWall(victim);
            case FAIL_OVER_DATABASE -> failOverDatabase();
            case DEAFEN -> deafen(victim);
            case HIDE -> hide(victim);
            case HANG_REPLICA -> hangReplica();
            case LEAD_TO_FORMER -> leadToFormer(victim);
            case PROMOTE_LAGGING -> promoteLagging();
            case CANCEL_WAITS -> cancelWaits();
            case STALL_SESSION -> scene.database().stall(victim.name, world.oneOf(Link.PURPOSES), span(200, 4000));
            case HOLD_TASK -> holdTask();
        }
    }

    private void holdTask() {
        List<Long> tasks = List.copyOf(scene.database().tables.tasks().keySet());
        if (!tasks.isEmpty()) {
            scene.database().hold(world.oneOf(tasks), span(100, 4000));
        }
    }

    /** Draws a machine, in most cases the master. */
    private Machine victim() {
        List<Machine> all = List.copyOf(machines.values());
        return all.stream()
                .filter(Machine::isMaster)
                .filter(machine -> world.chance(0.6))
                .findFirst()
                .orElseGet(() -> world.oneOf(all));
    }

    private long span(long leastMillis, long mostMillis) {
        return world.chance(0.5)
                ? world.between(leastMillis, leastMillis + (mostMillis - leastMillis) / 8) * World.MILLI
                : world.between(leastMillis, mostMillis) * World.MILLI;
    }

    private void killAndRestart(Machine victim, boolean withItsHost) {
        victim.silent(withItsHost);
        if (withItsHost) {
            scene.database().cut(victim.name, true);
        }
        victim.kill();
        world.after(span(100, 13_000), () -> {
            if (withItsHost) {
                scene.database().mend(victim.name);
            }
            victim.start(machines);
        });
    }

    private void stopAndRestart(Machine victim) {
        if (victim.isUp()) {
            victim.stop(() -> world.after(span(100, 5000), () -> victim.start(machines)));
        }
    }

    /**
     * @param onThaw applied to a process that is still frozen when the time is over, with the instant at which it was
     *     frozen
     */
    private void freeze(Machine victim, long nanos, ObjLongConsumer<Process> onThaw) {
        if (!victim.isUp()) {
            return;
        }
        Process frozen = victim.process();
        long began = world.now();
        long until = began + nanos;
        victim.freeze(() -> !healed && world.now() < until);
        world.after(nanos, () -> {
            if (frozen.isFrozen()) {
                onThaw.accept(frozen, began);
            }
            if (victim.process() == frozen) {
                victim.thaw();
            }
        });
    }

    /** Ends a sleep during which the wall clock was set back by about the same time. */
    private void sleptHidden(Process sleeper, long beganNanos) {
        sleeper.sleptSince(beganNanos);
        sleeper.jumpWall(world.between(-400, 400) - (world.now() - beganNanos) / World.MILLI);
    }

    private void resign(Machine victim) {
        if (victim.isMaster() && !victim.process().isFrozen()) {
            victim.node().resign("asked");
        }
    }

    /** Has each master resign twice, the second time during the drain of the first. */
    private void resignTwice() {
        machines.values().forEach(this::resign);
        world.after(span(300, 2500), () -> machines.values().forEach(this::resign));
    }

    private void cutZooKeeper(Machine victim) {
        if (victim.isUp()) {
            ZooKeeperClient client = victim.zooKeeper();
            client.cut(true);
            world.after(span(200, 16_000), () -> client.cut(false));
        }
    }

    private void stopEnsemble() {
        scene.ensemble().stop();
        world.after(span(300, 25_000), scene.ensemble()::start);
    }

    /** The node loses the latch and cannot learn that it is asked to hand over, but continues to claim. */
    private void deafen(Machine victim) {
        scene.database().stall(victim.name, "epoch", world.between(2500, 5000) * World.MILLI);
        scene.ensemble().expireSessionOf(victim.name);
    }

    private void hide(Machine victim) {
        victim.hidden(true);
        world.after(span(100, 8000), () -> victim.hidden(false));
    }

    private void deceive(Machine victim) {
        if (victim.isUp()) {
            ZooKeeperClient client = victim.zooKeeper();
            client.deceive(true);
            world.after(span(300, 6000), () -> client.deceive(false));
        }
    }

    private void cutDatabase(Machine victim) {
        scene.database().cut(victim.name, world.chance(0.5));
        world.after(span(200, 12_000), () -> scene.database().mend(victim.name));
    }

    private void crashDatabase() {
        scene.database().crash();
        world.after(span(200, 10_000), scene.database()::start);
    }

    /**
     * A replica without the latest promotion takes over. The latest master is frozen meanwhile, so another node may
     * take its epoch number.
     */
    private void failOverDatabase() {
        Machine master =
                machines.values().stream().filter(Machine::isMaster).findFirst().orElse(null);
        if (master != null && scene.database().failOverToReplica()) {
            hasLostCommits = true;
            world.trace.say(null, "a replica without the latest promotion takes over");
            freeze(master, world.between(9000, 15_000) * World.MILLI, NO_SLEEP);
        }
    }

    /** The synchronous replica hangs. Then it continues, or the primary dies and it is promoted. */
    private void hangReplica() {
        SimulatedReplica replica = scene.database().replica();
        if (replica.isAwaited()) {
            return;
        }
        replica.hang();
        world.after(span(200, 12_000), () -> {
            if (replica.isAwaited() && world.chance(0.7)) {
                world.trace.say(null, "the synchronous replica is promoted");
                replica.promote();
            } else {
                replica.follow();
            }
        });
    }

    /**
     * An operator cancels the waits of claims for a replica that hangs. Then the primary and the master die, and the
     * replica is promoted.
     */
    private void cancelWaits() {
        SimulatedReplica replica = scene.database().replica();
        Machine master =
                machines.values().stream().filter(Machine::isMaster).findFirst().orElse(null);
        if (master == null || replica.isAwaited()) {
            return;
        }
        replica.hang();
        long until = world.between(300, 1500);
        for (long millis = 50; millis < until; millis += 50) {
            world.after(millis * World.MILLI, () -> {
                if (replica.isAwaited() && master.isUp()) {
                    scene.database().sessionsOf(master.process().incarnation()).stream()
                            .filter(session -> session.purpose.equals("claims"))
                            .forEach(session -> scene.database().terminate(session.pid));
                }
            });
        }
        world.after(until * World.MILLI, () -> {
            if (replica.isAwaited()) {
                killAndRestart(master, false);
                world.trace.say(null, "the synchronous replica is promoted");
                replica.promote();
            }
        });
    }

    /** The former primary returns and accepts writes, and the node reaches no other server. */
    private void leadToFormer(Machine victim) {
        SimulatedReplica replica = scene.database().replica();
        if (replica.isAwaited()) {
            return;
        }
        replica.promote();
        world.after(span(1000, 3000), () -> {
            if (!healed && victim.isUp() && replica.leadToFormer(victim.name)) {
                world.trace.say(null, victim.name + " is led to the former primary");
                endSessions(victim, Integer.MAX_VALUE);
                world.after(span(1000, 10_000), () -> leadBack(victim));
            }
        });
    }

    private void leadBack(Machine victim) {
        if (scene.database().replica().isLedToFormer(victim.name)) {
            scene.database().replica().lead(victim.name);
            endSessions(victim, Integer.MAX_VALUE);
        }
    }

    /**
     * An asynchronous replica that lacks some seconds is promoted. A replica that lacks the opening of an epoch is
     * another fault.
     */
    private void promoteLagging() {
        SimulatedReplica replica = scene.database().replica();
        replica.lag();
        world.after(span(100, 5000), () -> {
            if (healed || replica.lacksAnEpoch()) {
                replica.follow();
            } else {
                world.trace.say(null, "a replica that lags is promoted");
                hasLostSeconds = true;
                replica.promote();
            }
        });
    }

    /** Whether the database lost some seconds of a master that continues and knows what it has claimed. */
    boolean hasLostSeconds() {
        return hasLostSeconds;
    }

    /** Whether the database lost commits for good, so that the ledger is incomplete. */
    boolean hasLostCommits() {
        return hasLostCommits;
    }

    private void endSessions(Machine victim, int most) {
        if (!victim.isUp()) {
            return;
        }
        List<Backend> sessions =
                new ArrayList<>(scene.database().sessionsOf(victim.process().incarnation()));
        for (int ended = 0; ended < most && !sessions.isEmpty(); ended++) {
            scene.database().terminate(sessions.remove(world.random.nextInt(sessions.size())).pid);
        }
    }

    private void jumpWall(Machine victim) {
        if (victim.isUp()) {
            victim.process().jumpWall(world.oneOf(List.of(-3_600_000L, -2000L, 700L, 5000L, 86_400_000L)));
        }
    }

    /** Repairs everything and ends the faults. */
    void heal() {
        healed = true;
        world.trace.say(null, "HEALED");
        world.rough(false);
        scene.database().weather().is(0.05, 0);
        scene.database().start();
        scene.database().replica().follow();
        machines.values().forEach(this::leadBack);
        scene.database().endStalls();
        scene.ensemble().start();
        for (Machine machine : machines.values()) {
            scene.database().mend(machine.name);
            machine.silent(false);
            machine.hidden(false);
            machine.thaw();
            machine.start(machines);
            machine.zooKeeper().cut(false);
            machine.zooKeeper().deceive(false);
        }
    }
}
