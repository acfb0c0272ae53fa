package io.twinbell.node.schedule.custom;

import io.twinbell.schedule.LocalSchedule;
import io.twinbell.schedule.ScheduleType;
import java.time.LocalDateTime;
import java.time.ZoneOffset;
import java.util.function.UnaryOperator;

/** A schedule type for tests: every second that is divisible by a number. A test may spoil what it answers. */
public final class EveryFewSeconds implements ScheduleType {
    public volatile UnaryOperator<LocalDateTime> spoil = UnaryOperator.identity();

    public volatile UnaryOperator<LocalDateTime> spoilPrevious = UnaryOperator.identity();

    private final String name;

    public EveryFewSeconds(String name) {
        this.name = name;
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String example() {
        return "{\"seconds\":60}";
    }

    @Override
    public LocalSchedule parse(String params) {
        String digits = params.replaceAll("\\D", "");
        if (digits.isEmpty()) {
            throw new IllegalArgumentException("seconds is required");
        }
        long seconds = Long.parseLong(digits);
        return new LocalSchedule() {
            @Override
            public LocalDateTime next(LocalDateTime after) {
                long last = Math.floorDiv(after.toEpochSecond(ZoneOffset.UTC), seconds);
                return spoil.apply(LocalDateTime.ofEpochSecond((last + 1) * seconds, 0, ZoneOffset.UTC));
            }

            @Override
            public LocalDateTime previous(LocalDateTime before) {
                long next = -Math.floorDiv(-before.toEpochSecond(ZoneOffset.UTC), seconds);
                return spoilPrevious.apply(LocalDateTime.ofEpochSecond((next - 1) * seconds, 0, ZoneOffset.UTC));
            }

            @Override
            public String describe() {
                return "every " + seconds + " seconds of the wall clock";
            }
        };
    }
}
