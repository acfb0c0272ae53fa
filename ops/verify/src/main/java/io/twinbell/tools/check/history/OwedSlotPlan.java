package io.twinbell.tools.check.history;

import java.util.List;
import java.util.stream.LongStream;

/** The slots that a task owes, derived from its definition alone. All times are epoch milliseconds. */
public sealed interface OwedSlotPlan {
    long firstMillis();

    /** A plan whose slots are known in advance. */
    sealed interface Timetable extends OwedSlotPlan {
        /** Every fire time in the span, both ends included. */
        LongStream between(long fromMillis, long untilMillis);

        default boolean has(long fireMillis) {
            return between(fireMillis, fireMillis).findAny().isPresent();
        }
    }

    /**
     * Fires at {@code first + k × every}. A FIXED_RATE begins at its start, a cron of every second at its first second.
     */
    record Grid(long firstMillis, long everyMillis) implements Timetable {
        @Override
        public LongStream between(long fromMillis, long untilMillis) {
            long skipped = Math.max(0, -Math.floorDiv(firstMillis - fromMillis, everyMillis));
            return LongStream.iterate(
                    firstMillis + skipped * everyMillis, fire -> fire <= untilMillis, fire -> fire + everyMillis);
        }
    }

    /** Fires once. */
    record Once(long firstMillis) implements Timetable {
        @Override
        public LongStream between(long fromMillis, long untilMillis) {
            return fromMillis <= firstMillis && firstMillis <= untilMillis
                    ? LongStream.of(firstMillis)
                    : LongStream.empty();
        }
    }

    /** Several timetables in sequence, for a task that was edited. Each holds from the end of the one before. */
    record Stages(List<Stage> stages) implements Timetable {
        public Stages {
            stages = List.copyOf(stages);
        }

        @Override
        public LongStream between(long fromMillis, long untilMillis) {
            LongStream all = LongStream.empty();
            long from = fromMillis;
            for (Stage stage : stages) {
                long until = Math.min(untilMillis, stage.untilMillis());
                LongStream own = stage.timetable()
                        .between(Math.max(from, stage.timetable().firstMillis()), until);
                all = LongStream.concat(all, own);
                from = Math.max(from, until + 1);
            }
            return all;
        }

        @Override
        public long firstMillis() {
            return stages.get(0).timetable().firstMillis();
        }
    }

    /** @param untilMillis the last instant of the stage; {@link Long#MAX_VALUE} for the current one */
    record Stage(Timetable timetable, long untilMillis) {}

    /** Fires first at an instant, and then a fixed time after the end of each run. */
    record Chain(long firstMillis, long delayMillis) implements OwedSlotPlan {}
}
