package io.twinbell.tools.verify.command;

import io.twinbell.tools.bench.BenchException;
import io.twinbell.tools.bench.BenchReport;
import io.twinbell.tools.bench.BenchRun;
import io.twinbell.tools.bench.CallWorkload;
import io.twinbell.tools.bench.InsertWorkload;
import io.twinbell.tools.bench.RebuildWorkload;
import io.twinbell.tools.bench.SoakWorkload;
import io.twinbell.tools.bench.Workload;
import io.twinbell.tools.bench.database.BenchDatabase;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.drill.InterruptHandler;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** The command {@code twinbell bench}: measures a pair. */
@Command(
        name = "bench",
        mixinStandardHelpOptions = true,
        description = "Measures a running pair. It creates its own tasks, checks the ledger against them, and removes"
                + " them.",
        exitCodeList = {
            "0:measured, and the ledger is complete",
            "1:the ledger is incomplete, or the run was aborted",
            "2:wrong usage",
            "3:no node answers",
        })
final class BenchCommand implements Callable<Integer> {
    private static final int INCOMPLETE = 1;
    private static final int MAX_TASKS = 10_000_000;
    private static final int LONGEST_SECONDS = 3600;
    private static final String TASKS = "Number of tasks. Default: ${DEFAULT-VALUE}.";
    private static final String SECONDS = "Duration in seconds. Default: ${DEFAULT-VALUE}.";

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getOut());
        return CommandLine.ExitCode.USAGE;
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Measures how fast tasks that are due at the same instant complete, with a handler that does"
                    + " nothing.")
    int drain(
            @Mixin BenchTarget target,
            @Option(names = "--tasks", defaultValue = "100000", description = TASKS) int tasks)
            throws Exception {
        return run(target, new Workload.Drain(within(1, tasks, MAX_TASKS, "--tasks")));
    }

    @Command(
            mixinStandardHelpOptions = true,
            description =
                    "Measures how fast overdue tasks complete, a millisecond apart, with a handler that does nothing.")
    int overdue(
            @Mixin BenchTarget target,
            @Option(names = "--tasks", defaultValue = "100000", description = TASKS) int tasks)
            throws Exception {
        return run(target, new Workload.Overdue(within(1, tasks, MAX_TASKS, "--tasks")));
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Measures how late one-shots start at a steady rate. The tasks are created in advance.")
    int lateness(
            @Mixin BenchTarget target,
            @Option(
                            names = "--rate",
                            split = ",",
                            defaultValue = "100,1000,5000,10000",
                            description = "Slots per second. Several values, separated by commas, run one after the"
                                    + " other. Default: ${DEFAULT-VALUE}.")
                    List<Integer> rates,
            @Option(names = "--for", defaultValue = "30", description = SECONDS) int seconds)
            throws Exception {
        within(1, seconds, LONGEST_SECONDS, "--for");
        return run(
                target,
                rates.stream()
                        .map(rate -> new Workload.SteadyRate(within(1, rate, MAX_TASKS / seconds, "--rate"), seconds))
                        .toArray(Workload[]::new));
    }

    @Command(
            mixinStandardHelpOptions = true,
            description =
                    "Measures the lateness and the cost of tasks that fire every second, by cron and by interval.")
    int recurring(
            @Mixin BenchTarget target,
            @Option(names = "--tasks", defaultValue = "10000", description = TASKS) int tasks,
            @Option(names = "--for", defaultValue = "60", description = SECONDS) int seconds)
            throws Exception {
        within(1, seconds, LONGEST_SECONDS, "--for");
        return run(target, new Workload.Recurring(within(1, tasks, MAX_TASKS / seconds, "--tasks"), seconds));
    }

    @Command(mixinStandardHelpOptions = true, description = "Measures how fast tasks are stored, over HTTP and by SQL.")
    int insert(
            @Mixin BenchTarget target,
            @Option(names = "--tasks", defaultValue = "20000", description = TASKS) int tasks)
            throws Exception {
        return run(target, new InsertWorkload(within(1, tasks, MAX_TASKS, "--tasks")));
    }

    @Command(
            mixinStandardHelpOptions = true,
            description =
                    "Measures how long a new master takes to load many tasks. It switches the role over and back.")
    int rebuild(
            @Mixin BenchTarget target,
            @Option(names = "--tasks", defaultValue = "1000000", description = TASKS) int tasks)
            throws Exception {
        return run(target, new RebuildWorkload(within(1, tasks, MAX_TASKS, "--tasks")));
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Measures HTTP calls to a receiver on this machine, compared with a bare HTTP client.")
    int http(
            @Mixin BenchTarget target,
            @Option(
                            names = "--rate",
                            defaultValue = "3000",
                            description = "Calls per second. Default: ${DEFAULT-VALUE}.")
                    int rate,
            @Option(names = "--for", defaultValue = "60", description = SECONDS) int seconds,
            @Option(
                            names = "--burst",
                            defaultValue = "20000",
                            description = "Number of simultaneous calls in the comparison. Default: ${DEFAULT-VALUE}.")
                    int burst)
            throws Exception {
        within(1, seconds, LONGEST_SECONDS, "--for");
        within(1, burst, MAX_TASKS, "--burst");
        return run(target, new CallWorkload(within(1, rate, MAX_TASKS / seconds, "--rate"), seconds, burst));
    }

    @Command(
            mixinStandardHelpOptions = true,
            description = "Runs a steady load for a long time, and shows whether lateness, memory and tables grow.")
    int soak(
            @Mixin BenchTarget target,
            @Option(
                            names = "--rate",
                            defaultValue = "500",
                            description = "Slots per second. Default: ${DEFAULT-VALUE}.")
                    int rate,
            @Option(names = "--for", defaultValue = "PT10M", description = "Duration. Default: ${DEFAULT-VALUE}.")
                    Duration length,
            @Option(
                            names = "--every",
                            defaultValue = "PT10S",
                            description = "Interval between two output lines. Default: ${DEFAULT-VALUE}.")
                    Duration every)
            throws Exception {
        require(every.toSeconds() >= 1, "--every must be at least PT1S");
        require(length.toSeconds() >= 4 * every.toSeconds(), "--for must be at least four times --every");
        require(length.toDays() < 1, "--for must be less than a day");
        return run(target, new SoakWorkload(within(1, rate, MAX_TASKS, "--rate"), length, every));
    }

    @Command(mixinStandardHelpOptions = true, description = "Runs every bench except soak. It takes about ten minutes.")
    int all(@Mixin BenchTarget target) throws Exception {
        return run(
                target,
                new Workload.Drain(100_000),
                new Workload.Overdue(100_000),
                new Workload.SteadyRate(100, 20),
                new Workload.SteadyRate(1000, 20),
                new Workload.SteadyRate(5000, 20),
                new Workload.SteadyRate(10_000, 20),
                new Workload.Recurring(10_000, 30),
                new InsertWorkload(20_000),
                new RebuildWorkload(1_000_000),
                new CallWorkload(3000, 20, 20_000));
    }

    private int run(BenchTarget target, Workload... workloads) throws NodeException, IOException {
        PrintWriter out = spec.commandLine().getOut();
        PrintWriter progress = spec.commandLine().getErr();
        InterruptHandler interrupts = InterruptHandler.expected();
        Optional<BenchDatabase> database = Optional.empty();
        try {
            List<URI> addresses = target.addresses();
            database = target.database();
            if (database.isPresent()) {
                BenchTarget.leftovers(database.get()).ifPresent(progress::println);
            }
            BenchRun bench = new BenchRun(addresses, database, progress::println);
            List<BenchReport> reports = new ArrayList<>();
            for (Workload workload : workloads) {
                reports.add(bench.run(workload));
                print(reports.get(reports.size() - 1), target.output(), out);
            }
            return reports.stream().allMatch(BenchReport::passed) ? 0 : INCOMPLETE;
        } catch (BenchException | IOException e) {
            progress.println("cannot measure: " + e.getMessage());
            return INCOMPLETE;
        } finally {
            if (database.isPresent()) {
                database.get().close();
            }
            interrupts.close();
        }
    }

    /** Prints one document per run. */
    private static void print(BenchReport report, CommandOutput output, PrintWriter out) {
        if (output.isDocument()) {
            output.next(out, report.json());
        } else {
            report.lines().forEach(out::println);
        }
        out.flush();
    }

    private int within(int least, int value, int most, String option) {
        require(value >= least && value <= most, option + " must be from " + least + " to " + most);
        return value;
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }
}
