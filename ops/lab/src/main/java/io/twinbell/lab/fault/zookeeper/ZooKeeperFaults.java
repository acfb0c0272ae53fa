package io.twinbell.lab.fault.zookeeper;

import io.twinbell.lab.fault.ElectionCheck;
import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.fault.Fault.RoleEffect;
import io.twinbell.lab.fault.FaultComponent;
import io.twinbell.lab.fault.FaultTarget;
import io.twinbell.lab.fault.PlainFault;
import io.twinbell.lab.own.OwnPair;
import io.twinbell.lab.server.ElectionOperator;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.tools.drill.DrillException;
import java.io.IOException;
import java.time.Duration;

/** The ZooKeeper ensemble fails, or a node loses its entry in the election. */
public final class ZooKeeperFaults {
    /** Longer than the pair's ZooKeeper session timeout. */
    private static final Duration FROZEN = Duration.ofSeconds(15);

    private static final Duration OUTAGE_TIME = Duration.ofSeconds(60);
    private static final Duration SERVER_AWAY = Duration.ofSeconds(2);
    private static final Duration ENSEMBLE_SETTLES = Duration.ofSeconds(6);

    /** The ZooKeeper ensemble hangs. */
    public static final Fault FREEZE = PlainFault.of(
                    "freeze-zookeeper", "Freezes ZooKeeper for " + FROZEN.toSeconds() + " s.", RoleEffect.SAME_MASTER)
            .lasts(FROZEN)
            .quietAtMost(Duration.ofSeconds(1))
            .breaks(FaultComponent.ZOOKEEPER)
            .strikes(
                    stage -> stage.freeze("ZooKeeper", stage.pair().servers().zooKeeper()),
                    stage -> stage.thaw("ZooKeeper", stage.pair().servers().zooKeeper()));

    /** The ZooKeeper servers are restarted one after another, as for an update. */
    public static final Fault ROLLING_RESTART = PlainFault.of(
                    "zookeeper-rolling-restart",
                    "Kills and starts the three ZooKeeper servers one after the other, " + ENSEMBLE_SETTLES.toSeconds()
                            + " s apart.",
                    RoleEffect.SAME_MASTER)
            .quietAtMost(Duration.ofSeconds(1))
            .strikesOwn(ZooKeeperFaults::restartEach, (stage, pair) -> {
                // Each server has already been started again.
            });

    /** The whole ZooKeeper ensemble is down. */
    public static final Fault OUTAGE = PlainFault.of(
                    "zookeeper-outage",
                    "Kills all three ZooKeeper servers, and starts them again after " + OUTAGE_TIME.toSeconds()
                            + " s; the master must continue to fire.",
                    RoleEffect.SAME_MASTER)
            .lasts(OUTAGE_TIME)
            .quietAtMost(Duration.ofSeconds(1))
            .breaks(FaultComponent.ZOOKEEPER)
            .strikesOwn(
                    (stage, pair) -> {
                        stage.undo().add("start ZooKeeper again", pair.ensemble()::startMissing);
                        stage.strike("killed all three ZooKeeper servers", pair.ensemble()::stopAll);
                    },
                    (stage, pair) -> stage.heal("started the ZooKeeper servers", pair.ensemble()::startMissing));

    private ZooKeeperFaults() {}

    /** A node's election entry vanishes without notice, as after an error that Curator only logs. */
    public static Fault deletedEntry(FaultTarget target) {
        return lostEntry(
                        "lose-" + target.word() + "-entry",
                        "Removes the " + target.word() + "'s entry from the election.",
                        target)
                .strikes(stage -> {
                    ElectionOperator election = stage.pair().election();
                    String node = target.of(stage.roles());
                    stage.strike("removed the entry of node " + node, () -> {
                        if (election.remove(node) == 0) {
                            throw lacksEntry(node);
                        }
                    });
                });
    }

    /** A node's ZooKeeper session is ended from outside. */
    public static Fault expiredSession(FaultTarget target) {
        return lostEntry(
                        "expire-" + target.word() + "-session",
                        "Ends the " + target.word() + "'s ZooKeeper session from another client.",
                        target)
                .strikes(stage -> {
                    ElectionOperator election = stage.pair().election();
                    String node = target.of(stage.roles());
                    long session = election.entries().stream()
                            .filter(electionEntry -> electionEntry.node().equals(node))
                            .mapToLong(ElectionOperator.ElectionEntry::session)
                            .findFirst()
                            .orElseThrow(() -> lacksEntry(node));
                    stage.strike("ended the ZooKeeper session of node " + node, () -> election.expire(session));
                });
    }

    /** A node loses its entry in the election, and must enter again. A master must be followed, a standby must not. */
    private static PlainFault.Draft lostEntry(String name, String description, FaultTarget target) {
        return PlainFault.of(
                        name, description, target == FaultTarget.MASTER ? RoleEffect.SUCCESSOR : RoleEffect.SAME_MASTER)
                .quietAtMost(Duration.ofSeconds(1))
                .breaks(FaultComponent.ZOOKEEPER)
                .expects(ElectionCheck::expectBothNodes);
    }

    private static DrillException.Refused lacksEntry(String node) {
        return new DrillException.Refused("node " + node + " does not take part in the election");
    }

    private static void restartEach(DrillStage stage, OwnPair pair) throws DrillException, IOException {
        stage.undo().add("start ZooKeeper again", pair.ensemble()::startMissing);
        for (String member : pair.ensemble().members()) {
            stage.strike("killed " + member, () -> pair.ensemble().stop(member));
            stage.poll().sleep(SERVER_AWAY);
            stage.heal("started " + member, () -> pair.ensemble().start(member));
            stage.poll().sleep(ENSEMBLE_SETTLES);
        }
    }
}
