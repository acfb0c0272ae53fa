package io.twinbell.tools.cli.task;

import io.twinbell.tools.cli.option.Confirmation;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.cli.option.ReasonOption;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.util.concurrent.Callable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code twinbell clear}: removes all tasks of an app, or of the pair. */
@Command(
        name = "clear",
        description = "Removes all tasks of an app, or of the whole pair, and keeps their executions. It shows the"
                + " count and asks for confirmation, unless --yes is given.",
        exitCodeList = {"0:the tasks are removed", "1:refused, or not confirmed", "2:wrong usage", "3:no node answers"},
        footer = {"  twinbell clear --app shop", "  twinbell clear --all --yes"})
public final class ClearCommand implements Callable<Integer> {
    private static final String TASKS = "/api/v1/tasks";

    @Spec
    private CommandSpec spec;

    @ArgGroup(multiplicity = "1")
    private Scope scope;

    @Mixin
    private Confirmation confirmation;

    @Mixin
    private CommandOutput output;

    @Mixin
    private ReasonOption reason;

    @Mixin
    private NodeAddresses nodes;

    private static final class Scope {
        @Option(names = "--app", paramLabel = "APP", description = "The tasks of this app.")
        private String app;

        @Option(names = "--all", description = "All tasks of the pair.")
        private boolean all;

        String words() {
            return all ? "of the whole pair" : "of the app " + app;
        }

        QueryString query() {
            return all ? new QueryString(TASKS).with("confirm", "ALL") : new QueryString(TASKS).with("app", app);
        }
    }

    @Override
    public Integer call() throws NodeException {
        String count = scope.query().with("dryRun", true).path();
        long tasks = nodes.repeatable(BulkChange.PART, node -> node.delete(count))
                .path("changed")
                .asLong();
        if (tasks > 0 && !confirmation.isGiven("This removes " + words(tasks) + " " + scope.words() + ".")) {
            spec.commandLine()
                    .getErr()
                    .println("Nothing was removed of " + words(tasks) + " " + scope.words()
                            + "; --yes confirms without a prompt");
            return 1;
        }
        new BulkChange(spec.commandLine(), output, "removed")
                .run(
                        () -> scope.query().with("reason", reason.text()),
                        new BulkRemoval(nodes, spec.commandLine().getErr()));
        return 0;
    }

    private static String words(long tasks) {
        return tasks + (tasks == 1 ? " task" : " tasks");
    }
}
