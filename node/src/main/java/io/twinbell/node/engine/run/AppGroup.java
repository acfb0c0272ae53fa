package io.twinbell.node.engine.run;

/**
 * A task's app as a number of 16 bits, so that heaps of primitives can carry it. Two apps whose names have the same number
 * share one fair share; nothing else depends on it.
 */
public final class AppGroup {
    /** Of a task whose app has not been read. */
    public static final short UNKNOWN = 0;
    /** How many numbers there are, {@link #UNKNOWN} included. */
    static final int COUNT = 1 << Short.SIZE;

    private AppGroup() {}

    /** Never {@link #UNKNOWN}. */
    public static short of(String app) {
        short group = (short) (app.hashCode() * 0x9E3779B1 >>> Short.SIZE);
        return group == UNKNOWN ? 1 : group;
    }

    /** Its place in an array of {@link #COUNT} elements. */
    public static int index(short group) {
        return group & 0xFFFF;
    }
}
