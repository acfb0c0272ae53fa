package io.twinbell.node.cluster.store;

import java.util.OptionalLong;

/**
 * The result of one round of a drill.
 *
 * @param drill the drill's name
 * @param master the master before the drill; null if unknown
 * @param successor the master after the drill; null if the role did not move
 * @param epoch the last epoch that was opened; empty if unknown
 * @param gapMillis the longest time without a fire; empty if it was not measured
 * @param summary the report as text, at most {@value #MAX_SUMMARY} characters
 */
public record DrillResult(
        String drill,
        boolean passed,
        String master,
        String successor,
        OptionalLong epoch,
        OptionalLong gapMillis,
        String summary) {
    public static final int MAX_DRILL = 64;
    public static final int MAX_SUMMARY = 4000;

    /**
     * A stored result.
     *
     * @param by the name of the principal that entered it
     * @param atMillis when it was entered, by the database's clock
     */
    public record Stored(long id, DrillResult result, String by, long atMillis) {}
}
