package io.twinbell.node.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.node.simulation.SimulatedFaults.Kind;
import io.twinbell.persistence.testing.RandomCases;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The pair survives every fault of the simulation. {@code -Dtwinbell.simulation.runs=N} runs N seeds, and {@code
 * -Dtwinbell.simulation.seed=S} begins with S. If only one seed runs, its timeline is written too.
 */
@ExtendWith(Quietly.class)
class SimulationTest {
    private static final long RUNS = Long.getLong("twinbell.simulation.runs", RandomCases.count(100, 1000));
    private static final long FIRST_SEED = Long.getLong("twinbell.simulation.seed", 1);

    @Test
    void no_fault_breaks_a_rule() throws IOException {
        ConcurrentLinkedQueue<Simulation.Result> failed = new ConcurrentLinkedQueue<>();
        AtomicInteger runs = new AtomicInteger();
        AtomicInteger calls = new AtomicInteger();
        AtomicInteger epochs = new AtomicInteger();
        long began = System.nanoTime();
        LongStream.range(FIRST_SEED, FIRST_SEED + RUNS).parallel().forEach(seed -> {
            Simulation.Result result = new Simulation(seed, Mutation.NONE, false).run();
            runs.incrementAndGet();
            calls.addAndGet(result.calls());
            epochs.addAndGet(result.epochs());
            if (!result.wrong().isEmpty()) {
                failed.add(result);
            }
        });
        System.out.printf(
                "%d runs, %d calls under %d epochs, in %d ms%n",
                runs.get(), calls.get(), epochs.get(), (System.nanoTime() - began) / World.MILLI);
        if (RUNS == 1) {
            timeline(FIRST_SEED);
        }
        assertTrue(
                failed.isEmpty(),
                () -> describe(
                        failed.peek(),
                        failed.size(),
                        failed.stream().map(Simulation.Result::seed).toList()));
        assertTrue(runs.get() > 0 && calls.get() > 0);
    }

    private static String describe(Simulation.Result result, int count, List<Long> seeds) {
        return count + " seeds failed (" + seeds + "), one of them " + result.seed() + ":\n  "
                + String.join("\n  ", result.wrong()) + "\nIts timeline is in " + timeline(result.seed())
                + "\nTo replay it: ./mvnw -pl node -am test -Dtest=SimulationTest#no_fault_breaks_a_rule"
                + " -Dsurefire.failIfNoSpecifiedTests=false -Dtwinbell.simulation.runs=1 -Dtwinbell.simulation.seed="
                + result.seed();
    }

    private static Path timeline(long seed) {
        Simulation.Result result = new Simulation(seed, Mutation.NONE, true).run();
        Path file = Path.of("target", "simulation-" + seed + ".txt").toAbsolutePath();
        try {
            return Files.writeString(file, String.join("\n", result.wrong()) + "\n\n" + result.timeline() + "\n");
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static List<List<Kind>> promotions() {
        return List.of(
                List.of(Kind.HANG_REPLICA),
                List.of(Kind.HANG_REPLICA, Kind.KILL, Kind.FREEZE),
                List.of(Kind.CANCEL_WAITS),
                List.of(Kind.LEAD_TO_FORMER, Kind.KILL),
                List.of(Kind.PROMOTE_LAGGING),
                List.of(Kind.PROMOTE_LAGGING, Kind.END_SESSIONS, Kind.HOLD_TASK));
    }

    @ParameterizedTest
    @MethodSource("promotions")
    void a_database_that_is_promoted_repeats_nothing(List<Kind> kinds) {
        Mutation only = new Mutation() {
            @Override
            Trouble trouble() {
                return Trouble.of(kinds.toArray(Kind[]::new));
            }
        };
        List<String> wrong = LongStream.range(FIRST_SEED, FIRST_SEED + RUNS / 20)
                .mapToObj(seed -> new Simulation(seed, only, false).run())
                .filter(result -> !result.wrong().isEmpty())
                .map(result -> result.seed() + ": " + result.wrong())
                .toList();
        assertEquals(List.of(), wrong);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void a_seed_replays_to_the_last_event(long seed) {
        Simulation.Result first = new Simulation(seed, Mutation.NONE, true).run();
        Simulation.Result again = new Simulation(seed, Mutation.NONE, true).run();

        assertEquals(first.timeline(), again.timeline());
        assertEquals(first.digest(), again.digest());
        assertNotEquals(
                first.digest(),
                new Simulation(seed + 1000, Mutation.NONE, false).run().digest());
    }

    @Test
    void much_happens_in_a_simulation() {
        List<Simulation.Result> results = LongStream.range(1, 60)
                .mapToObj(seed -> new Simulation(seed, Mutation.NONE, true).run())
                .toList();
        String all = String.join(
                "\n", results.stream().map(Simulation.Result::timeline).toList());
        for (String what : List.of(
                "KILLED",
                "FROZEN",
                "THAWED",
                "STANDBY -> PROMOTING",
                "MASTER -> DEMOTING",
                "handed over",
                "is dead",
                "was superseded",
                "breaks after",
                "carried out",
                "ZooKeeper suspended",
                "ZooKeeper lost",
                "SUCCEEDED",
                "RETRYING",
                "SKIPPED",
                "DROPPED",
                "hand back",
                "entered in batch?",
                "edit ",
                "the synchronous replica is promoted",
                "is led to the former primary",
                "queue ")) {
            assertTrue(all.contains(what), what);
        }
        assertFalse(results.stream().anyMatch(result -> result.calls() == 0));
    }
}
