package io.twinbell.persistence.ledger.parked;

import io.twinbell.persistence.ledger.Slot;
import java.util.OptionalDouble;
import java.util.OptionalLong;

/** What the holder of a parked attempt's token may do, on either node. */
public interface Callbacks {
    /** What became of a request. */
    enum Verdict {
        /** It is durable. */
        ACCEPTED,
        /** The attempt is over, or was answered before. */
        OVER,
        /** The execution has no attempt with this token. */
        UNKNOWN
    }

    /**
     * Answer to a heartbeat.
     *
     * @param expiresMillis when the attempt times out without another heartbeat; 0 unless accepted
     */
    record Beat(Verdict verdict, long expiresMillis) {}

    /**
     * What a heartbeat reports.
     *
     * @param message null to keep the latest
     * @param checkpoint JSON for the next attempt; null to keep the latest
     */
    record Heartbeat(OptionalDouble fraction, String message, String checkpoint) {}

    /**
     * Answers the attempt. The first answer counts; a later one becomes a note of the execution.
     *
     * @param tokenHash SHA-256 of the token, 64 hexadecimal digits
     * @param checkpoint JSON for the next attempt; null to keep the latest
     */
    Verdict complete(Slot slot, String tokenHash, ParkedAnswer.Outcome outcome, String checkpoint);

    /** When the slot's open attempt times out without an answer or a heartbeat; empty if none waits for an answer. */
    OptionalLong awaitedUntil(Slot slot);

    /** Puts the timeout off, and keeps what is reported. */
    Beat heartbeat(Slot slot, String tokenHash, Heartbeat progress);
}
