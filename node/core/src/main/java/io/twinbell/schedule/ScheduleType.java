package io.twinbell.schedule;

/**
 * A kind of schedule that Twinbell does not have, such as tides, sunsets or the trading days of an exchange. A task
 * names it as {@code "schedule": {"type": name, "params": {…}, "zone": …}}. Both nodes of a pair must register the
 * same types.
 *
 * <p>A type is a pure function: the same parameters give the same times on both nodes, at any time and from any
 * thread. It reads no clock, no file and no database. Twinbell calls it on threads of its own and waits at most 200 ms
 * for each call. After an exception, an answer out of order or a call that takes too long, only the tasks of this type
 * wait.
 */
public interface ScheduleType {
    /** Returns the name: 1 to 64 characters from a-z, 0-9, dots and hyphens, beginning with a letter. */
    String name();

    /**
     * Returns valid parameters, as the text of a JSON object. At registration Twinbell parses them, follows the
     * schedule forward and backward, and refuses the type if the results contradict each other.
     */
    String example();

    /**
     * Reads the parameters of a task.
     *
     * @param params the text of a JSON object of at most 8192 characters; the order of its members is arbitrary
     * @throws IllegalArgumentException if they are invalid; the message is shown to the user who stores the task
     */
    LocalSchedule parse(String params);
}
