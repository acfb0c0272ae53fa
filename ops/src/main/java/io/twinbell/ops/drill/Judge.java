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
import io.twinbell.ops.drill.fault.Fault;
import io.twinbell.ops.drill.stage.Cast;
import io.twinbell.ops.drill.stage.DrillException;
import io.twinbell.ops.drill.stage.Stage;
import io.twinbell.ops.drill.stage.Watch;
import io.twinbell.ops.verify.Answers;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;

/** Gathers what happened from the receiver, the ledger and the epochs, and has it checked. */
final class Judge {
    /** An outcome may be recorded a moment after the fault, and the lists are read one after the other. */
    private static final int LOOKS = 20;

    /** After the last deed of the drill; on a machine that others use as well. */
    private static final Duration CAUGHT_UP_WITHIN = Duration.ofSeconds(30);

    private static final Duration BETWEEN_LOOKS = Duration.ofMillis(500);
    private static final Set<Rule> MAY_COME_YET = EnumSet.of(Rule.LOST, Rule.UNFINISHED);
    /** What compares two instants that a clock which was put back has shown in another order. */
    private static final Set<Rule> BY_TWO_INSTANTS =
            EnumSet.of(Rule.CHAIN_BROKEN, Rule.CONTRADICTION, Rule.MISSED_UNEXPLAINED, Rule.SKIPPED_UNEXPLAINED);

    private final Nodes nodes;
    private final Evidence evidence;
    private final Watch watch;
    private final Fault fault;

    Judge(Nodes nodes, Evidence evidence, Watch watch, Fault fault) {
        this.fault = fault;
        this.nodes = nodes;
        this.evidence = evidence;
        this.watch = watch;
    }

    /** What was seen, and what is wrong with it. */
    record Verdict(History history, List<RoleChange> changes, List<Offence> offences) {}

    /**
     * Judges.
     *
     * @param sinceMillis when the watching began, under the epoch of the stage's cast
     * @param stoppedMillis when the tasks were stopped
     */
    Verdict judge(Stage stage, List<WatchedTask> tasks, long sinceMillis, long stoppedMillis)
            throws DrillException, NodeException, IOException {
        Verdict verdict = look(stage, tasks, sinceMillis, stoppedMillis);
        for (int looks = 1; looks < LOOKS && mayComeYet(verdict); looks++) {
            watch.rest(BETWEEN_LOOKS);
            verdict = look(stage, tasks, sinceMillis, stoppedMillis);
        }
        evidence.offences(verdict.offences());
        return verdict;
    }

    private static boolean mayComeYet(Verdict verdict) {
        return verdict.offences().stream().anyMatch(offence -> MAY_COME_YET.contains(offence.rule()));
    }

    private Verdict look(Stage stage, List<WatchedTask> tasks, long sinceMillis, long stoppedMillis)
            throws NodeException, IOException {
        List<JsonNode> executions = nodes.executions();
        evidence.ledger(executions);
        List<Call> calls = CallLog.read(evidence.receiverLog()).stream()
                .map(call -> call.arrivedAt(stage.databaseTime().latest(call.arrivedMicros())))
                .toList();
        List<RoleChange> changes = changes(sinceMillis);
        List<Opening> openings = openings(stage, sinceMillis);
        History history = new History(
                tasks,
                executions.stream().map(Answers::row).toList(),
                calls,
                openings,
                stoppedMillis,
                stragglers(fault.kept(stage), stage.deaths(), openings),
                Optional.of(new History.Peace(stage.overMillis(), CAUGHT_UP_WITHIN.toMillis())),
                fault.loss());
        List<Offence> offences = new ArrayList<>(Checker.check(history));
        offences.removeIf(offence -> BY_TWO_INSTANTS.contains(offence.rule())
                && stage.databaseTime().wasShownTwice(offence.slot().fireMillis()));
        Succession.check(fault.epochs(), history.openings(), offences::add);
        Promises.check(fault, stage, calls, offences::add);
        return new Verdict(history, changes, offences);
    }

    /** Of each epoch that a node had when it was kept from calling, or killed. */
    static List<History.Stragglers> stragglers(
            List<Fault.Kept> kept, List<Stage.Death> deaths, List<Opening> openings) {
        List<History.Stragglers> all = new ArrayList<>();
        kept.forEach(node -> epochs(node.node(), node.startedByMillis(), openings)
                .forEach(epoch -> all.add(new History.Stragglers(epoch, node.startedByMillis(), false))));
        deaths.forEach(death -> epochs(death.node(), death.byMillis(), openings)
                .forEach(epoch -> all.add(new History.Stragglers(epoch, death.byMillis(), true))));
        return all;
    }

    private static LongStream epochs(String node, long untilMillis, List<Opening> openings) {
        return openings.stream()
                .filter(opening -> opening.node().equals(node) && opening.atMillis() <= untilMillis)
                .mapToLong(Opening::epoch);
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

    /** From where they were written as they were opened: a node that dies on its way to be master tells no history. */
    private static List<Opening> openings(Stage stage, long sinceMillis) throws IOException {
        Cast cast = stage.cast();
        List<Opening> openings = new ArrayList<>(List.of(new Opening(cast.epoch(), cast.master(), sinceMillis)));
        stage.pair()
                .database()
                .openedAfter(cast.epoch())
                .forEach(opened -> openings.add(new Opening(opened.epoch(), opened.node(), opened.atMillis())));
        return openings;
    }
}
