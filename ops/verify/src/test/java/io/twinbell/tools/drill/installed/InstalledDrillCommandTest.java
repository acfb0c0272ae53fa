package io.twinbell.tools.drill.installed;

import static io.twinbell.tools.cli.TypedCommand.assertExit;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.twinbell.tools.cli.TypedCommand;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class InstalledDrillCommandTest {
    private static final String PACKAGE = "twinbell.installed";

    @AfterEach
    void leavePackage() {
        System.clearProperty(PACKAGE);
    }

    @Test
    void a_drill_that_a_package_cannot_run_is_refused_with_an_alternative() {
        System.setProperty(PACKAGE, "/nowhere");
        assertRefused("a package has no drill all", "all");
        assertRefused("a package has no drill crash-database", "crash-database");
        assertRefused("does not accept --own", "kill", "--own");
        assertRefused("does not accept --rounds", "kill", "--rounds", "2");
        assertRefused("the node of this machine is unknown", "kill");
    }

    @Test
    void without_a_package_each_drill_is_refused() {
        assertRefused("not that of a package", "kill");
    }

    @Test
    void the_list_has_the_drills_of_an_installed_pair() {
        TypedCommand list = TypedCommand.twinbell("drill", "list");
        assertExit(0, list);
        assertTrue(list.out().startsWith("  switchover "), list.out());
    }

    private static void assertRefused(String why, String name, String... options) {
        String[] words = new String[options.length + 2];
        words[0] = "drill";
        words[1] = name;
        System.arraycopy(options, 0, words, 2, options.length);
        TypedCommand typed = TypedCommand.twinbell(words);
        assertExit(2, typed);
        assertTrue(typed.err().startsWith("the drill cannot start: "), typed.err());
        assertTrue(typed.err().contains(why), typed.err());
    }
}
