package io.twinbell.node.schedule;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.node.engine.task.ScheduleException;
import io.twinbell.node.schedule.custom.ScheduleTypes;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/** What it costs to read an expression, and to refuse one that can never fire. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(2)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
public class CronReadingBenchmark {
    private static final Window WINDOW = Window.from(ScheduleFixtures.at("2026-01-01T00:00:00Z"));

    private final JsonNode ordinary = ScheduleFixtures.json("cron", "0 30 2 ? * MON-FRI", "zone", "Europe/Berlin");
    private final JsonNode february = ScheduleFixtures.json("cron", "0 0 0 30 2 ?", "zone", "Europe/Berlin");
    private final JsonNode past = ScheduleFixtures.json("cron", "0 0 0 1 1 ? 1999", "zone", "Europe/Berlin");
    private final JsonNode wrong = ScheduleFixtures.json("cron", "0,".repeat(400) + "61 * * * *");

    @Benchmark
    public Object readsAnOrdinaryOne() {
        return Schedules.parse(ordinary, WINDOW, "app/name", ScheduleTypes.NONE);
    }

    @Benchmark
    public Object refusesTheThirtiethOfFebruary() {
        return refusal(february);
    }

    @Benchmark
    public Object refusesAPastYear() {
        return refusal(past);
    }

    @Benchmark
    public Object refusesTheEndOfALongList() {
        return refusal(wrong);
    }

    private static ScheduleException refusal(JsonNode schedule) {
        try {
            Schedules.parse(schedule, WINDOW, "app/name", ScheduleTypes.NONE);
        } catch (ScheduleException e) {
            return e;
        }
        throw new IllegalStateException(schedule + " was read");
    }
}
