package io.twinbell.node.pair;

import io.twinbell.ha.role.Leadership;
import io.twinbell.ha.role.Role;
import io.twinbell.ha.role.RoleRecord;
import io.twinbell.node.engine.Engine;
import io.twinbell.node.engine.SystemTasks;
import io.twinbell.persistence.database.DatabasePulse;
import io.twinbell.persistence.database.DatabaseUnavailableException;
import io.twinbell.persistence.database.Ticker;
import io.twinbell.persistence.epoch.Epoch;
import io.twinbell.persistence.epoch.EpochRegister;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The two system tasks that keep a role: the master's heartbeat and the standby's change-master check. */
final class RoleTasks {
    private static final Logger LOG = LoggerFactory.getLogger(RoleTasks.class);
    private static final Duration BEAT = Duration.ofSeconds(3);
    private static final Duration RETRY_BEAT = Duration.ofMillis(200);

    private final Leadership leadership;
    private final RoleRecord roles;
    private final Engine engine;
    private final EpochRegister register;
    private final DatabasePulse pulse;
    private final Ticker ticker;
    private final Chores chores;
    private volatile long heartbeats;
    private volatile long checks;
    private volatile long beatNanos;
    private Epoch beatenEpoch;
    private long warmedNanos;

    /** What else is done every three seconds. */
    interface Chores {
        void keepNodeLock();

        /** As a standby only. */
        void warmUp();
    }

    RoleTasks(
            Leadership leadership,
            RoleRecord roles,
            Engine engine,
            EpochRegister register,
            DatabasePulse pulse,
            Ticker ticker,
            Chores chores) {
        this.leadership = leadership;
        this.roles = roles;
        this.engine = engine;
        this.register = register;
        this.pulse = pulse;
        this.ticker = ticker;
        this.chores = chores;
    }

    /** Has the role looked at as soon as possible: something has happened. Any thread. */
    void soon() {
        if (roles.role() != Role.STOPPED) {
            engine.systemTasks().soon(taskOf(roles.role()));
        }
    }

    Duration heartbeat() {
        Epoch epoch = leadership.epoch();
        if (epoch != null && pulse.isReached() && isBeatDue(epoch)) {
            beat(epoch);
        }
        Duration delay = leadership.step();
        refreshPauses();
        return next(SystemTasks.HEARTBEAT, untilBeat(delay));
    }

    /** Whatever woke this task between two beats must not put the next one off. */
    private Duration untilBeat(Duration delay) {
        Epoch epoch = leadership.epoch();
        if (epoch == null || !epoch.equals(beatenEpoch)) {
            return delay;
        }
        Duration left = BEAT.minusNanos(ticker.nanos() - beatNanos);
        Duration due = left.compareTo(RETRY_BEAT) < 0 ? RETRY_BEAT : left;
        return due.compareTo(delay) < 0 ? due : delay;
    }

    private boolean isBeatDue(Epoch epoch) {
        return !epoch.equals(beatenEpoch) || ticker.nanos() - beatNanos >= BEAT.toNanos() * 9 / 10;
    }

    private void beat(Epoch epoch) {
        try {
            if (!register.beat(epoch)) {
                leadership.fenced(epoch);
                return;
            }
            beatenEpoch = epoch;
            beatNanos = ticker.nanos();
            heartbeats = heartbeats + 1;
            engine.reconcile();
            chores.keepNodeLock();
        } catch (DatabaseUnavailableException e) {
            LOG.debug("no heartbeat: {}", e.getMessage());
        }
    }

    Duration changeMasterCheck() {
        checks = checks + 1;
        Duration delay = leadership.step();
        refreshPauses();
        warmUp();
        return next(SystemTasks.CHANGE_MASTER_CHECK, delay);
    }

    private void refreshPauses() {
        boolean isSettled = roles.role() == Role.MASTER || roles.role() == Role.STANDBY;
        if (isSettled && pulse.isReached()) {
            try {
                engine.refreshPauses();
            } catch (DatabaseUnavailableException e) {
                LOG.debug("pauses not read: {}", e.getMessage());
            }
        }
    }

    private void warmUp() {
        boolean isDue = ticker.nanos() - warmedNanos >= BEAT.toNanos() * 9 / 10;
        if (roles.role() == Role.STANDBY && pulse.isReached() && isDue) {
            warmedNanos = ticker.nanos();
            try {
                chores.keepNodeLock();
                chores.warmUp();
            } catch (RuntimeException e) {
                LOG.debug("not warmed up: {}", e.getMessage());
            }
        }
    }

    /** After a change of role it is the other task's turn. */
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

    long heartbeats() {
        return heartbeats;
    }

    long checks() {
        return checks;
    }

    /** Age of this node's latest heartbeat in milliseconds; -1 before the first. */
    long beatAgeMillis() {
        return heartbeats == 0 ? -1 : (ticker.nanos() - beatNanos) / 1_000_000;
    }
}
