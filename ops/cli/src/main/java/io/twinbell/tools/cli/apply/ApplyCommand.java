package io.twinbell.tools.cli.apply;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.cli.option.ChangeLines;
import io.twinbell.tools.cli.option.Confirmation;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.manifest.ManifestChange;
import io.twinbell.tools.manifest.ManifestChange.ChangeKind;
import io.twinbell.tools.terminal.CommandOutput;
import io.twinbell.tools.terminal.Progress;
import io.twinbell.tools.terminal.Terminal;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code twinbell apply}: makes a pair match manifest files. */
@Command(
        name = "apply",
        description =
                "Makes the pair match the files. apply reports each object; if one is refused, the others are still"
                        + " applied. It never overwrites a concurrent change: it refuses that object. It removes only"
                        + " tasks of apps that --prune names, after confirmation or with --yes.",
        exitCodeList = {
            "0:the pair matches the files",
            "1:a change was refused or not made; each is reported",
            "2:wrong usage",
            "3:no node answers; the changes made until then are reported",
        },
        footer = {
            "  twinbell apply shop.yaml",
            "  twinbell apply shop.yaml --dry-run",
            "  twinbell apply shop.yaml holidays.yaml --prune shop --yes",
        })
public final class ApplyCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private ManifestOptions files;

    @Option(names = "--dry-run", description = "Show the changes, and make none.")
    private boolean dryRun;

    @Mixin
    private Confirmation confirmation;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() throws NodeException {
        List<ManifestChange> changes = files.plan(nodes);
        if (dryRun) {
            ChangeLines lines = new ChangeLines(Terminal.current());
            ArrayNode listed = JsonNodeFactory.instance.arrayNode();
            changes.stream()
                    .filter(change -> change.changeKind() != ChangeKind.KEEP)
                    .forEach(change -> {
                        listed.add(ChangeLines.json(change));
                        print(lines.text(change));
                    });
            return end(listed, ChangeLines.summary(changes) + " (nothing was done)", isComplete(changes) ? 0 : 1);
        }
        long removals = changes.stream()
                .filter(change -> change.changeKind() == ChangeKind.REMOVE)
                .count();
        boolean mayRemove = removals == 0 || confirmation.isGiven("This removes " + removals + " tasks.");
        Progress progress = new Progress(spec.commandLine().getErr(), "applying");
        ApplyRun applyRun = new ApplyRun(
                nodes, progress, output.isDocument() ? null : spec.commandLine().getOut());
        NodeException.Unreachable lost = applyRun.all(changes, mayRemove);
        int exitCode = end(applyRun.resultsJson(), applyRun.summary(), applyRun.isComplete() ? 0 : 1);
        if (lost != null) {
            throw lost;
        }
        return exitCode;
    }

    private static boolean isComplete(List<ManifestChange> changes) {
        return changes.stream().noneMatch(change -> change.changeKind() == ChangeKind.REFUSE);
    }

    private void print(String line) {
        if (!output.isDocument()) {
            spec.commandLine().getOut().println(line);
        }
    }

    private int end(ArrayNode listed, String summary, int exitCode) {
        output.println(spec.commandLine().getOut(), listed, () -> summary);
        return exitCode;
    }
}
