package io.twinbell.ops.client;

/** What a pair is worth right now, as the exit code of {@code status} tells it to scripts. */
public enum Health {
    HEALTHY(0, "one master, and a standby to take over"),
    DEGRADED(1, "no standby: if the master fails now, nobody takes over"),
    NO_SINGLE_MASTER(2, "not exactly one master"),
    UNREACHABLE(3, "no node answers");

    private final int exitCode;
    private final String meaning;

    Health(int exitCode, String meaning) {
        this.exitCode = exitCode;
        this.meaning = meaning;
    }

    public int exitCode() {
        return exitCode;
    }

    public String meaning() {
        return meaning;
    }
}
