package io.twinbell.node.simulation;

import io.twinbell.ha.role.Role;
import io.twinbell.node.memory.MemoryRow;
import io.twinbell.tools.check.Checker;
import io.twinbell.tools.check.Rule;
import io.twinbell.tools.check.history.CheckedSlot;
import io.twinbell.tools.check.history.EpochOpening;
import io.twinbell.tools.check.history.History;
import io.twinbell.tools.check.history.LedgerRow;
import io.twinbell.tools.check.history.ReceivedCall;
import io.twinbell.tools.check.history.WatchedTask;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * The simulation of one seed: two nodes run some tasks through faults and a quiet phase, and the checker judges the
 * history.
 */
final class Simulation {
    private static final long WARM_UP = 3 * World.SECOND;
    /** A dead process's latch node disappears with its session, and the next check may come 3 s later. */
    private static final long PEACE_AFTER_HEALING = 26 * World.SECOND;

    private static final long CAUGHT_UP_MILLIS = 18_000;

    /** The rules that hold even if the database has lost commits. */
    private static final Set<Rule> OF_AUTHORITY = EnumSet.of(Rule.EPOCH_SHARED);

    /** The rules that hold if the database has lost seconds of a master that continues. */
    private static final Set<Rule> OF_LOST_SECONDS =
            EnumSet.of(Rule.EPOCH_SHARED, Rule.CALLED_TWICE, Rule.CALL_WITHOUT_ROW);

    private static final long AFTER_THE_END = 8 * World.SECOND;

    /** Three attempts of five seconds, and the pauses between them. */
    private static final long LONGEST_RUN = 17 * World.SECOND;

    private final long seed;
    private final World world;
    private final SimulatedDatabase database;
    private final Machine.Scene scene;
    private final Roster roster;
    private final Map<String, Machine> machines = new TreeMap<>();
    private final SimulatedFaults faults;
    private final Edits edits;
    private long healedMillis;

    /**
     * The result of one seed.
     *
     * @param wrong the violations; empty if there are none
     * @param digest equal for two runs with the same events
     */
    record Result(long seed, List<String> wrong, long digest, int calls, int epochs, String timeline) {}

    Simulation(long seed, Mutation mutation, boolean keepsTimeline) {
        this.seed = seed;
        world = new World(seed);
        if (keepsTimeline) {
            world.trace.keep();
        }
        database = new SimulatedDatabase(world);
        roster = new Roster(world, database);
        SimulatedReceiver receiver = new SimulatedReceiver(world, database, roster.habits());
        scene = new Machine.Scene(world, database, new SimulatedEnsemble(world), receiver, mutation);
        for (String name : List.of("a", "b")) {
            machines.put(name, new Machine(name, scene));
        }
        faults = new SimulatedFaults(scene, machines);
        edits = new Edits(scene, machines, roster.plans());
    }

    Result run() {
        scene.mutation().prepare(scene);
        if (world.chance(0.5)) {
            // The ensemble was rebuilt at some time, so its numbers are behind.
            database.tables.epoch.number = 1000;
        }
        roster.fill();
        machines.values()
                .forEach(machine -> world.after(world.between(0, 500) * World.MILLI, () -> machine.start(machines)));
        world.run(WARM_UP);
        faults.begin();
        if (world.chance(0.7) || scene.mutation().trouble().meanEditMillis() > 0) {
            edits.begin();
        }
        world.run(world.between(8, 40) * World.SECOND);
        faults.heal();
        healedMillis = database.nowMillis();
        edits.calm();
        for (int i = 0; i < scene.mutation().trouble().switchovers(); i++) {
            world.after(world.between(CAUGHT_UP_MILLIS, 24_000) * World.MILLI, this::switchOver);
        }
        world.run(world.now() + PEACE_AFTER_HEALING);
        edits.end();
        long stoppedMillis = database.nowMillis();
        long last = world.now() + LONGEST_RUN;
        world.run(world.now() + AFTER_THE_END);
        while (isAnyUnderWay(stoppedMillis) && world.now() < last) {
            world.run(world.now() + World.SECOND);
        }
        return judge(stoppedMillis);
    }

    private boolean isAnyUnderWay(long stoppedMillis) {
        return database.tables.rows().stream()
                .anyMatch(row -> !row.state.isFinal() && row.slot.fireTimeMillis() <= stoppedMillis);
    }

    /** Moves the role by hand, which is no fault. */
    private void switchOver() {
        machines.values().stream()
                .filter(Machine::isMaster)
                .findFirst()
                .ifPresent(master -> master.node().resign("a switchover"));
    }

    private Result judge(long stoppedMillis) {
        List<String> wrong = new ArrayList<>(world.accidents);
        Checker.check(history(stoppedMillis)).stream()
                // A node that is frozen after its decision commits seconds later, and a fixed delay counts from the
                // decision.
                .filter(violation -> violation.rule() != Rule.CHAIN_BROKEN)
                .filter(violation -> !faults.hasLostCommits() || OF_AUTHORITY.contains(violation.rule()))
                .filter(violation -> !faults.hasLostSeconds() || OF_LOST_SECONDS.contains(violation.rule()))
                .forEach(violation -> wrong.add(violation.toString()));
        checkRoles(wrong);
        return new Result(
                seed,
                wrong,
                world.trace.digest(),
                scene.receiver().arrivals().size(),
                database.tables.openings.size(),
                world.trace.text());
    }

    private void checkRoles(List<String> wrong) {
        long masters = machines.values().stream().filter(Machine::isMaster).count();
        long standbys = machines.values().stream()
                .filter(machine -> machine.role() == Role.STANDBY)
                .count();
        if (masters != 1 || standbys != 1) {
            wrong.add("the pair has not recovered: " + machines.get("a").role() + " and "
                    + machines.get("b").role());
        }
    }

    private History history(long stoppedMillis) {
        List<WatchedTask> tasks = roster.plans().entrySet().stream()
                .map(entry -> entry.getValue().watched(database.tables.tasks().get(entry.getKey()), stoppedMillis))
                .toList();
        // What came due after the end may be under way.
        List<LedgerRow> rows = database.tables.rows().stream()
                .filter(row -> row.state.isFinal() || row.slot.fireTimeMillis() <= stoppedMillis)
                .map(Simulation::row)
                .toList();
        Set<CheckedSlot> known = rows.stream().map(LedgerRow::slot).collect(Collectors.toSet());
        List<ReceivedCall> calls = scene.receiver().arrivals().stream()
                .map(Simulation::call)
                .filter(call -> call.slot().fireMillis() <= stoppedMillis || known.contains(call.slot()))
                .toList();
        List<EpochOpening> openings = database.tables.openings.stream()
                .map(opened -> new EpochOpening(opened.epoch(), opened.node(), opened.atMillis()))
                .toList();
        return new History(
                tasks,
                rows,
                calls,
                openings,
                stoppedMillis,
                List.of(),
                Optional.of(new History.RecoveryPeriod(healedMillis, CAUGHT_UP_MILLIS)),
                Optional.empty());
    }

    private static LedgerRow row(MemoryRow row) {
        return new LedgerRow(
                new CheckedSlot(row.slot.taskId(), row.slot.fireTimeMillis()),
                new LedgerRow.CoveredRange(row.untilMillis, row.slots),
                LedgerRow.State.valueOf(row.state.name()),
                new LedgerRow.LatestClaim(
                        row.attempt, row.epoch == null ? 0 : row.epoch, optional(row.claimedMillis), row.node),
                new LedgerRow.Times(
                        optional(row.startedMillis),
                        optional(row.endedMillis),
                        OptionalLong.empty(),
                        optional(row.retryDueMillis)),
                row.reason);
    }

    private static OptionalLong optional(Long millis) {
        return millis == null ? OptionalLong.empty() : OptionalLong.of(millis);
    }

    private static ReceivedCall call(SimulatedReceiver.Arrival arrival) {
        return new ReceivedCall(
                new CheckedSlot(arrival.slot().taskId(), arrival.slot().fireTimeMillis()),
                arrival.attempt(),
                arrival.epoch(),
                arrival.databaseMicros(),
                arrival.beside());
    }
}
