package io.twinbell.node.simulation;

import io.twinbell.node.virtual.Steps;
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

/** One process of a node. It can be frozen and killed. Its monotonic clock continues while it is frozen. */
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

    /** A clock that continues while the machine sleeps, in coarse steps. */
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
     * Ends a sleep of the machine that began then: the wall clock has continued, the monotonic clock has not. If two
     * sleeps overlap, each instant counts once, because a monotonic clock never goes back.
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

    /** Records whether a call on this connection is under way. */
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

    /** Whether the actor may step now. A connection or monitor admits one thread at a time. */
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

    /** Handles an exception of a step. Anything but an unavailable database is an error of the simulation. */
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
