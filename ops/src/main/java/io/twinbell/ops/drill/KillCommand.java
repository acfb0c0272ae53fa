package io.twinbell.ops.drill;

import io.twinbell.ops.client.NodeException;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Kills the master with -9, as often as asked. */
@Command(
        name = "kill",
        mixinStandardHelpOptions = true,
        description = "Kills the master with SIGKILL at a random moment while tasks of every kind call a receiver, and"
                + " starts it again. Passed (exit code 0) if every slot that the schedules owe is in the ledger once, no"
                + " attempt was called twice, the receiver saw every success, and the killed node is standby again.")
final class KillCommand implements Callable<Integer> {
    private static final int PASSED = 0;
    private static final int FAILED = 1;
    private static final int REFUSED = 2;
    private static final int MAX_TASKS = 10_000;

    private enum Format {
        text,
        json
    }

    @Spec
    private CommandSpec spec;

    @Option(names = "--rounds", defaultValue = "1", description = "How often. Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(names = "--tasks", defaultValue = "200", description = "How many tasks run. Default: ${DEFAULT-VALUE}.")
    private int tasks;

    @Option(
            names = "--seed",
            description = "Makes tasks and moments the same as in the drill that printed it. Default: any.")
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
        Interruption interruption = Interruption.expected();
        try {
            return drill();
        } finally {
            interruption.close();
        }
    }

    private int drill() throws IOException {
        List<Round> done = new ArrayList<>();
        try {
            run(done);
            return report(done, null);
        } catch (DrillException | NodeException e) {
            boolean refused = e instanceof DrillException.Refused && done.isEmpty();
            err().println((refused ? "cannot drill: " : "the drill broke off: ") + e.getMessage());
            return refused ? REFUSED : report(done, e.getMessage());
        }
    }

    private void run(List<Round> done) throws DrillException, NodeException, IOException {
        long effectiveSeed = seed == null ? new SplittableRandom().nextLong() >>> 1 : seed;
        SplittableRandom random = new SplittableRandom(effectiveSeed);
        KillDrill drill = new KillDrill(LocalPair.in(run), new KillDrill.Options(tasks, keep), progress(), err());
        for (int number = 1; number <= rounds; number++) {
            Cast cast = drill.cast();
            progress().println("round " + number + " of " + rounds + ", seed " + effectiveSeed);
            Round round = drill.round(cast, random.split());
            done.add(round);
            new RoundText(progress()).tell(round);
        }
    }

    /** @param brokenOff why not all rounds came to their end, or null */
    private int report(List<Round> done, String brokenOff) {
        Summary summary = new Summary(done, rounds, brokenOff);
        if (format == Format.json) {
            out().println(RoundJson.of(summary));
        } else if (!done.isEmpty()) {
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
