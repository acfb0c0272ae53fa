package io.twinbell.ops.drill;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.ops.check.Call;
import io.twinbell.ops.check.Checker;
import io.twinbell.ops.check.History;
import io.twinbell.ops.check.Offence;
import io.twinbell.ops.check.Opening;
import io.twinbell.ops.check.Rule;
import io.twinbell.ops.check.WatchedTask;
import io.twinbell.ops.client.NodeException;
import io.twinbell.ops.verify.Answers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/** Gathers what happened from the receiver, the ledger and the role history, and has it checked. */
final class Judge {
    /** Slots that a removal passed over are entered by the master a moment later. */
    private static final int LOOKS = 20;

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);
    private static final Set<Rule> MAY_COME_YET = EnumSet.of(Rule.LOST, Rule.UNFINISHED);

    private final Nodes nodes;
    private final Evidence evidence;
    private final Watch watch;
    private final Fault.Aftermath aftermath;

    Judge(Nodes nodes, Evidence evidence, Watch watch, Fault.Aftermath aftermath) {
        this.aftermath = aftermath;
        this.nodes = nodes;
        this.evidence = evidence;
        this.watch = watch;
    }

    /** What was seen, and what is wrong with it. */
    record Verdict(History history, List<RoleChange> changes, List<Offence> offences) {}

    /**
     * Judges.
     *
     * @param sinceMillis when the watching began, under the epoch of {@code cast}
     * @param stoppedMillis when the tasks were stopped
     */
    Verdict judge(Cast cast, List<WatchedTask> tasks, long sinceMillis, long stoppedMillis)
            throws DrillException, NodeException, IOException {
        Verdict verdict = look(cast, tasks, sinceMillis, stoppedMillis);
        for (int looks = 1; looks < LOOKS && mayComeYet(verdict); looks++) {
            watch.rest(BETWEEN_LOOKS);
            verdict = look(cast, tasks, sinceMillis, stoppedMillis);
        }
        evidence.offences(verdict.offences());
        return verdict;
    }

    private static boolean mayComeYet(Verdict verdict) {
        return verdict.offences().stream().anyMatch(offence -> MAY_COME_YET.contains(offence.rule()));
    }

    private Verdict look(Cast cast, List<WatchedTask> tasks, long sinceMillis, long stoppedMillis)
            throws NodeException, IOException {
        List<JsonNode> executions = nodes.executions();
        evidence.ledger(executions);
        List<Call> calls = CallLog.read(evidence.receiverLog());
        List<RoleChange> changes = changes(sinceMillis);
        History history = new History(
                tasks,
                executions.stream().map(Answers::row).toList(),
                calls,
                openings(cast, sinceMillis, changes),
                stoppedMillis);
        List<Offence> offences = new ArrayList<>(Checker.check(history));
        Succession.check(aftermath, history.openings(), offences::add);
        return new Verdict(history, changes, offences);
    }

    /** Oldest first. */
    private List<RoleChange> changes(long sinceMillis) throws NodeException {
        List<RoleChange> changes = new ArrayList<>();
        for (JsonNode entry : nodes.cluster().path("history")) {
            RoleChange change = RoleChange.of(entry);
            if (change.atMillis() >= sinceMillis) {
                changes.add(0, change);
            }
        }
        return changes;
    }

    private static List<Opening> openings(Cast cast, long sinceMillis, List<RoleChange> changes) {
        List<Opening> openings = new ArrayList<>(List.of(new Opening(cast.epoch(), cast.master(), sinceMillis)));
        changes.stream()
                .filter(change -> change.is("MASTER"))
                .forEach(change -> openings.add(new Opening(change.epoch(), change.node(), change.atMillis())));
        return openings;
    }
}
