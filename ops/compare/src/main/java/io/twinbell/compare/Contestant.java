package io.twinbell.compare;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.lang.management.ManagementFactory;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import org.HdrHistogram.Histogram;

/** Process that runs one workload with one contender and prints the result. */
final class Contestant {
    private static final Duration STALLED = Duration.ofSeconds(20);
    private static final Duration LONGEST = Duration.ofSeconds(120);
    private static final long FAR_OFF = Duration.ofDays(300).toMillis();
    private static final int WARM = 500;
    private static final long SPARE = 3000;
    static final String RESULT = "RESULT ";

    private final Databases.NewDatabase database;
    private final Contender contender;
    private final ObjectNode result = JsonNodeFactory.instance.objectNode();

    private Contestant(Databases.NewDatabase database, Contender contender) {
        this.database = database;
        this.contender = contender;
    }

    /** Arguments: contender, workload, tasks or rate, seconds, port of PostgreSQL, name of the database, ZooKeeper. */
    public static void main(String[] arguments) throws Exception {
        Databases.NewDatabase database = new Databases(Integer.parseInt(arguments[4])).named(arguments[5]);
        int size = Integer.parseInt(arguments[2]);
        ObjectNode result;
        if (arguments[0].equals("limit")) {
            result = JsonNodeFactory.instance.objectNode().put("perSecond", Limit.perSecond(database, size));
        } else {
            Contender contender = contender(arguments[0], database, arguments[6]);
            Contestant contestant = new Contestant(database, contender);
            try {
                contestant.work(arguments[1], size, Integer.parseInt(arguments[3]));
            } catch (UnsupportedWork e) {
                contestant.result.put("unsupported", e.getMessage());
            }
            result = contestant.result;
        }
        System.out.println(RESULT + result);
        System.out.flush();
        // Some contenders leave threads that are not daemons.
        Runtime.getRuntime().halt(0);
    }

    private static Contender contender(String name, Databases.NewDatabase database, String zooKeeper) {
        return switch (name) {
            case "twinbell" -> new TwinbellTasks(database, zooKeeper);
            case "dbs-lock" -> new DbScheduler(database, true);
            case "dbs-fetch" -> new DbScheduler(database, false);
            case "quartz" -> new QuartzJobs(database);
            case "jobrunr" -> new JobRunrJobs(database);
            default -> throw new IllegalArgumentException("no contender " + name);
        };
    }

    private void work(String name, int size, int seconds) throws Exception {
        switch (name) {
            case "insert" -> insert(size);
            case "drain", "log" -> drain(size);
            case "lateness" -> lateness(size, seconds);
            case "recurring" -> recurring(size, seconds);
            case "seed" -> seed(size);
            case "seed-overdue" -> seedOverdue(size);
            case "overdue" -> drainOverdue(size);
            case "start" -> startUp();
            default -> throw new IllegalArgumentException("no work " + name);
        }
    }

    private void open() throws Exception {
        contender.prepare();
        if (!contender.addsBeforeStart()) {
            contender.start();
        }
    }

    private void insert(int tasks) throws Exception {
        open();
        long[] farOff = new long[tasks];
        Arrays.fill(farOff, Runs.Clock.millis() + FAR_OFF);
        contender.addOnce(tasks, Arrays.copyOf(farOff, Math.min(tasks, 2 * WARM)));
        long start = System.nanoTime();
        contender.addOnce(0, farOff);
        result.put("perSecond", tasks * 1e9 / (System.nanoTime() - start));
    }

    /**
     * Drains tasks due at one instant with a running, warm scheduler. If it cannot schedule them so, they are enqueued
     * before it starts.
     */
    private void drain(int tasks) throws Exception {
        open();
        Runs runs;
        long due;
        long logOfAdding;
        long logBefore;
        if (contender.drainsByEnqueueing()) {
            runs = Runs.expect(tasks, 1);
            logOfAdding = logOfAdding(new long[tasks]);
            analyze();
            logBefore = logBytes();
            due = Runs.Clock.millis();
            contender.start();
        } else {
            warmUp();
            runs = Runs.expect(tasks, 1);
            due = Runs.Clock.millis() + SPARE + tasks * 1000L / contender.leastAddedPerSecond();
            long[] fire = new long[tasks];
            Arrays.fill(fire, due);
            logOfAdding = logOfAdding(fire);
            analyze();
            requireBefore(due);
            logBefore = logBytes();
            sleepUntil(due);
        }
        awaitAllRecorded(runs);
        double elapsed = (Runs.Clock.micros() - due * 1000) / 1e6;
        requireAll(runs);
        result.put("perSecond", tasks / elapsed);
        result.put("logBytesPerTask", (logOfAdding + logBytes() - logBefore) / (double) tasks);
    }

    /** Adds the tasks; returns how many bytes the server has written to its log meanwhile. */
    private long logOfAdding(long[] fireMillis) throws Exception {
        long before = logBytes();
        contender.addOnce(0, fireMillis);
        return logBytes() - before;
    }

    /** The end of the server's write-ahead log, in bytes. */
    private long logBytes() throws SQLException {
        return database.number("select pg_current_wal_insert_lsn() - '0/0'");
    }

    private void lateness(int rate, int seconds) throws Exception {
        open();
        warmUp();
        int tasks = rate * seconds;
        Runs runs = Runs.expect(tasks, 1);
        long first = Runs.Clock.millis() + SPARE + tasks * 1000L / contender.leastAddedPerSecond();
        Runs.Timetable timetable = (task, number) -> first + task * 1000L / rate;
        long[] fire = new long[tasks];
        for (int i = 0; i < tasks; i++) {
            fire[i] = timetable.fireMillis(i, 0);
        }
        contender.addOnce(0, fire);
        analyze();
        requireBefore(first);
        sleepUntil(fire[tasks - 1]);
        awaitAll(runs);
        reportRuns(runs, timetable, fire[tasks - 1]);
    }

    private void recurring(int tasks, int seconds) throws Exception {
        open();
        warmUp();
        Runs runs = Runs.expect(tasks, seconds);
        long first = Runs.Clock.millis() + SPARE + tasks * 1000L / contender.leastAddedPerSecond();
        long[] start = new long[tasks];
        for (int i = 0; i < tasks; i++) {
            start[i] = first + i * 1000L / tasks;
        }
        contender.addEverySecond(start);
        analyze();
        requireBefore(first);
        long last = first + seconds * 1000L;
        sleepUntil(last);
        awaitAll(runs);
        reportRuns(runs, (task, number) -> start[task] + number * 1000L, last);
    }

    /** Creates a backlog, and one task that is due at the next start. */
    private void seed(int tasks) throws Exception {
        open();
        Runs.expect(0, 1);
        long[] farOff = new long[tasks];
        Arrays.fill(farOff, Runs.Clock.millis() + FAR_OFF);
        contender.addOnce(1, farOff);
        contender.addOnce(0, new long[] {Runs.Clock.millis() + SPARE});
        contender.close();
        analyze();
        result.put("tasks", tasks);
    }

    /** Creates tasks a millisecond apart, the first of which is due once this process has ended. */
    private void seedOverdue(int tasks) throws Exception {
        if (contender.drainsByEnqueueing()) {
            throw new UnsupportedWork("enqueues only");
        }
        open();
        Runs.expect(0, 1);
        long least = contender.addsBeforeStart() ? tasks : contender.leastAddedPerSecond();
        long first = Runs.Clock.millis() + SPARE + tasks * 1000L / least;
        long[] fire = new long[tasks];
        Arrays.setAll(fire, i -> first + i);
        contender.addOnce(0, fire);
        contender.close();
        requireBefore(first);
        analyze();
        result.put("dueMillis", fire[tasks - 1]);
    }

    /** Drains tasks that were due before this process began, from the moment at which the scheduler may fire. */
    private void drainOverdue(int tasks) throws Exception {
        Runs runs = Runs.expect(tasks, 1);
        if (contender.addsBeforeStart()) {
            contender.prepare();
        }
        contender.start();
        long began = Runs.Clock.micros();
        awaitAllRecorded(runs);
        double elapsed = (Runs.Clock.micros() - began) / 1e6;
        requireAll(runs);
        result.put("perSecond", tasks / elapsed);
    }

    private void startUp() throws Exception {
        Runs runs = Runs.expect(1, 1);
        long process = ManagementFactory.getRuntimeMXBean().getStartTime();
        long before = Runs.Clock.micros();
        if (contender.addsBeforeStart()) {
            contender.prepare();
        }
        contender.start();
        awaitAll(runs);
        if (runs.totalStarted() == 0) {
            throw new UnsupportedWork("did not run within " + STALLED);
        }
        result.put("startToFirstRunMillis", (runs.firstStartedMicros(0) - before) / 1000.0);
        result.put("processToFirstRunMillis", runs.firstStartedMicros(0) / 1000.0 - process);
    }

    /** Runs some tasks that are not counted, so that no classes are loaded during the measurement. */
    private void warmUp() throws Exception {
        Runs runs = Runs.expect(0, 1);
        long due = Runs.Clock.millis() + 2000;
        long[] fire = new long[WARM];
        for (int i = 0; i < WARM; i++) {
            fire[i] = due + 2L * i;
        }
        contender.addOnce(1_000_000_000, fire);
        if (contender.addsBeforeStart()) {
            contender.start();
        }
        sleepUntil(fire[WARM - 1] + 1000);
        if (runs.totalStarted() > 0) {
            throw new IllegalStateException("runs of the warm-up were counted");
        }
    }

    private void analyze() throws Exception {
        database.execute("vacuum analyze");
    }

    private static void requireBefore(long millis) throws UnsupportedWork {
        if (Runs.Clock.millis() > millis - 100) {
            throw new UnsupportedWork("adds too slowly for this plan");
        }
    }

    private static void sleepUntil(long millis) throws InterruptedException {
        while (Runs.Clock.millis() < millis) {
            Thread.sleep(Math.max(1, Math.min(100, millis - Runs.Clock.millis())));
        }
    }

    /** Waits until all tasks have begun, or none has for a while. */
    private static void awaitAll(Runs runs) throws InterruptedException {
        long begun = System.nanoTime();
        long changed = begun;
        int seen = -1;
        while (runs.totalStarted() < runs.planned()
                && System.nanoTime() - changed < STALLED.toNanos()
                && System.nanoTime() - begun < LONGEST.toNanos()) {
            if (runs.totalStarted() != seen) {
                seen = runs.totalStarted();
                changed = System.nanoTime();
            }
            Thread.sleep(2);
        }
    }

    /** Waits for the starts, and then for the outcomes, which a scheduler records after its tasks have run. */
    private void awaitAllRecorded(Runs runs) throws Exception {
        awaitAll(runs);
        while (database.number(contender.unfinished()) > 0) {
            Thread.sleep(10);
        }
    }

    private static void requireAll(Runs runs) throws UnsupportedWork {
        if (runs.totalStarted() < runs.planned()) {
            throw new UnsupportedWork(
                    (runs.planned() - runs.totalStarted()) + " of " + runs.planned() + " did not run in time");
        }
    }

    private void reportRuns(Runs runs, Runs.Timetable timetable, long lastMillis) {
        Histogram lateness = runs.lateness(timetable, Runs.Clock.micros());
        result.put("latenessP50Millis", lateness.getValueAtPercentile(50) / 1000.0);
        result.put("latenessP99Millis", lateness.getValueAtPercentile(99) / 1000.0);
        result.put("latenessMaxMillis", lateness.getMaxValue() / 1000.0);
        result.put("missing", runs.planned() - runs.totalStarted());
        result.put("early", runs.early(timetable));
        result.put("repeated", runs.repeated());
        result.put("lastStartMillis", runs.lastMicros() / 1000.0 - lastMillis);
    }
}
