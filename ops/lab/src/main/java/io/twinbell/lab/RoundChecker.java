package io.twinbell.lab;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.lab.fault.Fault;
import io.twinbell.lab.stage.DrillStage;
import io.twinbell.lab.stage.RoleAssignment;
import io.twinbell.tools.check.Checker;
import io.twinbell.tools.check.Rule;
import io.twinbell.tools.check.Violation;
import io.twinbell.tools.check.history.EpochOpening;
import io.twinbell.tools.check.history.History;
import io.twinbell.tools.check.history.ReceivedCall;
import io.twinbell.tools.check.history.WatchedTask;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.ConditionPoll;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.drill.receiver.CallLog;
import io.twinbell.tools.verify.NodeAnswers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;

/** Collects a round's history from the receiver, the ledger and the epochs, and has it checked. */
final class RoundChecker {
    /**
     * Attempts to read a consistent history. An outcome may be recorded shortly after the fault, and the lists are read
     * one after another.
     */
    private static final int LOOKS = 20;

    /** Time to catch up after the drill's last action, on a machine with other users. */
    private static final Duration CAUGHT_UP_WITHIN = Duration.ofSeconds(30);

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);
    private static final Set<Rule> MAY_COME_YET = EnumSet.of(Rule.LOST, Rule.UNFINISHED);
    /**
     * Rules that compare two instants. They do not apply if the clock was set back, because it may have shown the
     * instants in another order.
     */
    private static final Set<Rule> BY_TWO_INSTANTS =
            EnumSet.of(Rule.CHAIN_BROKEN, Rule.CONTRADICTION, Rule.MISSED_UNEXPLAINED, Rule.SKIPPED_UNEXPLAINED);

    private final DrillApiClient client;
    private final RoundEvidence evidence;
    private final ConditionPoll poll;
    private final Fault fault;

    RoundChecker(DrillApiClient client, RoundEvidence evidence, ConditionPoll poll, Fault fault) {
        this.fault = fault;
        this.client = client;
        this.evidence = evidence;
        this.poll = poll;
    }

    /** The observed history and its violations. */
    record Verdict(History history, List<RoleHistoryEntry> changes, List<Violation> violations) {}

    /**
     * Checks the round.
     *
     * @param sinceMillis when watching began, under the epoch of the stage's roles
     * @param stoppedMillis when the tasks were stopped
     */
    Verdict judge(DrillStage stage, List<WatchedTask> tasks, long sinceMillis, long stoppedMillis)
            throws DrillException, NodeException, IOException {
        Verdict verdict = check(stage, tasks, sinceMillis, stoppedMillis);
        for (int looks = 1; looks < LOOKS && mayStillPass(verdict); looks++) {
            poll.sleep(BETWEEN_LOOKS);
            verdict = check(stage, tasks, sinceMillis, stoppedMillis);
        }
        evidence.violations(verdict.violations());
        return verdict;
    }

    private static boolean mayStillPass(Verdict verdict) {
        return verdict.violations().stream().anyMatch(violation -> MAY_COME_YET.contains(violation.rule()));
    }

    private Verdict check(DrillStage stage, List<WatchedTask> tasks, long sinceMillis, long stoppedMillis)
            throws NodeException, IOException {
        List<JsonNode> executions = client.executions();
        evidence.ledger(executions);
        List<ReceivedCall> calls = CallLog.read(evidence.receiverLog()).stream()
                .map(call -> call.arrivedAt(stage.databaseTime().latest(call.arrivedMicros())))
                .toList();
        List<RoleHistoryEntry> changes = changes(sinceMillis);
        List<EpochOpening> openings = openings(stage, sinceMillis);
        History history = new History(
                tasks,
                executions.stream().map(NodeAnswers::row).toList(),
                calls,
                openings,
                stoppedMillis,
                stragglers(fault.kept(stage), stage.deaths(), openings),
                Optional.of(new History.RecoveryPeriod(stage.overMillis(), CAUGHT_UP_WITHIN.toMillis())),
                fault.loss());
        List<Violation> offences = new ArrayList<>(Checker.check(history));
        offences.removeIf(violation -> BY_TWO_INSTANTS.contains(violation.rule())
                && stage.databaseTime().occurredTwice(violation.slot().fireMillis()));
        FaultExpectations.checkRoleChanges(fault.epochs(), history.openings(), offences::add);
        FaultExpectations.check(fault, stage, calls, offences::add);
        return new Verdict(history, changes, offences);
    }

    /** The stragglers: one entry for each epoch of a node that was cut off or killed. */
    static List<History.FormerMaster> stragglers(
            List<Fault.IsolatedMaster> kept, List<DrillStage.KilledNode> deaths, List<EpochOpening> openings) {
        List<History.FormerMaster> all = new ArrayList<>();
        kept.forEach(node -> epochs(node.node(), node.startedByMillis(), openings)
                .forEach(epoch -> all.add(new History.FormerMaster(epoch, node.startedByMillis(), false))));
        deaths.forEach(killedNode -> epochs(killedNode.node(), killedNode.byMillis(), openings)
                .forEach(epoch -> all.add(new History.FormerMaster(epoch, killedNode.byMillis(), true))));
        return all;
    }

    private static LongStream epochs(String node, long untilMillis, List<EpochOpening> openings) {
        return openings.stream()
                .filter(opening -> opening.node().equals(node) && opening.atMillis() <= untilMillis)
                .mapToLong(EpochOpening::epoch);
    }

    /** The role changes, oldest first. */
    private List<RoleHistoryEntry> changes(long sinceMillis) throws NodeException {
        List<RoleHistoryEntry> changes = new ArrayList<>();
        for (JsonNode entry : client.cluster().path("history")) {
            RoleHistoryEntry change = RoleHistoryEntry.of(entry);
            if (change.atMillis() >= sinceMillis) {
                changes.add(0, change);
            }
        }
        return changes;
    }

    /**
     * Reads the openings from the table that the transaction of each opening writes. A node that dies during its
     * promotion leaves no role history.
     */
    private static List<EpochOpening> openings(DrillStage stage, long sinceMillis) throws IOException {
        RoleAssignment roles = stage.roles();
        List<EpochOpening> openings =
                new ArrayList<>(List.of(new EpochOpening(roles.epoch(), roles.master(), sinceMillis)));
        stage.pair()
                .database()
                .openedAfter(roles.epoch())
                .forEach(opened -> openings.add(new EpochOpening(opened.epoch(), opened.node(), opened.atMillis())));
        return openings;
    }
}
