package io.twinbell.node.simulation;

import io.twinbell.node.virtual.Steps;
import java.util.Deque;
import java.util.function.LongSupplier;

/** Stands for a thread: steps one part again and again, never twice at the same time. */
final class SimulationActor implements Steps.SteppedLoop {
    private static final long AFTER_FAILURE = 200 * World.MILLI;
    private static final long LONGEST_SLEEP = 3600 * World.SECOND;

    private final World world;
    private final Process process;
    private final String name;
    private final LongSupplier step;
    private boolean stepping;
    private boolean woken;
    private boolean closed;
    private long turn;
    private long dueNanos = Long.MAX_VALUE;

    SimulationActor(World world, Process process, String name, LongSupplier step) {
        this.world = world;
        this.process = process;
        this.name = name;
        this.step = step;
    }

    Process process() {
        return process;
    }

    String name() {
        return name;
    }

    @Override
    public void start() {
        schedule(0);
    }

    @Override
    public void wake() {
        if (stepping) {
            woken = true;
        } else {
            schedule(0);
        }
    }

    @Override
    public void close() {
        closed = true;
    }

    private void schedule(long nanos) {
        long delay = Math.min(nanos, LONGEST_SLEEP) + world.latency();
        if (world.now() + delay < dueNanos) {
            dueNanos = world.now() + delay;
            long mine = ++turn;
            world.after(delay, this, () -> stepIf(mine));
        }
    }

    /**
     * Whether it may step: not while it is in a step, or while another thread of its process uses a connection or
     * monitor that it needs.
     */
    boolean mayStep(Deque<SimulationActor> stack) {
        return !stepping && process.mayStep(name, stack);
    }

    private void stepIf(long mine) {
        if (mine != turn || closed) {
            return;
        }
        dueNanos = Long.MAX_VALUE;
        stepping = true;
        woken = false;
        world.enter(this);
        long sleep = AFTER_FAILURE;
        try {
            sleep = step.getAsLong();
        } catch (ProcessEnded e) {
            world.trace.say(process, name + " ends");
        } catch (RuntimeException | Error e) {
            process.failed(name, e);
        } finally {
            stepping = false;
            world.leave();
        }
        if (!process.isDead() && !closed) {
            schedule(woken ? 0 : sleep);
        }
    }

    @Override
    public String toString() {
        return process + "/" + name;
    }
}
