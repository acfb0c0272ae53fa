package io.twinbell.node.schedule;

import com.cronutils.model.CronType;
import com.cronutils.model.definition.CronDefinitionBuilder;
import com.cronutils.model.time.ExecutionTime;
import com.cronutils.parser.CronParser;
import io.twinbell.node.engine.task.Schedule;
import java.text.ParseException;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.util.Date;
import java.util.Random;
import java.util.TimeZone;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;
import org.springframework.scheduling.support.CronExpression;

/**
 * What a walk costs beside Quartz, Spring and cron-utils, from instants spread over the ten years before each expression's
 * next match or over 2026, in a zone with clock changes. Run by the profile {@code benchmark}; see node/docs/SCHEDULES.md.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(2)
@Warmup(iterations = 2, time = 1)
@Measurement(iterations = 3, time = 1)
public class CronBenchmark {
    private static final String ZONE = "Europe/Berlin";
    private static final int INSTANTS = 1024;

    /** The last two are the sparsest there are: a single day, and one day in 28 years. */
    @Param({
        "0 */10 * * * ?",
        "0 30 2 * * ?",
        "0 0 9 ? * MON-FRI",
        "0 0 0 LW * ?",
        "0 0 0 29 2 ? 2096",
        "0 0 0 ? 2 FRI#5"
    })
    public String expression;

    private final ZoneId zone = ZoneId.of(ZONE);
    private final long[] instants = new long[INSTANTS];
    private final Date[] dates = new Date[INSTANTS];
    private final ZonedDateTime[] times = new ZonedDateTime[INSTANTS];
    private int turn;
    private Schedule schedule;
    private org.quartz.CronExpression quartz;
    private CronExpression spring;
    private ExecutionTime cronUtils;

    /** Each library is given its instants in its own type, so that none pays for a conversion. */
    @Setup
    public void prepare() throws ParseException {
        Random random = new Random(1);
        long from = Instant.parse("2026-01-01T00:00:00Z").toEpochMilli();
        for (int i = 0; i < INSTANTS; i++) {
            instants[i] = from + (long) (random.nextDouble() * TimeUnit.DAYS.toMillis(365));
            dates[i] = new Date(instants[i]);
            times[i] = Instant.ofEpochMilli(instants[i]).atZone(zone);
        }
        schedule = ScheduleFixtures.schedule("cron", expression, "zone", ZONE);
        quartz = new org.quartz.CronExpression(expression);
        quartz.setTimeZone(TimeZone.getTimeZone(ZONE));
        boolean hasYear = expression.split(" ").length == 7;
        spring = hasYear ? null : CronExpression.parse(expression);
        cronUtils = ExecutionTime.forCron(
                new CronParser(CronDefinitionBuilder.instanceDefinitionFor(CronType.QUARTZ)).parse(expression));
    }

    private int next() {
        turn = turn + 1 & INSTANTS - 1;
        return turn;
    }

    @Benchmark
    public long twinbellNext() {
        return schedule.next(instants[next()]);
    }

    @Benchmark
    public long twinbellPrevious() {
        return schedule.previous(instants[next()]);
    }

    @Benchmark
    public Object quartzNext() {
        return quartz.getNextValidTimeAfter(dates[next()]);
    }

    /** Spring reads no years, so there is nothing to measure for one. */
    @Benchmark
    public Object springNext() {
        return spring == null ? null : spring.next(times[next()]);
    }

    @Benchmark
    public Object cronUtilsNext() {
        return cronUtils.nextExecution(times[next()]);
    }

    @Benchmark
    public Object cronUtilsPrevious() {
        return cronUtils.lastExecution(times[next()]);
    }
}
