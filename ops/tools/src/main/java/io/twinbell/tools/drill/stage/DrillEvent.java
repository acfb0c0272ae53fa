package io.twinbell.tools.drill.stage;

/**
 * Something that the drill did.
 *
 * @param atMicros by the machine's wall clock, taken before the deed
 * @param doneMicros taken after it: a signal is sent by a process that has to be started first
 * @param strikes whether it broke something; else it mended it
 */
public record DrillEvent(long atMicros, long doneMicros, String what, boolean strikes) {
    /** The same deed, where it only led up to what is drilled. */
    DrillEvent asPrelude() {
        return new DrillEvent(atMicros, doneMicros, what, false);
    }
}
