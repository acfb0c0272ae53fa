package io.twinbell.ops.drill;

import io.twinbell.ops.client.NodeException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The failover exercises. */
@Command(
        name = "drill",
        mixinStandardHelpOptions = true,
        description =
                "Breaks a running pair on purpose, at a random moment while tasks of every kind call a receiver, and"
                        + " makes it whole again. Passed (exit code 0) if every slot that the schedules owe is in the ledger once,"
                        + " no attempt was called twice, the receiver saw every success, the master changed as often as the fault"
                        + " gives reason to, and both nodes are at work again. Exit code 1: not passed; 2: refused.")
public final class DrillCommand implements Callable<Integer> {
    private static final int PASSED = 0;
    private static final int FAILED = 1;
    private static final int REFUSED = 2;
    private static final int MAX_TASKS = 10_000;
    private static final String ALL = "all";
    private static final String RANDOM = "random";

    private enum Format {
        text,
        json
    }

    /** For completion and help. */
    static final class Names implements Iterable<String> {
        @Override
        public Iterator<String> iterator() {
            return Stream.concat(Faults.ALL.stream().map(Fault::name), Stream.of(ALL, RANDOM))
                    .iterator();
        }
    }

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "NAME",
            completionCandidates = Names.class,
            description = "What to do: ${COMPLETION-CANDIDATES}. all: each once a round; random: any, by the seed.")
    private String name;

    @Option(names = "--rounds", defaultValue = "1", description = "How often. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(names = "--tasks", defaultValue = "200", description = "How many tasks run. Default: ${DEFAULT-VALUE}.")
    private int tasks;

    @Option(
            names = "--seed",
            description = "Makes tasks, faults and moments the same as in the drill that printed it. Default: any.")
    private Long seed;

    @Option(
            names = "--run",
            paramLabel = "DIR",
            defaultValue = "${sys:twinbell.top:-.}/run",
            description = "Where scripts/pair keeps the pair. Default: ${DEFAULT-VALUE}.")
    private Path run;

    @Option(names = "--keep", description = "Leave the tasks, paused, instead of removing them.")
    private boolean keep;

    @Option(
            names = {"-o", "--output"},
            defaultValue = "text",
            description = "${COMPLETION-CANDIDATES}; what goes on is told on standard error for json.")
    private Format format;

    @Override
    public Integer call() throws IOException {
        require(rounds >= 1, "--rounds must be at least 1");
        require(tasks >= 1 && tasks <= MAX_TASKS, "--tasks must be from 1 to " + MAX_TASKS);
        long effectiveSeed = seed == null ? new SplittableRandom().nextLong() >>> 1 : seed;
        SplittableRandom random = new SplittableRandom(effectiveSeed);
        List<Fault> faults = faults(random);
        Interruption interruption = Interruption.expected();
        try {
            return drill(faults, random, effectiveSeed);
        } finally {
            interruption.close();
        }
    }

    /** One for each round that is to be made. */
    private List<Fault> faults(SplittableRandom random) {
        List<Fault> faults = new ArrayList<>();
        for (int round = 0; round < rounds; round++) {
            switch (name) {
                case ALL -> faults.addAll(Faults.ALL);
                case RANDOM -> faults.add(Faults.ALL.get(random.nextInt(Faults.ALL.size())));
                default -> faults.add(Faults.named(name).orElseThrow(this::unknown));
            }
        }
        return faults;
    }

    private ParameterException unknown() {
        String known = Stream.concat(
                        Faults.ALL.stream().map(fault -> "  " + fault.name() + ": " + fault.description()),
                        Stream.of("  " + ALL + ": each of them", "  " + RANDOM + ": any of them"))
                .collect(Collectors.joining("\n"));
        return new ParameterException(spec.commandLine(), "there is no drill named " + name + "; there are\n" + known);
    }

    private int drill(List<Fault> faults, SplittableRandom random, long effectiveSeed) throws IOException {
        List<Round> done = new ArrayList<>();
        try {
            FaultDrill drill =
                    new FaultDrill(LocalPair.in(run), new FaultDrill.Options(tasks, keep), progress(), err());
            for (Fault fault : faults) {
                Cast cast = drill.cast();
                progress()
                        .println(fault.name() + ", round " + (done.size() + 1) + " of " + faults.size() + ", seed "
                                + effectiveSeed);
                done.add(drill.round(fault, cast, random.split()));
                new RoundText(progress()).tell(done.get(done.size() - 1));
            }
            return report(new Summary(name, done, faults.size(), null));
        } catch (DrillException | NodeException e) {
            boolean refused = e instanceof DrillException.Refused && done.isEmpty();
            err().println((refused ? "cannot drill: " : "the drill broke off: ") + e.getMessage());
            return refused ? REFUSED : report(new Summary(name, done, faults.size(), e.getMessage()));
        }
    }

    private int report(Summary summary) {
        if (format == Format.json) {
            out().println(RoundJson.of(summary));
        } else if (!summary.rounds().isEmpty()) {
            new RoundTable(out()).tell(summary);
        }
        out().flush();
        return summary.passed() ? PASSED : FAILED;
    }

    private void require(boolean holds, String otherwise) {
        if (!holds) {
            throw new ParameterException(spec.commandLine(), otherwise);
        }
    }

    private PrintWriter progress() {
        return format == Format.json ? err() : out();
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }

    private PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
