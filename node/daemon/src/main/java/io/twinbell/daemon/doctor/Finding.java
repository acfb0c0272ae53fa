package io.twinbell.daemon.doctor;

/**
 * What came of one look.
 *
 * @param check what was looked at, in a few words
 * @param said what was found
 * @param advice what to do; null if nothing
 */
public record Finding(String check, Level level, String said, String advice) {
    /** How bad it is. */
    public enum Level {
        OK,
        /** A node runs, but something is missing. */
        WARN,
        /** A node does not run, or the pair does not do what it promises. */
        FAIL
    }
}
