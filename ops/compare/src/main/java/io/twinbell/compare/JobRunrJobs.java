package io.twinbell.compare;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.time.Instant;
import java.util.stream.IntStream;
import org.jobrunr.configuration.JobRunr;
import org.jobrunr.jobs.lambdas.JobRequest;
import org.jobrunr.jobs.lambdas.JobRequestHandler;
import org.jobrunr.scheduling.JobBuilder;
import org.jobrunr.scheduling.JobRequestScheduler;
import org.jobrunr.server.BackgroundJobServer;
import org.jobrunr.server.BackgroundJobServerConfiguration;
import org.jobrunr.storage.sql.postgres.PostgresStorageProvider;

/** JobRunr OSS with 32 workers, polling every 5 s, the shortest interval that it allows. */
final class JobRunrJobs implements Contender {
    private static final int WORKERS = 32;

    private final HikariDataSource pool;
    private JobRequestScheduler scheduler;
    private BackgroundJobServer server;

    JobRunrJobs(Databases.NewDatabase database) {
        pool = database.pool(WORKERS + 5);
    }

    /** A job's argument: the task's number. */
    public static final class Request implements JobRequest {
        private static final long serialVersionUID = 1L;

        private int number;

        /** For JSON deserialisation. */
        public Request() {}

        Request(int number) {
            this.number = number;
        }

        @Override
        public Class<Handler> getJobRequestHandler() {
            return Handler.class;
        }
    }

    public static final class Handler implements JobRequestHandler<Request> {
        @Override
        public void run(Request request) {
            Runs.began(request.number);
        }
    }

    @Override
    public void prepare() {
        var configured = JobRunr.configure()
                .useStorageProvider(new PostgresStorageProvider(pool))
                .useBackgroundJobServer(
                        BackgroundJobServerConfiguration.usingStandardBackgroundJobServerConfiguration()
                                .andPollInterval(Duration.ofSeconds(5))
                                .andWorkerCount(WORKERS),
                        false)
                .initialize();
        scheduler = configured.getJobRequestScheduler();
        server = configured.getBackgroundJobServer();
    }

    @Override
    public void addOnce(int first, long[] fireMillis) {
        long now = Runs.Clock.millis();
        scheduler.create(IntStream.range(0, fireMillis.length).mapToObj(i -> {
            JobBuilder job = JobBuilder.aJob().withJobRequest(new Request(first + i));
            // A job without a time is enqueued.
            return fireMillis[i] <= now ? job : job.scheduleAt(Instant.ofEpochMilli(fireMillis[i]));
        }));
    }

    @Override
    public void addEverySecond(long[] startMillis) throws UnsupportedWork {
        throw new UnsupportedWork("refuses: at least 5 s");
    }

    @Override
    public boolean drainsByEnqueueing() {
        return true;
    }

    @Override
    public void start() {
        server.start();
    }

    @Override
    public int leastAddedPerSecond() {
        return 1500;
    }

    @Override
    public String unfinished() {
        return "select count(*) from jobrunr_jobs where state in ('ENQUEUED', 'PROCESSING')";
    }

    @Override
    public void close() {
        JobRunr.destroy();
        pool.close();
    }
}
