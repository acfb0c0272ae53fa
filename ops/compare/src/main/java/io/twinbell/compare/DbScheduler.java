package io.twinbell.compare;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerBuilder;
import com.github.kagkarlsson.scheduler.task.SchedulableInstance;
import com.github.kagkarlsson.scheduler.task.helper.CustomTask;
import com.github.kagkarlsson.scheduler.task.helper.OneTimeTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** db-scheduler, polling every 10 ms. Its two polling strategies are two contenders. */
final class DbScheduler implements Contender {
    /** As in its documentation. */
    private static final String TABLES = """
            create table scheduled_tasks (
              task_name text not null, task_instance text not null, task_data bytea,
              execution_time timestamp with time zone, picked boolean not null, picked_by text,
              last_success timestamp with time zone, last_failure timestamp with time zone, consecutive_failures int,
              last_heartbeat timestamp with time zone, version bigint not null, priority smallint, state text,
              primary key (task_name, task_instance));
            create index execution_time_idx on scheduled_tasks (execution_time);
            create index last_heartbeat_idx on scheduled_tasks (last_heartbeat)""";

    private static final int BATCH = 1000;

    private final Databases.NewDatabase database;
    private final boolean locks;
    private final HikariDataSource pool;
    private final OneTimeTask<Void> once =
            Tasks.oneTime("once").execute((instance, context) -> Runs.began(Integer.parseInt(instance.getId())));
    private final CustomTask<Void> everySecond = Tasks.custom("every-second", Void.class)
            .execute((instance, context) -> {
                Runs.began(Integer.parseInt(instance.getId()));
                // Counts from the planned time; counting from the end of the run would drift.
                Instant next = context.getExecution().executionTime.plusSeconds(1);
                return (complete, operations) -> operations.reschedule(complete, next);
            });
    private final Scheduler scheduler;

    /** @param locks true for lock-and-fetch, false for fetch */
    DbScheduler(Databases.NewDatabase database, boolean locks) {
        this.database = database;
        this.locks = locks;
        pool = database.pool(30);
        scheduler = scheduler();
    }

    private Scheduler scheduler() {
        SchedulerBuilder builder = Scheduler.create(pool, once, everySecond).pollingInterval(Duration.ofMillis(10));
        return locks
                ? builder.threads(50).pollUsingLockAndFetch(4.0, 20.0).build()
                : builder.threads(10).pollUsingFetch(4.0, 20.0).build();
    }

    @Override
    public void prepare() throws Exception {
        if (!database.has("scheduled_tasks")) {
            database.execute(TABLES);
        }
    }

    @Override
    public void addOnce(int first, long[] fireMillis) {
        List<SchedulableInstance<?>> batch = new ArrayList<>();
        for (int i = 0; i < fireMillis.length; i++) {
            batch.add(SchedulableInstance.of(
                    once.instance(Integer.toString(first + i)), Instant.ofEpochMilli(fireMillis[i])));
            if (batch.size() == BATCH || i == fireMillis.length - 1) {
                scheduler.scheduleBatch(batch);
                batch.clear();
            }
        }
    }

    @Override
    public void addEverySecond(long[] startMillis) {
        List<SchedulableInstance<?>> batch = new ArrayList<>();
        for (int i = 0; i < startMillis.length; i++) {
            batch.add(SchedulableInstance.of(
                    everySecond.instance(Integer.toString(i)), Instant.ofEpochMilli(startMillis[i])));
        }
        scheduler.scheduleBatch(batch);
    }

    @Override
    public void start() {
        scheduler.start();
    }

    @Override
    public int leastAddedPerSecond() {
        return 8000;
    }

    @Override
    public String unfinished() {
        return "select count(*) from scheduled_tasks where task_name = 'once' and execution_time <= now()";
    }

    @Override
    public void close() {
        scheduler.stop();
        pool.close();
    }
}
