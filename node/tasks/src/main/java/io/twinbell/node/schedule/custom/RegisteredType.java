package io.twinbell.node.schedule.custom;

import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.local.LocalPattern;
import io.twinbell.persistence.clock.Ticker;
import io.twinbell.schedule.LocalSchedule;
import io.twinbell.schedule.ScheduleType;
import java.util.regex.Pattern;

/** A schedule type of the embedding program or of a plugin, which passed the check at its registration. */
final class RegisteredType implements AutoCloseable {
    private static final Pattern NAME = Pattern.compile("[a-z][a-z0-9.-]{0,63}");
    private static final int MAX_WORDS = 200;

    /** How many times of the example the check compares. */
    private static final int CHECKED = 50;

    private final ScheduleType type;
    private final Ticker ticker;
    private final BoundedCalls calls;

    private RegisteredType(ScheduleType type, String name, Ticker ticker) {
        this.type = type;
        this.ticker = ticker;
        calls = new BoundedCalls(name, ticker);
    }

    /** @throws IllegalArgumentException if the type has no valid name, or its example gives different times for one time */
    static RegisteredType checked(ScheduleType type, String name, Ticker ticker) {
        if (name == null || !NAME.matcher(name).matches()) {
            throw new IllegalArgumentException("the schedule type " + name
                    + " needs a name of 1 to 64 characters from a-z, 0-9, dots and hyphens, beginning with a letter");
        }
        RegisteredType registered = new RegisteredType(type, name, ticker);
        try {
            registered.check();
            return registered;
        } catch (RuntimeException e) {
            registered.close();
            throw new IllegalArgumentException(
                    "the schedule type \"" + name + "\" was not registered: " + e.getMessage(), e);
        }
    }

    private void check() {
        String example = calls.call("example", type::example);
        if (example == null) {
            throw new IllegalArgumentException("it has no example");
        }
        LocalPattern pattern = parse(example).pattern();
        LocalPattern again = parse(example).pattern();
        long time = pattern.atOrAfter(0);
        if (time == LocalPattern.NONE_AFTER) {
            throw new IllegalArgumentException("its example has no time from 1970 to 2199");
        }
        for (int checked = 0; checked < CHECKED && time != LocalPattern.NONE_AFTER; checked++) {
            if (again.atOrAfter(time) != time) {
                throw new IllegalArgumentException("its next() gives different times for the same example and time");
            }
            long next = pattern.atOrAfter(time + 1);
            long before = pattern.atOrBefore(next == LocalPattern.NONE_AFTER ? LocalPattern.END - 1 : next - 1);
            if (before != time) {
                throw new IllegalArgumentException("next and previous of its example contradict each other");
            }
            time = next;
        }
    }

    /** @throws ScheduleException if the parameters are invalid, or if the type's code fails */
    CustomSchedule parse(String params) {
        try {
            LocalSchedule schedule = calls.call("parse", () -> type.parse(params));
            if (schedule == null) {
                throw calls.failure("parse returned null");
            }
            String words = calls.call("describe", schedule::describe);
            if (words == null) {
                throw calls.failure("describe returned null");
            }
            return new CustomSchedule(
                    new CustomPattern(schedule, calls, ticker),
                    words.substring(0, Math.min(words.length(), MAX_WORDS)));
        } catch (IllegalArgumentException e) {
            throw new ScheduleException("/params", "are invalid: " + e.getMessage());
        }
    }

    @Override
    public void close() {
        calls.close();
    }
}
