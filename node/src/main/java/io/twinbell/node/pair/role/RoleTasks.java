package io.twinbell.node.pair.role;

import io.twinbell.ha.role.Leadership;
import io.twinbell.ha.role.Role;
import io.twinbell.ha.role.RoleRecord;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.trigger.SystemTasks;
import io.twinbell.node.pair.database.DatabaseHealthProbe;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import java.time.Duration;
import java.util.List;

/** The two system tasks that drive this node's role: the master's heartbeat and the standby's change-master check. */
public final class RoleTasks {
    private static final Duration BEAT = Duration.ofSeconds(3);
    /**
     * A node that has just joined may be elected at once. The first warm-up of a young process takes half a second, and would
     * delay that.
     */
    private static final Duration UNTIL_FIRST_WARM_UP = Duration.ofSeconds(1);

    private static final Duration WHILE_AWAY = Duration.ofMillis(500);

    private final Leadership leadership;
    private final RoleRecord roles;
    private final Engine engine;
    private final EpochRegister register;
    private final DatabaseHealthProbe healthProbe;
    private final Ticker ticker;
    private final Runnable keepNodeLock;
    private final Runnable readHold;
    private final List<Runnable> warmUps;
    private volatile long heartbeats;
    private volatile long checks;
    private volatile long beatNanos;
    private volatile boolean hasBeaten;
    private Epoch knownEpoch;
    private Epoch beatenEpoch;
    private final WakeableInterval beats;
    private final WakeableInterval warmUpInterval;

    /**
     * @param keepNodeLock run every three seconds
     * @param readHold run every three seconds, and after each notification
     * @param warmUps run on a standby only, every three seconds
     */
    public RoleTasks(
            Leadership leadership,
            RoleRecord roles,
            Engine engine,
            EpochRegister register,
            DatabaseHealthProbe healthProbe,
            Ticker ticker,
            Runnable keepNodeLock,
            Runnable readHold,
            List<Runnable> warmUps) {
        this.leadership = leadership;
        this.roles = roles;
        this.engine = engine;
        this.register = register;
        this.healthProbe = healthProbe;
        this.ticker = ticker;
        this.keepNodeLock = keepNodeLock;
        this.readHold = readHold;
        this.warmUps = warmUps;
        beats = new WakeableInterval(ticker, BEAT);
        warmUpInterval = new WakeableInterval(ticker, BEAT);
    }

    /** Runs the role's task as soon as possible, after an event. Any thread. */
    public void soon() {
        if (roles.role() != Role.STOPPED) {
            engine.systemTasks().soon(taskOf(roles.role()));
        }
    }

    public Duration heartbeat() {
        noteTerm();
        Epoch epoch = leadership.epoch();
        if (epoch != null && !healthProbe.isReached()) {
            engine.systemTasks().loop(SystemTasks.HEARTBEAT).failed(healthProbe.summary());
        } else if (epoch != null && isBeatDue(epoch)) {
            beat(epoch);
        }
        Duration delay = leadership.step();
        refreshPauses();
        boolean isMaster = leadership.epoch() != null;
        return next(SystemTasks.HEARTBEAT, isMaster ? beats.cap(delay) : delay);
    }

    /** The first heartbeat of a new epoch is due at once. */
    private boolean isBeatDue(Epoch epoch) {
        return !epoch.equals(beatenEpoch) || beats.isDue();
    }

    /**
     * Opening an epoch counts as its first heartbeat, because a heartbeat of an earlier term says nothing about this
     * one.
     */
    private void noteTerm() {
        Epoch epoch = leadership.epoch();
        if (epoch != null && !epoch.equals(knownEpoch)) {
            knownEpoch = epoch;
            beatNanos = ticker.nanos();
            hasBeaten = true;
        }
    }

    private void beat(Epoch epoch) {
        try {
            if (!register.beat(epoch)) {
                leadership.fenced(epoch);
                return;
            }
            beatenEpoch = epoch;
            beats.done();
            beatNanos = ticker.nanos();
            heartbeats = heartbeats + 1;
            engine.reconcile();
            keepNodeLock.run();
        } catch (DatabaseUnavailableException e) {
            engine.systemTasks().loop(SystemTasks.HEARTBEAT).failed(e);
        }
    }

    public Duration changeMasterCheck() {
        checks = checks + 1;
        Duration delay = leadership.step();
        noteTerm();
        refreshPauses();
        if (checks == 1) {
            warmUpInterval.putOff(UNTIL_FIRST_WARM_UP);
        }
        warmUp();
        boolean isWarming = roles.role() == Role.STANDBY && healthProbe.isReached();
        return next(SystemTasks.CHANGE_MASTER_CHECK, isWarming ? warmUpInterval.cap(delay) : delay);
    }

    /**
     * Runs one step of settling. Does nothing while the database does not answer: connecting may take seconds, which
     * would delay the step of the role.
     */
    public Duration settle() {
        if (healthProbe.isReached()) {
            return engine.settle();
        }
        engine.systemTasks().loop(SystemTasks.SETTLE).failed(healthProbe.summary());
        return WHILE_AWAY;
    }

    private void refreshPauses() {
        boolean isSettled = roles.role() == Role.MASTER || roles.role() == Role.STANDBY;
        if (isSettled && healthProbe.isReached()) {
            try {
                engine.refreshPauses();
                readHold.run();
            } catch (DatabaseUnavailableException e) {
                engine.systemTasks().loop(taskOf(roles.role())).failed(e);
            }
        }
    }

    private void warmUp() {
        if (roles.role() == Role.STANDBY && healthProbe.isReached() && warmUpInterval.isDue()) {
            warmUpInterval.done();
            try {
                keepNodeLock.run();
                runWarmUps();
            } catch (RuntimeException e) {
                engine.systemTasks().loop(SystemTasks.CHANGE_MASTER_CHECK).failed(e);
            }
        }
    }

    /** Runs the warm-ups, and stops as soon as the check is wanted because something has happened. */
    private void runWarmUps() {
        for (Runnable part : warmUps) {
            if (engine.systemTasks().isWanted(SystemTasks.CHANGE_MASTER_CHECK)) {
                return;
            }
            part.run();
        }
    }

    /** After a change of role the other task takes over. */
    private Duration next(long task, Duration delay) {
        Role role = roles.role();
        if (role == Role.STOPPED) {
            return null;
        }
        if (taskOf(role) == task) {
            return delay;
        }
        engine.systemTasks().soon(taskOf(role));
        return null;
    }

    private static long taskOf(Role role) {
        return role == Role.MASTER || role == Role.DEMOTING ? SystemTasks.HEARTBEAT : SystemTasks.CHANGE_MASTER_CHECK;
    }

    public long heartbeats() {
        return heartbeats;
    }

    public long checks() {
        return checks;
    }

    /** The age of this node's latest heartbeat as master in milliseconds; -1 if there was none yet. */
    public long beatAgeMillis() {
        return !hasBeaten ? -1 : (ticker.nanos() - beatNanos) / 1_000_000;
    }

    /** A fixed interval for work inside a task that may also be woken between two runs of this work. */
    static final class WakeableInterval {
        private static final Duration RETRY = Duration.ofMillis(200);

        private final Ticker ticker;
        private final Duration every;
        private boolean done;
        private long doneNanos;

        WakeableInterval(Ticker ticker, Duration every) {
            this.ticker = ticker;
            this.every = every;
        }

        /**
         * Whether the work is due. It is due slightly early, so that a task woken shortly before need not run again at
         * once.
         */
        boolean isDue() {
            return !done || ticker.nanos() - doneNanos >= every.toNanos() * 9 / 10;
        }

        void done() {
            done = true;
            doneNanos = ticker.nanos();
        }

        /** Makes the work due in about this time, instead of at once. */
        void putOff(Duration time) {
            done = true;
            doneNanos = ticker.nanos() - every.toNanos() + time.toNanos();
        }

        /** Returns the delay, shortened if the work would become due within it. */
        Duration cap(Duration delay) {
            Duration left = done ? every.minusNanos(ticker.nanos() - doneNanos) : Duration.ZERO;
            Duration due = left.compareTo(RETRY) < 0 ? RETRY : left;
            return due.compareTo(delay) < 0 ? due : delay;
        }
    }
}
