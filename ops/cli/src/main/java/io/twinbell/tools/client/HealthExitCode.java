package io.twinbell.tools.client;

/** The exit codes of {@code status}, which tell scripts the health of the pair. */
public enum HealthExitCode {
    HEALTHY(0, "one master, and a standby that can take over"),
    LATE(1, "late: a slot has been due for more than a minute, and every worker is busy"),
    WARNING(1, "the master fires, and a person is needed"),
    DEGRADED(1, "no standby can take over: if the master fails now, nothing fires"),
    NOT_FIRING(2, "the master does not fire"),
    NO_SINGLE_MASTER(2, "not exactly one master"),
    UNREACHABLE(3, "no node answers");

    private final int exitCode;
    private final String meaning;

    HealthExitCode(int exitCode, String meaning) {
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
