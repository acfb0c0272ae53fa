package io.twinbell.node.simulation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;

import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The simulation finds the error of each mutation, and none in the real protocol. Otherwise a run without findings
 * would prove nothing.
 */
@Tag("thorough")
@ExtendWith(Quietly.class)
class MutationsTest {
    /** The error that shows itself most rarely does so in about one of a thousand seeds. */
    private static final int SEEDS = 4000;

    static Set<String> mutations() {
        return Mutations.ALL.keySet();
    }

    @ParameterizedTest
    @MethodSource("mutations")
    void a_protocol_that_is_wrong_in_one_place_is_caught(String name) {
        Simulation.Result caught = null;
        long seed = 0;
        while (caught == null && seed < SEEDS) {
            seed++;
            Simulation.Result result = new Simulation(seed, Mutations.named(name), false).run();
            caught = result.wrong().isEmpty() ? null : result;
        }
        assertNotNull(caught, () -> name + ": not found in " + SEEDS + " seeds");
        System.out.println(name + ": seed " + seed + ": " + caught.wrong().get(0));
        Trouble same = Mutations.named(name).trouble();
        Mutation right = new Mutation() {
            @Override
            Trouble trouble() {
                return same;
            }
        };
        assertEquals(List.of(), new Simulation(seed, right, false).run().wrong(), "the protocol as it is");
    }
}
