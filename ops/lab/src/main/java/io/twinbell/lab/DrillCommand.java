package io.twinbell.lab;

import io.twinbell.lab.own.InOwnNetwork;
import io.twinbell.tools.cli.CommandSource;
import io.twinbell.tools.drill.ConditionPoll;
import io.twinbell.tools.drill.DrillException;
import io.twinbell.tools.drill.DrillTimeline;
import io.twinbell.tools.drill.InterruptHandler;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell drill} of a clone of the source: failover exercises. */
@Command(
        name = "drill",
        description =
                "Injects a fault into a running pair at a random moment, while tasks of every kind call a receiver,"
                        + " and repairs it. A round passes if every slot that the schedules owe is in the ledger"
                        + " once, no attempt was called twice, the receiver saw every success, the master changed"
                        + " only as often as the fault explains, both nodes work again, and every duration is"
                        + " within its limit.",
        exitCodeList = {
            "0:passed",
            "1:not passed",
            "2:refused, or wrong usage",
            "3:no node answers, or this machine lacks a requirement, which is named",
        },
        footer = {"  twinbell drill list", "  twinbell drill kill", "  twinbell drill switchover -o json"})
public final class DrillCommand implements CommandSource, Callable<Integer> {
    private static final int PASSED = 0;
    private static final int FAILED = 1;
    private static final int REFUSED = 2;
    private static final int SKIPPED = 3;
    private static final int MAX_TASKS = 10_000;
    private static final int MAX_TIMES = 1000;
    private static final int MAX_RATE = 20_000;
    private static final Duration SHORTEST = Duration.ofSeconds(1);
    private static final Duration LONGEST = Duration.ofDays(1);

    /** The drill names, for completion and help. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.concat(DrillSelection.names(), Stream.of(DrillSelection.LIST))
                    .iterator();
        }
    }

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "NAME",
            completionCandidates = Names.class,
            description = "The drill to run; list shows all drills.")
    private String name;

    @Option(names = "--rounds", defaultValue = "1", description = "Number of rounds. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
            names = "--for",
            paramLabel = "TIME",
            description = "Start rounds for this long instead, for example PT30M.")
    private Duration limit;

    @Option(names = "--times", paramLabel = "N", description = "Number of kills in kill-loop. Default: 5.")
    private Integer times;

    @Option(
            names = "--lasts",
            paramLabel = "TIME",
            description = "Duration of watch-vacuum, pinned-snapshot or kill-while-pinned. Default: PT20S.")
    private Duration lasts;

    @Option(
            names = "--rate",
            paramLabel = "N",
            description = "Number of one-shots per second in pinned-snapshot and kill-while-pinned. Default: 1000.")
    private Integer rate;

    @Option(
            names = "--tasks",
            defaultValue = "200",
            description = "Number of tasks, besides ten that make a call every 20 ms. Default: ${DEFAULT-VALUE}.")
    private int tasks;

    @Option(
            names = "--seed",
            description = "Repeats the tasks, faults and moments of the drill that printed this seed. Default: a"
                    + " random seed.")
    private Long seed;

    @Option(
            names = "--run",
            paramLabel = "DIR",
            defaultValue = "${sys:twinbell.top:-.}/run",
            description = "The run directory of scripts/pair, which also receives the reports. Default:"
                    + " ${DEFAULT-VALUE}.")
    private Path run;

    @Option(
            names = "--own",
            description = "Drill a temporary pair that has its own servers and ends with the drill. Faults that would"
                    + " break the running pair are always drilled this way.")
    private boolean own;

    @Option(
            names = "--own-ports",
            paramLabel = "PORT",
            defaultValue = "21900",
            description = "The first of 60 ports for a temporary pair without its own network. Default:"
                    + " ${DEFAULT-VALUE}.")
    private int firstPort;

    @Option(names = "--keep", description = "Leave the tasks paused instead of removing them.")
    private boolean keep;

    /** Progress goes to standard error if the result is a JSON document. */
    @Mixin
    private CommandOutput output;

    @Override
    public Integer call() throws IOException {
        require(rounds >= 1, "--rounds must be at least 1");
        require(times == null || times >= 1 && times <= MAX_TIMES, "--times must be from 1 to " + MAX_TIMES);
        require(
                lasts == null || lasts.compareTo(SHORTEST) >= 0 && lasts.compareTo(LONGEST) <= 0,
                "--lasts must be from " + SHORTEST + " to " + LONGEST);
        require(rate == null || rate >= 1 && rate <= MAX_RATE, "--rate must be from 1 to " + MAX_RATE);
        require(tasks >= 1 && tasks <= MAX_TASKS, "--tasks must be from 1 to " + MAX_TASKS);
        require(limit == null || !limit.isNegative(), "--for must not be negative");
        if (name.equals(DrillSelection.LIST)) {
            out().println(DrillSelection.list());
            return PASSED;
        }
        DrillSelection selection = selection();
        own |= selection.takesOwnPair();
        if (own && !InOwnNetwork.isInside() && InOwnNetwork.obstacle() == null) {
            return InOwnNetwork.drill(arguments());
        }
        if (InOwnNetwork.isInside()) {
            InOwnNetwork.enter();
        }
        InterruptHandler interrupts = InterruptHandler.expected();
        try {
            return drill(selection);
        } finally {
            interrupts.close();
        }
    }

    @Override
    public List<Object> commands() {
        return List.of(new DrillCommand());
    }

    private DrillSelection selection() {
        DrillSelection selection = DrillSelection.named(name).orElseThrow(this::unknown);
        if (times != null) {
            selection = selection.times(times).orElseThrow(() -> without("--times"));
        }
        if (lasts != null) {
            selection = selection.lasting(lasts).orElseThrow(() -> without("--lasts"));
        }
        if (rate != null) {
            selection = selection.under(rate).orElseThrow(() -> without("--rate"));
        }
        return selection;
    }

    private ParameterException without(String option) {
        return new ParameterException(spec.commandLine(), "the drill " + name + " has no " + option);
    }

    /** The arguments after the command's name. */
    private List<String> arguments() {
        List<String> typed = spec.commandLine().getParseResult().originalArgs();
        return typed.subList(typed.indexOf(spec.name()) + 1, typed.size());
    }

    private ParameterException unknown() {
        return new ParameterException(
                spec.commandLine(), "there is no drill named " + name + "; there are\n" + DrillSelection.list());
    }

    private int drill(DrillSelection selection) throws IOException {
        long effectiveSeed = seed == null ? new SplittableRandom().nextLong() >>> 1 : seed;
        SplittableRandom random = new SplittableRandom(effectiveSeed);
        ConditionPoll poll = new ConditionPoll();
        FaultDrill.Options options = new FaultDrill.Options(tasks, keep, run);
        DrillSummary summary;
        DrillTimeline timeline = new DrillTimeline(progress(), err(), poll::wallMicros);
        try (DrillPairs pairs = new DrillPairs(run, own, firstPort, poll, timeline)) {
            RoundSeries series = new RoundSeries(pairs, options, poll, timeline, progress());
            summary = series.run(
                    name,
                    selection.faults(rounds, limit, own, random),
                    random,
                    (limit == null && rounds > 1 ? " of " + rounds : "") + ", seed " + effectiveSeed);
        } catch (DrillException.Refused e) {
            err().println("the drill cannot start: " + e.getMessage());
            return REFUSED;
        }
        return report(summary);
    }

    private int report(DrillSummary summary) {
        if (output.isDocument()) {
            output.document(out(), RoundJson.of(summary));
        } else if (!summary.rounds().isEmpty()) {
            new RoundTable(out()).print(summary);
        }
        out().flush();
        if (summary.wasSkipped()) {
            return SKIPPED;
        }
        return summary.passed() ? PASSED : FAILED;
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }

    private PrintWriter progress() {
        return output.isDocument() ? err() : out();
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
