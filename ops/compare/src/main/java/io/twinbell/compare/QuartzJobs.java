package io.twinbell.compare;

import java.util.Date;
import java.util.HashSet;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobDetail;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SimpleScheduleBuilder;
import org.quartz.Trigger;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;

/** Quartz with its JDBC store: 20 threads, up to 20 triggers acquired at once, one job for all triggers. */
final class QuartzJobs implements Contender {
    private static final int THREADS = 20;
    private static final int BATCH = 500;

    private final Databases.NewDatabase database;
    private final JobDetail job = JobBuilder.newJob(ReportingJob.class)
            .withIdentity("measured")
            .storeDurably()
            .build();
    private Scheduler scheduler;

    QuartzJobs(Databases.NewDatabase database) {
        this.database = database;
    }

    /** The job; a trigger's name is the task's number. */
    public static final class ReportingJob implements Job {
        @Override
        public void execute(JobExecutionContext context) {
            Runs.began(Integer.parseInt(context.getTrigger().getKey().getName()));
        }
    }

    @Override
    public void prepare() throws Exception {
        if (!database.has("qrtz_triggers")) {
            database.executeResource("/org/quartz/impl/jdbcjobstore/tables_postgres.sql");
        }
        Properties settings = new Properties();
        settings.setProperty("org.quartz.scheduler.instanceName", "compare");
        settings.setProperty("org.quartz.scheduler.skipUpdateCheck", "true");
        settings.setProperty("org.quartz.scheduler.idleWaitTime", "1000");
        settings.setProperty("org.quartz.scheduler.batchTriggerAcquisitionMaxCount", Integer.toString(THREADS));
        settings.setProperty("org.quartz.threadPool.threadCount", Integer.toString(THREADS));
        settings.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
        settings.setProperty(
                "org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate");
        settings.setProperty("org.quartz.jobStore.acquireTriggersWithinLock", "true");
        settings.setProperty("org.quartz.jobStore.misfireThreshold", "3600000");
        settings.setProperty("org.quartz.jobStore.dataSource", "db");
        settings.setProperty("org.quartz.dataSource.db.provider", "hikaricp");
        settings.setProperty("org.quartz.dataSource.db.driver", "org.postgresql.Driver");
        settings.setProperty("org.quartz.dataSource.db.URL", database.url());
        settings.setProperty("org.quartz.dataSource.db.user", Databases.USER);
        settings.setProperty("org.quartz.dataSource.db.password", Databases.USER);
        settings.setProperty("org.quartz.dataSource.db.maxConnections", Integer.toString(THREADS + 5));
        scheduler = new StdSchedulerFactory(settings).getScheduler();
        scheduler.addJob(job, true);
    }

    @Override
    public void addOnce(int first, long[] fireMillis) throws Exception {
        Set<Trigger> batch = new HashSet<>();
        for (int i = 0; i < fireMillis.length; i++) {
            batch.add(trigger(first + i, fireMillis[i]).build());
            if (batch.size() == BATCH || i == fireMillis.length - 1) {
                scheduler.scheduleJobs(Map.of(job, batch), true);
                batch.clear();
            }
        }
    }

    @Override
    public void addEverySecond(long[] startMillis) throws Exception {
        Set<Trigger> batch = new HashSet<>();
        for (int i = 0; i < startMillis.length; i++) {
            batch.add(trigger(i, startMillis[i])
                    .withSchedule(SimpleScheduleBuilder.repeatSecondlyForever()
                            .withMisfireHandlingInstructionIgnoreMisfires())
                    .build());
        }
        scheduler.scheduleJobs(Map.of(job, batch), true);
    }

    private TriggerBuilder<Trigger> trigger(int number, long atMillis) {
        return TriggerBuilder.newTrigger()
                .withIdentity(Integer.toString(number))
                .forJob(job)
                .startAt(new Date(atMillis));
    }

    @Override
    public void start() throws Exception {
        scheduler.start();
    }

    @Override
    public int leastAddedPerSecond() {
        return 500;
    }

    @Override
    public String unfinished() {
        return """
                select (select count(*) from qrtz_fired_triggers) + (select count(*) from qrtz_triggers
                  where next_fire_time <= extract(epoch from now()) * 1000)""";
    }

    @Override
    public void close() throws Exception {
        scheduler.shutdown(false);
    }
}
