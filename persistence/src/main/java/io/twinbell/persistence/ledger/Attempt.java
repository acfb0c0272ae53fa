package io.twinbell.persistence.ledger;

import java.util.List;

/**
 * A claimed, unfinished execution: the slot, the attempt, and the epoch that claimed it.
 *
 * @param definition the task's definition, JSON; null if the task was removed
 * @param inTurn whether the execution waits for other runs of its task; otherwise the overlap policy may skip it
 * @param tags the task's tags
 * @param snoozes the earlier attempts that asked to run again later
 * @param origin how the execution came into the ledger
 */
public record Attempt(
        Slot slot,
        String app,
        String name,
        int attempt,
        long epoch,
        String node,
        String definition,
        boolean inTurn,
        List<String> tags,
        Snoozes snoozes,
        Origin origin) {
    /**
     * The attempts of an execution that asked to run again later.
     *
     * @param sinceMillis the end of the first of them; {@link Long#MAX_VALUE} if there is none
     */
    public record Snoozes(int count, long sinceMillis) {
        public static final Snoozes NONE = new Snoozes(0, Long.MAX_VALUE);
    }

    /**
     * How an execution came into the ledger.
     *
     * @param name the value of the ledger's column {@code origin}; null if the schedule planned the slot
     * @param reruns how many of the attempts a rerun requested
     */
    public record Origin(String name, int reruns) {
        public static final Origin PLANNED = new Origin(null, 0);

        private static final String CHAINED = "CHAINED";

        /**
         * Whether the fire time says when the execution should have started. The fire time of a rerun, a backfill or a
         * catch-up lies in the past by intent, and that of a trigger is only a free one.
         */
        public boolean hasDueStart() {
            return reruns == 0 && (name == null || name.equals(CHAINED));
        }
    }

    /** An attempt of a planned slot that was never snoozed. */
    public Attempt(
            Slot slot,
            String app,
            String name,
            int attempt,
            long epoch,
            String node,
            String definition,
            boolean inTurn,
            List<String> tags) {
        this(slot, app, name, attempt, epoch, node, definition, inTurn, tags, Snoozes.NONE, Origin.PLANNED);
    }

    /** An attempt of a planned slot: its task's overlap policy decides on it. */
    public Attempt(Slot slot, String app, String name, int attempt, long epoch, String node, List<String> tags) {
        this(slot, app, name, attempt, epoch, node, null, false, tags);
    }

    /** The number of attempts that count for the retry policy, with this one. */
    public int counted() {
        return attempt - snoozes.count();
    }
}
