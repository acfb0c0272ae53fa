package io.twinbell.ha.takeover;

import io.twinbell.persistence.takeover.OwnerSessions;

/** What became of an owner whose lock has fallen free: a pure decision. */
public enum OwnerVerdict {
    /** Its process lives, and lost the lock alone. */
    ALIVE,
    /** Its process is gone: the host says so, and the database server too. */
    DEAD,
    /** It neither answers nor uses the database: its host or its network is gone, or it stands still. */
    LOST,
    /** Not to be told yet. */
    UNCLEAR;

    /** A statement that was under way when its client died may still come to its end. */
    private static final long LAST_STATEMENTS_MILLIS = 100;

    /**
     * What was found out.
     *
     * @param sessions of the owner's process
     * @param freeSinceMillis when the lock was had, by the database's clock
     * @param isTimeUp whether so much time has passed that a living owner has used the database
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
        // A firewall may refuse in the host's name: as long as the process speaks elsewhere, it lives.
        return evidence.hasSpokenSince() || evidence.sessions().isBlind() ? ALIVE : LOST;
    }
}
