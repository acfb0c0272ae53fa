package io.twinbell.node.simulation;

import io.twinbell.node.engine.Steps;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Deque;
import java.util.HashSet;
import java.util.Set;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** One life of a node: it may stand still, and it ends at once. Its monotonic clock goes on while it is frozen. */
final class Process implements Steps {
    private static final long UPTIME_STEP = 10 * World.MILLI;

    private final World world;
    private final String node;
    private final int life;
    private final UUID incarnation;
    private final Set<String> busy = new HashSet<>();
    private final long tickerOrigin;
    private SimulatedHistory history;
    private BooleanSupplier isStandby = () -> false;
    private long wallOffsetMillis;
    private long asleepNanos;
    private long wokeNanos;
    private boolean dead;
    private boolean frozen;

    Process(World world, String node, int life) {
        this.world = world;
        this.node = node;
        this.life = life;
        incarnation = new UUID(world.random.nextLong(), world.random.nextLong());
        tickerOrigin = world.random.nextLong(1_000_000 * World.SECOND);
    }

    String node() {
        return node;
    }

    UUID incarnation() {
        return incarnation;
    }

    World world() {
        return world;
    }

    SimulatedHistory history() {
        return history;
    }

    void history(SimulatedHistory own) {
        history = own;
    }

    void standsByWhile(BooleanSupplier condition) {
        isStandby = condition;
    }

    Ticker ticker() {
        return () -> tickerOrigin + world.now() - asleepNanos;
    }

    /** Goes on while the machine sleeps, and tells it in coarse steps. */
    Ticker uptime() {
        return () -> (tickerOrigin + world.now()) / UPTIME_STEP * UPTIME_STEP;
    }

    InstantSource wall() {
        return () -> Instant.ofEpochMilli(wallMillis());
    }

    private long wallMillis() {
        return SimulatedDatabase.EPOCH_MILLIS + world.now() / World.MILLI + wallOffsetMillis;
    }

    void jumpWall(long millis) {
        wallOffsetMillis += millis;
    }

    /**
     * The machine has slept since then: the wall clock went on meanwhile, the monotonic one did not. Of two sleeps that
     * overlap each instant counts once: no monotonic clock goes back.
     */
    void sleptSince(long beganNanos) {
        asleepNanos += world.now() - Math.max(beganNanos, wokeNanos);
        wokeNanos = world.now();
    }

    boolean isDead() {
        return dead;
    }

    boolean isFrozen() {
        return frozen;
    }

    boolean isAlive() {
        return !dead && !frozen;
    }

    void kill() {
        dead = true;
        frozen = false;
    }

    void freeze() {
        frozen = true;
    }

    void thaw() {
        frozen = false;
        world.release();
    }

    /** A call on this connection is under way. */
    void busy(String connection, boolean on) {
        if (on) {
            busy.add(connection);
        } else {
            busy.remove(connection);
            world.release();
        }
    }

    boolean isBusy(String connection) {
        return busy.contains(connection);
    }

    /** Connections and monitors let one thread through at a time. */
    boolean mayStep(String actor, Deque<SimulationActor> stack) {
        return switch (actor) {
            case "claimer" -> !isBusy("claims");
            case "operator" -> !isBusy("operators");
            case "recorder" -> !isBusy("outcomes");
            case "worker-system" ->
                !isBusy("claims") && !(isStandby.getAsBoolean() && (isBusy("outcomes") || isBusy("gate")));
            default -> !actor.startsWith("worker-") || !isBusy("gate");
        };
    }

    /** A step threw: only a database that does not answer is nothing to speak of. */
    void failed(String where, Throwable thrown) {
        if (thrown instanceof ProcessEnded || dead) {
            return;
        }
        if (thrown instanceof DatabaseUnavailableException) {
            world.trace.say(this, where + ": " + thrown.getMessage());
        } else {
            world.accident(this + " " + where, thrown);
        }
    }

    @Override
    public SimulationActor loop(String name, LongSupplier step) {
        return new SimulationActor(world, this, name, step);
    }

    @Override
    public void later(Duration delay, Runnable action) {
        world.after(delay.toNanos() + world.latency(), this, action);
    }

    @Override
    public String toString() {
        return node + life;
    }
}
