package io.twinbell.node.engine.run;

/**
 * Maps an app's name to a 16-bit number, so that heaps of primitives can hold it. Two apps with the same number share
 * one fair share; nothing else depends on it.
 */
public final class AppHash {
    /** The number of a task whose app has not been read. */
    public static final short UNKNOWN = 0;
    /** How many numbers there are, including {@link #UNKNOWN}. */
    static final int COUNT = 1 << Short.SIZE;

    private AppHash() {}

    /** The number of an app; never {@link #UNKNOWN}. */
    public static short of(String app) {
        short group = (short) (app.hashCode() * 0x9E3779B1 >>> Short.SIZE);
        return group == UNKNOWN ? 1 : group;
    }

    /** The number's index in an array of {@link #COUNT} elements. */
    public static int index(short group) {
        return group & 0xFFFF;
    }
}
