package io.twinbell.lab.fault.database;

import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.Fault.RoleEffect;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.FaultRequirements;
import io.twinbell.lab.fault.PlainFault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.own.SmallDisk;
import io.twinbell.lab.server.DatabaseOperator;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.drill.ProcessSignals;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** PostgreSQL ends, hangs or takes no writes, or its sessions end. */
public final class DatabaseFaults {
    private static final int LOOP_TIMES = 20;
    private static final Duration BETWEEN_ENDS = Duration.ofMillis(250);
    /** Longer than a heartbeat may be old, so that the master counts as dead when the database continues. */
    private static final Duration HANG = Duration.ofSeconds(6);
    /** Long enough for every alert: the slowest one fires when slots are 5 s late for a minute. */
    private static final Duration COMMITS_HANG = Duration.ofSeconds(90);

    private static final Duration DOWN = Duration.ofSeconds(60);
    private static final Duration DEMOTED = Duration.ofSeconds(15);
    private static final Duration FULL = Duration.ofSeconds(15);
    private static final Duration OUTAGE_OF_BOTH = Duration.ofSeconds(20);

    /** An administrator ends the nodes' database sessions. */
    public static final Fault END_SESSIONS = PlainFault.of(
                    "end-sessions", "Ends every session of PostgreSQL at once.", RoleEffect.SAME_MASTER)
            .lasts(Duration.ofSeconds(3))
            .breaks(FaultComponent.DATABASE)
            .strikes(stage -> {
                List<ProcessHandle> sessions = stage.pair().servers().databaseSessions();
                stage.strike(
                        "ended " + sessions.size() + " sessions of PostgreSQL",
                        () -> ProcessSignals.sendAll("TERM", sessions));
            });

    /** Sessions end again and again, as with a restarting pooler or a firewall that drops connections. */
    public static final Fault END_SESSIONS_LOOP = PlainFault.of(
                    "end-sessions-loop",
                    "Ends every session of the nodes with PostgreSQL " + LOOP_TIMES + " times, every "
                            + BETWEEN_ENDS.toMillis() + " ms.",
                    RoleEffect.SAME_MASTER)
            .lasts(Duration.ofSeconds(3))
            .breaks(FaultComponent.DATABASE)
            .strikes(stage -> {
                DatabaseOperator database = stage.pair().database();
                for (int time = 0; time < LOOP_TIMES; time++) {
                    stage.strike("ended the sessions with PostgreSQL, time " + (time + 1), database::endSessions);
                    stage.poll().sleep(BETWEEN_ENDS);
                }
            });

    /** The session that holds the master's lock ends, so fast takeover wrongly suspects that the master is dead. */
    public static final Fault END_LOCK_SESSION = PlainFault.of(
                    "end-lock-session",
                    "Ends the session with PostgreSQL that holds the master's lock.",
                    RoleEffect.SAME_MASTER)
            .lasts(Duration.ofSeconds(5))
            .quietAtMost(Duration.ofSeconds(1))
            .breaks(FaultComponent.DATABASE)
            .strikes(stage -> {
                DatabaseOperator database = stage.pair().database();
                stage.strike("ended the session with the master's lock", () -> {
                    if (database.endLockSession() == 0) {
                        throw new DrillException.Refused("no session holds the master's lock");
                    }
                });
            });

    /** The database crashes and recovers. */
    public static final Fault CRASH = PlainFault.of(
                    "crash-database",
                    "Kills a server process of PostgreSQL with SIGKILL, so that it recovers from its log.",
                    RoleEffect.SAME_MASTER)
            .lasts(Duration.ofSeconds(3))
            .breaks(FaultComponent.DATABASE)
            .strikes(stage -> {
                ProcessHandle session =
                        stage.pair().servers().databaseSessions().get(0);
                stage.strike(
                        "killed a server process of PostgreSQL, pid " + session.pid(),
                        () -> ProcessSignals.send("KILL", session));
            });

    /** The database hangs. */
    public static final Fault FREEZE = PlainFault.of(
                    "freeze-database", "Freezes PostgreSQL for " + HANG.toSeconds() + " s.", RoleEffect.SAME_MASTER)
            .lasts(HANG)
            .breaks(FaultComponent.DATABASE)
            .strikes(
                    stage -> stage.freeze("PostgreSQL", stage.pair().servers().database()),
                    stage -> stage.thaw("PostgreSQL", stage.pair().servers().database()));

    /** The synchronous replica is missing, so reads are answered, but no commit completes. */
    public static final Fault HANG_COMMITS = PlainFault.of(
                    "hanging-commits",
                    "Makes each commit wait for a missing synchronous replica, for " + COMMITS_HANG.toSeconds() + " s.",
                    RoleEffect.SAME_MASTER)
            .lasts(COMMITS_HANG)
            .pages("TwinbellMasterSilent", "TwinbellNotFiring", "TwinbellLag")
            .breaks(FaultComponent.DATABASE)
            .strikesOwn(
                    (stage, pair) -> {
                        stage.undo()
                                .add(
                                        "stop commits from waiting",
                                        () -> pair.database().waitForReplica(false));
                        stage.strike(
                                "made commits wait for a replica",
                                () -> pair.database().waitForReplica(true));
                    },
                    (stage, pair) -> stage.heal(
                            "stopped commits from waiting",
                            () -> pair.database().waitForReplica(false)));

    /** The database server becomes a standby server without a primary, and is promoted again. */
    public static final Fault DEMOTE = PlainFault.of(
                    "demote-database",
                    "Restarts PostgreSQL as a standby server, which can be read but not written, and promotes it after "
                            + DEMOTED.toSeconds() + " s.",
                    RoleEffect.SAME_MASTER)
            .lasts(DEMOTED)
            .breaks(FaultComponent.DATABASE)
            .strikesOwn(
                    (stage, pair) -> {
                        stage.undo()
                                .add(
                                        "promote PostgreSQL again",
                                        () -> pair.server().promote());
                        stage.strike("stopped PostgreSQL, and started it as a standby", pair.server()::demote);
                    },
                    (stage, pair) -> stage.heal("promoted PostgreSQL", pair.server()::promote));

    /** PostgreSQL's disk is full. */
    public static final Fault DISK_FULL = PlainFault.of(
                    "disk-full",
                    "Fills the file system of PostgreSQL for " + FULL.toSeconds()
                            + " s, and starts PostgreSQL again if it ended because of that.",
                    RoleEffect.SAME_MASTER)
            .requires(FaultRequirements.NAMESPACES)
            .lasts(FULL)
            .breaks(FaultComponent.DATABASE)
            .strikesOwn(
                    (stage, pair) -> {
                        SmallDisk disk = pair.disk()
                                .orElseThrow(() -> new DrillException.Refused(
                                        "PostgreSQL does not have its own file system here"));
                        stage.undo().add("empty the disk", () -> empty(pair, disk));
                        stage.strike("filled the disk of PostgreSQL", disk::fill);
                    },
                    (stage, pair) -> {
                        stage.print(pair.server().runs() ? "PostgreSQL still runs" : "PostgreSQL has ended");
                        stage.heal(
                                "emptied the disk",
                                () -> empty(pair, pair.disk().orElseThrow()));
                    });

    /** PostgreSQL and ZooKeeper fail and return together, as after a power failure of their rack. */
    public static final Fault OUTAGE_WITH_ZOOKEEPER = PlainFault.of(
                    "outage-of-both",
                    "Stops PostgreSQL and all ZooKeeper servers for " + OUTAGE_OF_BOTH.toSeconds()
                            + " s, and starts them at the same time.",
                    RoleEffect.SAME_MASTER)
            .lasts(OUTAGE_OF_BOTH)
            .breaks(FaultComponent.DATABASE, FaultComponent.ZOOKEEPER)
            .strikesOwn(DatabaseFaults::stopBoth, (stage, pair) -> {
                stage.heal("started PostgreSQL and the ZooKeeper servers", () -> {
                    pair.ensemble().startMissing();
                    pair.server().start();
                });
            });

    /** PostgreSQL is restarted as by an administrator. */
    public static final Fault RESTART = outage("database-restart", "Restarts PostgreSQL.", Duration.ZERO);

    /** PostgreSQL is stopped as by an administrator, and started again later. */
    public static final Fault OUTAGE = outage(
            "database-outage",
            "Stops PostgreSQL, and starts it again after " + DOWN.toSeconds() + " s.",
            DOWN,
            "TwinbellMasterSilent",
            "TwinbellNotFiring");

    private DatabaseFaults() {}

    private static Fault outage(String name, String description, Duration lasts, String... pages) {
        return PlainFault.of(name, description, RoleEffect.SAME_MASTER)
                .lasts(lasts)
                .pages(pages)
                .breaks(FaultComponent.DATABASE)
                .strikesOwn(
                        (stage, pair) -> {
                            stage.undo().add("start PostgreSQL again", () -> startUnlessUp(pair));
                            stage.strike("stopped PostgreSQL", pair.server()::stop);
                        },
                        (stage, pair) -> stage.heal("started PostgreSQL", pair.server()::start));
    }

    private static void stopBoth(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.undo().add("start the servers again", () -> {
            pair.ensemble().startMissing();
            startUnlessUp(pair);
        });
        stage.strike("stopped PostgreSQL and killed all three ZooKeeper servers", () -> {
            pair.ensemble().stopAll();
            pair.server().stop();
        });
    }

    private static void empty(OwnPair pair, SmallDisk disk) throws DrillException, IOException {
        disk.empty();
        startUnlessUp(pair);
    }

    private static void startUnlessUp(OwnPair pair) throws DrillException, IOException {
        if (!pair.server().runs()) {
            pair.server().start();
        }
    }
}
