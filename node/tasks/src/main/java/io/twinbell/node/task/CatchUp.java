package io.twinbell.node.task;

/** Which of the slots that passed during a pause run when the task is resumed. */
public enum CatchUp {
    NONE,
    LAST,
    ALL;

    /** The number of slots that {@link #ALL} runs if the request names none. */
    public static final int USUAL_MAX = 100;

    /** The maximum number of slots of one task. */
    public static final int MAX_SLOTS = 1000;

    /** @param max the newest slots that {@link #ALL} runs */
    public int slots(int max) {
        return switch (this) {
            case NONE -> 0;
            case LAST -> 1;
            case ALL -> max;
        };
    }
}
