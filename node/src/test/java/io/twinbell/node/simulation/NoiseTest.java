package io.twinbell.node.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.ha.role.Role;
import io.twinbell.persistence.testing.RandomCases;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

/**
 * No node loses the role because of scheduling, garbage collection, slow answers or gaps on the path between the nodes.
 * {@code -Dtwinbell.simulation.noise=H} runs H virtual hours; a week is 168.
 */
@ExtendWith(Quietly.class)
class NoiseTest {
    private static final long HOURS = Long.getLong("twinbell.simulation.noise", RandomCases.count(1, 10));
    private static final long RUN = 600 * World.SECOND;
    private static final long WARM_UP = 20 * World.SECOND;

    /** Two nodes on busy machines. */
    private static final class Pair {
        private final World world;
        private final SimulatedDatabase database;
        private final Machine.Scene scene;
        private final Map<String, Machine> machines = new TreeMap<>();
        private long events;
        private boolean isOver;

        Pair(long seed) {
            world = new World(seed);
            database = new SimulatedDatabase(world);
            Roster roster = new Roster(world, database);
            SimulatedReceiver receiver = new SimulatedReceiver(world, database, roster.habits());
            scene = new Machine.Scene(world, database, new SimulatedEnsemble(world), receiver, Mutation.NONE);
            roster.fill();
            for (String name : List.of("a", "b")) {
                machines.put(name, new Machine(name, scene));
            }
            machines.values().forEach(machine -> machine.start(machines));
            world.run(WARM_UP);
        }

        long epoch() {
            return database.tables.epoch.number;
        }

        Machine with(Role role) {
            return machines.values().stream()
                    .filter(machine -> machine.role() == role)
                    .findFirst()
                    .orElseThrow(() -> new AssertionError("nobody is " + role));
        }

        void makeNoise() {
            world.rough(true);
            database.weather().is(0.1, 0);
            next();
            world.run(world.now() + RUN);
            isOver = true;
        }

        private void next() {
            world.after(world.between(50, 5000) * World.MILLI, () -> {
                if (!isOver) {
                    events++;
                    disturb(world.oneOf(List.copyOf(machines.values())));
                    next();
                }
            });
        }

        /**
         * Freezes the process while its host answers, or cuts the path between the nodes while the process reaches
         * everything else.
         */
        private void disturb(Machine one) {
            switch (world.oneOf(List.of("gap", "pause", "slow"))) {
                case "gap" -> {
                    // Both at once is what a lost host looks like.
                    one.hidden(!one.process().isFrozen());
                    world.after(world.between(20, 2000) * World.MILLI, () -> one.hidden(false));
                }
                case "pause" -> {
                    long until = world.now() + world.between(20, 1500) * World.MILLI;
                    one.hidden(false);
                    one.freeze(() -> !isOver && world.now() < until);
                    world.after(until - world.now(), one::thaw);
                }
                default -> database.stall(one.name, world.oneOf(Link.PURPOSES), world.between(20, 200) * World.MILLI);
            }
        }
    }

    @Test
    void noise_moves_no_role() {
        AtomicLong events = new AtomicLong();
        List<String> moved = LongStream.rangeClosed(1, HOURS * 3600 * World.SECOND / RUN)
                .parallel()
                .mapToObj(seed -> {
                    Pair pair = new Pair(seed);
                    long epoch = pair.epoch();
                    pair.makeNoise();
                    events.addAndGet(pair.events);
                    return pair.epoch() == epoch ? "" : "seed " + seed + ": epoch " + epoch + " became " + pair.epoch();
                })
                .filter(line -> !line.isEmpty())
                .toList();
        System.out.printf("%d virtual hours with %d events of noise%n", HOURS, events.get());
        assertEquals(List.of(), moved);
        assertTrue(events.get() > 0);
    }

    @Test
    void a_lost_host_moves_it_in_the_same_noise() {
        Pair pair = new Pair(1);
        long epoch = pair.epoch();
        Machine master = pair.with(Role.MASTER);
        master.silent(true);
        pair.database.cut(master.name, true);
        master.kill();
        pair.world.run(pair.world.now() + World.SECOND);
        assertNotEquals(epoch, pair.epoch());
    }
}
