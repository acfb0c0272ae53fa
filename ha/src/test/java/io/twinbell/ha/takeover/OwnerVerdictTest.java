package io.twinbell.ha.takeover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import io.twinbell.persistence.takeover.OwnerSessions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The verdict on the master in every case, after its lock has become free. */
class OwnerVerdictTest {
    private static final long FREE_SINCE = 1_000_000;

    /** What the database server shows of the owner's process. */
    enum KnownSessions {
        GONE,
        SILENT,
        SPOKE_AS_IT_DIED,
        SPEAK,
        NOT_TO_BE_SEEN
    }

    @ParameterizedTest(name = "port {0}, sessions {1}, time up {2} → {3}")
    @CsvSource({
        "SAME, GONE, true, ALIVE",
        "SAME, SILENT, false, ALIVE",
        "SAME, SPEAK, true, ALIVE",
        "REFUSED, GONE, false, DEAD",
        "REFUSED, GONE, true, DEAD",
        "ANOTHER, GONE, false, DEAD",
        // The server may need a moment to end them; a firewall may refuse in the name of a host that lives.
        "REFUSED, SILENT, false, UNCLEAR",
        "REFUSED, SPEAK, false, UNCLEAR",
        "REFUSED, SPEAK, true, ALIVE",
        "REFUSED, SPOKE_AS_IT_DIED, true, LOST",
        "REFUSED, SILENT, true, LOST",
        "REFUSED, NOT_TO_BE_SEEN, true, ALIVE",
        "ANOTHER, SPEAK, true, ALIVE",
        "ANOTHER, SILENT, true, LOST",
        // A process may take a connection as it dies, and answer no more.
        "NONE, GONE, false, UNCLEAR",
        "NONE, GONE, true, LOST",
        "NONE, SILENT, false, UNCLEAR",
        "NONE, SILENT, true, LOST",
        "NONE, SPEAK, true, ALIVE",
        "NONE, NOT_TO_BE_SEEN, true, ALIVE"
    })
    void port_and_sessions_decide(
            Probe.Answer answer, KnownSessions sessions, boolean isTimeUp, OwnerVerdict expected) {
        assertEquals(expected, verdict(answer, sessions, isTimeUp));
    }

    @Test
    void a_node_with_a_session_is_not_dead() {
        for (Probe.Answer answer : Probe.Answer.values()) {
            for (KnownSessions sessions : KnownSessions.values()) {
                if (sessions != KnownSessions.GONE) {
                    assertNotEquals(OwnerVerdict.DEAD, verdict(answer, sessions, true), answer + " " + sessions);
                    assertNotEquals(OwnerVerdict.DEAD, verdict(answer, sessions, false), answer + " " + sessions);
                }
            }
        }
    }

    @Test
    void there_is_a_verdict_when_the_time_is_up() {
        for (Probe.Answer answer : Probe.Answer.values()) {
            for (KnownSessions sessions : KnownSessions.values()) {
                assertNotEquals(OwnerVerdict.UNCLEAR, verdict(answer, sessions, true), answer + " " + sessions);
            }
        }
    }

    private static OwnerVerdict verdict(Probe.Answer answer, KnownSessions sessions, boolean isTimeUp) {
        return OwnerVerdict.of(new OwnerVerdict.Evidence(answer, seen(sessions), FREE_SINCE, isTimeUp));
    }

    private static OwnerSessions seen(KnownSessions sessions) {
        return switch (sessions) {
            case GONE -> new OwnerSessions(0, 0, FREE_SINCE + 500);
            case SILENT -> new OwnerSessions(12, FREE_SINCE - 1, FREE_SINCE + 500);
            case SPOKE_AS_IT_DIED -> new OwnerSessions(1, FREE_SINCE + 100, FREE_SINCE + 500);
            case SPEAK -> new OwnerSessions(12, FREE_SINCE + 101, FREE_SINCE + 500);
            case NOT_TO_BE_SEEN -> new OwnerSessions(12, 0, FREE_SINCE + 500);
        };
    }
}
