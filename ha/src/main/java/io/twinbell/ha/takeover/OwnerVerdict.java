package io.twinbell.ha.takeover;

import io.twinbell.persistence.takeover.OwnerSessions;

/** The verdict on an owner whose database lock became free: a pure decision. */
public enum OwnerVerdict {
    /** Its process lives and lost only the lock. */
    ALIVE,
    /** Its process is gone: both its host and the database server confirm it. */
    DEAD,
    /** It neither answers nor uses the database: its host or network is gone, or the process is stopped. */
    LOST,
    /** The evidence is not sufficient yet. */
    UNCLEAR;

    /** A statement that was running when its client died may still complete within this time. */
    private static final long LAST_STATEMENTS_MILLIS = 100;

    /**
     * The evidence gathered so far.
     *
     * @param sessions the database sessions of the owner's process
     * @param freeSinceMillis when this node got the lock, by the database's clock
     * @param isTimeUp whether enough time has passed that a live owner would have used the database
     */
    record Evidence(Probe.Answer answer, OwnerSessions sessions, long freeSinceMillis, boolean isTimeUp) {
        private boolean hasSpokenSince() {
            return sessions.lastSpokeMillis() > freeSinceMillis + LAST_STATEMENTS_MILLIS;
        }
    }

    static OwnerVerdict of(Evidence evidence) {
        if (evidence.answer() == Probe.Answer.SAME) {
            return ALIVE;
        }
        boolean isSilent = evidence.answer() == Probe.Answer.NONE;
        if (evidence.sessions().count() == 0 && !isSilent) {
            return DEAD;
        }
        if (!evidence.isTimeUp()) {
            return UNCLEAR;
        }
        // A firewall may send the refusal on behalf of the host. If the process still uses the database, it lives.
        return evidence.hasSpokenSince() || evidence.sessions().isBlind() ? ALIVE : LOST;
    }
}
