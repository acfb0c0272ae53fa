package io.twinbell.tools.verify.command;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.StubNode;
import io.twinbell.tools.cli.TypedCommand;
import org.junit.jupiter.api.Test;

class BenchCommandTest {
    /** Nothing listens there: no program may. */
    private static final String NOBODY = "http://127.0.0.1:1";

    @Test
    void senseless_options_are_refused_before_a_node_is_asked() {
        TypedCommand none = TypedCommand.twinbell("bench", "drain", "--tasks", "0", "--url", NOBODY);
        TypedCommand noneOverdue = TypedCommand.twinbell("bench", "overdue", "--tasks", "0", "--url", NOBODY);
        TypedCommand tooMany = TypedCommand.twinbell("bench", "lateness", "--rate", "100,900000000", "--url", NOBODY);
        TypedCommand tooShort = TypedCommand.twinbell("bench", "soak", "--for", "PT1S", "--url", NOBODY);

        assertExit(2, none);
        assertTrue(none.err().contains("--tasks must be from 1 to"), none.err());
        assertExit(2, noneOverdue);
        assertExit(2, tooMany);
        assertTrue(tooMany.err().contains("--rate must be from 1 to"), tooMany.err());
        assertExit(2, tooShort);
    }

    @Test
    void a_pair_that_does_not_answer_is_3() {
        TypedCommand bench = TypedCommand.twinbell("bench", "drain", "--tasks", "1", "--url", NOBODY);

        assertExit(3, bench);
        assertTrue(bench.err().contains("No answer from " + NOBODY), bench.err());
    }

    @Test
    void without_a_master_nothing_is_measured() throws Exception {
        try (StubNode standby = StubNode.start("b", "STANDBY", 3)) {
            TypedCommand bench = TypedCommand.twinbell("bench", "drain", "--tasks", "1", "--url", standby.url());

            assertExit(1, bench);
            assertTrue(bench.err().contains("there is not exactly one master"), bench.err());
        }
    }

    @Test
    void a_database_that_lets_nobody_in_is_told_in_a_sentence() throws Exception {
        try (StubNode master = StubNode.start("a", "MASTER", 3)) {
            String nowhere = "jdbc:postgresql://127.0.0.1:1/nothing";
            TypedCommand bench = TypedCommand.twinbell("bench", "drain", "--url", master.url(), "--database", nowhere);

            assertExit(1, bench);
            assertTrue(bench.err().contains(nowhere + " refuses the user twinbell"), bench.err());
        }
    }
}
