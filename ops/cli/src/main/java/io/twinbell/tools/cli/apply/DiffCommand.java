package io.twinbell.tools.cli.apply;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.twinbell.tools.cli.option.ChangeLines;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.manifest.ManifestChange;
import io.twinbell.tools.manifest.ManifestChange.ChangeKind;
import io.twinbell.tools.terminal.CommandOutput;
import io.twinbell.tools.terminal.Terminal;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** The command {@code twinbell diff}: shows what apply would do. */
@Command(
        name = "diff",
        description = "Shows the changes that apply would make to match the files. The pair checks the files as for"
                + " apply, and stores nothing.",
        exitCodeList = {
            "0:no differences",
            "1:differences",
            "2:wrong usage, or apply would refuse a change",
            "3:no node answers",
        },
        footer = {
            "  twinbell diff shop.yaml",
            "  twinbell diff shop.yaml --prune shop -o json",
            "  twinbell export --app shop --url http://127.0.0.1:8081 | twinbell diff - --url http://127.0.0.1:9081",
        })
public final class DiffCommand implements Callable<Integer> {
    private static final int DIFFERENCES = 1;
    private static final int TROUBLE = 2;

    @Spec
    private CommandSpec spec;

    @Mixin
    private ManifestOptions files;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    @Override
    public Integer call() {
        try {
            return show(files.plan(nodes));
        } catch (NodeException e) {
            e.print(spec.commandLine().getErr());
            return Math.max(TROUBLE, e.exitCode());
        }
    }

    private int show(List<ManifestChange> changes) {
        PrintWriter out = spec.commandLine().getOut();
        List<ManifestChange> different = changes.stream()
                .filter(change -> change.changeKind() != ChangeKind.KEEP)
                .toList();
        if (output.isDocument()) {
            ArrayNode list = JsonNodeFactory.instance.arrayNode();
            different.forEach(change -> list.add(ChangeLines.json(change)));
            output.document(out, list);
        } else {
            ChangeLines lines = new ChangeLines(Terminal.current());
            different.forEach(change -> out.println(lines.text(change)));
            out.println(ChangeLines.summary(changes));
            out.flush();
        }
        if (changes.stream().anyMatch(change -> change.changeKind() == ChangeKind.REFUSE)) {
            return TROUBLE;
        }
        boolean differs = different.stream().anyMatch(change -> change.changeKind() != ChangeKind.PASS_OVER);
        return differs ? DIFFERENCES : 0;
    }
}
