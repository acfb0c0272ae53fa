package io.twinbell.lab.stage;

/**
 * An action of the drill.
 *
 * @param atMicros by the machine's wall clock, taken before the action
 * @param doneMicros taken after it; a signal needs a process that must be started first
 * @param strikes true if it broke something, false if it repaired it
 */
public record DrillEvent(long atMicros, long doneMicros, String what, boolean strikes) {
    /** The same action, marked as a preparation of the fault. */
    DrillEvent asPrelude() {
        return new DrillEvent(atMicros, doneMicros, what, false);
    }
}
