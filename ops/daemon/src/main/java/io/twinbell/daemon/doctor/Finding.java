package io.twinbell.daemon.doctor;

/**
 * The result of one check.
 *
 * @param check what was checked, in a few words
 * @param said what was found
 * @param advice what to do; null if nothing
 */
public record Finding(String check, Level level, String said, String advice) {
    /** The severity of a finding. */
    public enum Level {
        OK,
        /** A node can run, but something is missing. */
        WARN,
        /** A node cannot run, or the pair does not keep its guarantees. */
        FAIL
    }
}
