package io.twinbell.tools.drill.installed;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/** The faults that need only the node's own process or its API. */
public enum InstalledFault {
    SWITCHOVER("Asks the master to hand over; no process ends. On either machine."),
    STOP("Stops the master with SIGTERM, so that it hands over and drains, and starts it again."),
    KILL("Kills the master with SIGKILL, and starts it again."),
    FREEZE("Freezes the master with SIGSTOP until the standby has taken over, and resumes it.");

    /** The drill names, for completion and help. */
    static final class Names extends ArrayList<String> {
        private static final long serialVersionUID = 1L;

        Names() {
            super(Arrays.stream(values()).map(InstalledFault::word).toList());
        }
    }

    private final String description;

    InstalledFault(String description) {
        this.description = description;
    }

    /** The fault's name on the command line. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    public static Optional<InstalledFault> named(String word) {
        return Arrays.stream(values())
                .filter(fault -> fault.word().equals(word))
                .findFirst();
    }

    /** A line for each fault, with its effect. */
    public static String list() {
        return Arrays.stream(values())
                        .map(fault -> String.format(Locale.ROOT, "  %-26s %s%n", fault.word(), fault.description))
                        .collect(Collectors.joining())
                + "All except switchover run on the machine of the master. The other drills start their own servers or\n"
                + "break PostgreSQL and ZooKeeper; they run from a clone of the source, with scripts/drill.";
    }
}
