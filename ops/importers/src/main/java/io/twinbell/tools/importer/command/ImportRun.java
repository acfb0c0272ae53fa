package io.twinbell.tools.importer.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.apply.ApplyPlan;
import io.twinbell.tools.cli.apply.ApplyRun;
import io.twinbell.tools.cli.option.ChangeLines;
import io.twinbell.tools.cli.option.Confirmation;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.TaskLines;
import io.twinbell.tools.client.CommandClock;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.importer.ImportCandidate;
import io.twinbell.tools.importer.ImportChecks;
import io.twinbell.tools.manifest.Manifest;
import io.twinbell.tools.manifest.ManifestChange;
import io.twinbell.tools.manifest.ManifestChange.ChangeKind;
import io.twinbell.tools.manifest.ManifestDiff;
import io.twinbell.tools.manifest.ManifestException;
import io.twinbell.tools.manifest.ManifestKind;
import io.twinbell.tools.terminal.CommandOutput;
import io.twinbell.tools.terminal.Progress;
import io.twinbell.tools.terminal.Terminal;
import io.twinbell.tools.terminal.Yaml;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Shows the tasks that an import would create, has the pair validate them, and creates them on request. */
final class ImportRun {
    /** A reason names at most a few texts of the other scheduler. */
    private static final int LONGEST_LINE = 500;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(names = "--apply", description = "Store the tasks without a prompt.")
    private boolean apply;

    @Option(names = "--dry-run", description = "Show the tasks and have the pair check them, and store nothing.")
    private boolean dryRun;

    @Option(
            names = "--to",
            paramLabel = "FILE",
            description = "Write the tasks to this file for 'twinbell apply', without a request to a node.")
    private Path file;

    @Option(names = "--past", description = "Also create one-shots whose time has passed; they run at once.")
    private boolean past;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    /**
     * @param beside what the tasks refer to, such as {@code calendars}, in the form of a manifest
     * @return the exit code: 0 if everything was, or would be, imported
     */
    int go(List<ImportCandidate> read, ObjectNode beside) throws NodeException {
        if (apply && (dryRun || file != null) || dryRun && file != null) {
            throw new ParameterException(spec.commandLine(), "Give only one of --apply, --dry-run and --to");
        }
        List<ImportCandidate> checked = ImportChecks.checked(read);
        if (file != null) {
            show(checked);
            write(checked, beside);
            return isComplete(checked) ? 0 : 1;
        }
        List<ManifestChange> changes = changes(checked, beside);
        List<ImportCandidate> candidates = withRefusals(checked, changes);
        show(candidates);
        printOthers(changes);
        boolean all = isComplete(candidates);
        boolean mayDo = !dryRun && (apply || Confirmation.isTyped("Changes: " + ChangeLines.summary(changes) + "."));
        int exitCode = all && changes.stream().noneMatch(change -> change.changeKind() == ChangeKind.REFUSE) ? 0 : 1;
        if (!mayDo) {
            end(
                    candidates,
                    beside,
                    null,
                    ChangeLines.summary(changes) + "; nothing was stored" + (dryRun ? "" : ": --apply stores it"));
            return exitCode;
        }
        Progress progress = new Progress(spec.commandLine().getErr(), "importing");
        ApplyRun applyRun = new ApplyRun(nodes, progress, output.isDocument() ? null : out());
        NodeException.Unreachable lost = applyRun.all(changes, false);
        end(candidates, beside, applyRun.resultsJson(), applyRun.summary());
        if (lost != null) {
            throw lost;
        }
        return all && applyRun.isComplete() ? 0 : 1;
    }

    private static boolean isComplete(List<ImportCandidate> candidates) {
        return candidates.stream().allMatch(ImportCandidate::isTaken);
    }

    private List<ManifestChange> changes(List<ImportCandidate> candidates, ObjectNode beside) throws NodeException {
        Manifest manifest = manifest(candidates, beside);
        Progress progress = new Progress(spec.commandLine().getErr(), "checking");
        try {
            return new ApplyPlan(nodes, manifest, new ManifestDiff(new CommandClock().now(), past), progress)
                    .changes(List.of());
        } catch (NodeException e) {
            show(candidates);
            throw e;
        }
    }

    /** A task that the pair refuses is a job that is not imported. */
    private static List<ImportCandidate> withRefusals(List<ImportCandidate> candidates, List<ManifestChange> changes) {
        Map<String, String> refusals = new HashMap<>();
        changes.stream()
                .filter(change -> change.kind() == ManifestKind.TASK && change.changeKind() == ChangeKind.REFUSE)
                .forEach(change -> refusals.put(change.key(), change.obstacle()));
        return candidates.stream()
                .map(one -> {
                    String refusal = one.isTaken() ? refusals.get(ManifestKind.TASK.key(one.task())) : null;
                    return refusal == null
                            ? one
                            : ImportCandidate.left(one.where(), one.description(), "the pair refuses it: " + refusal);
                })
                .toList();
    }

    private void show(List<ImportCandidate> candidates) {
        if (output.isDocument()) {
            return;
        }
        ChangeLines lines = new ChangeLines(Terminal.current());
        for (ImportCandidate one : candidates) {
            out().println(
                            one.isTaken()
                                    ? lines.painted("+", shown(one.where()) + ": " + summary(one.task()))
                                    : lines.painted(
                                            "!",
                                            shown(one.where()) + ": not imported: "
                                                    + TaskLines.cut(String.valueOf(one.description()))));
            if (!one.isTaken()) {
                out().println("    " + shown(one.obstacle()));
            }
            one.notes().forEach(note -> out().println("    " + shown(note)));
        }
        out().flush();
    }

    /** Texts of other schedulers, in one line that controls no terminal. */
    private static String shown(String text) {
        return TaskLines.cut(text, LONGEST_LINE);
    }

    private static String summary(ObjectNode task) {
        return shown(TaskLines.name(task)) + ", " + TaskLines.schedule(task.path("schedule")) + ", "
                + TaskLines.handler(task.path("handler"));
    }

    /** Reports the tasks that would change and the calendars that the pair refuses, before it asks for confirmation. */
    private void printOthers(List<ManifestChange> changes) {
        if (!output.isDocument()) {
            ChangeLines lines = new ChangeLines(Terminal.current());
            changes.stream()
                    .filter(change -> change.changeKind() == ChangeKind.UPDATE
                            || change.changeKind() == ChangeKind.REFUSE && change.kind() != ManifestKind.TASK)
                    .forEach(change -> out().println(lines.text(change)));
            out().flush();
        }
    }

    private static ObjectNode document(List<ImportCandidate> candidates, ObjectNode beside) {
        ObjectNode document = beside.deepCopy();
        ArrayNode tasks = document.putArray(ManifestKind.TASK.list());
        candidates.stream().filter(ImportCandidate::isTaken).forEach(one -> tasks.add(one.task()));
        return document;
    }

    private Manifest manifest(List<ImportCandidate> candidates, ObjectNode beside) {
        Manifest manifest = new Manifest();
        try {
            manifest.add(document(candidates, beside), "import");
            manifest.refuseDuplicates();
        } catch (ManifestException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage());
        }
        return manifest;
    }

    private void write(List<ImportCandidate> candidates, ObjectNode beside) {
        try {
            Files.writeString(file, Yaml.text(document(candidates, beside)));
        } catch (IOException e) {
            throw new ParameterException(spec.commandLine(), "Can't write " + file + ": " + e.getMessage());
        }
        long taken = candidates.stream().filter(ImportCandidate::isTaken).count();
        end(
                candidates,
                beside,
                null,
                taken + " tasks are written to " + file + ", " + (candidates.size() - taken) + " are not imported");
    }

    private void end(List<ImportCandidate> candidates, ObjectNode beside, ArrayNode results, String summary) {
        if (!output.isDocument()) {
            out().println(summary);
            out().flush();
            return;
        }
        ObjectNode document = document(candidates, beside);
        ArrayNode left = document.putArray("notTakenOver");
        candidates.stream()
                .filter(one -> !one.isTaken())
                .forEach(one -> left.addObject()
                        .put("where", one.where())
                        .put("text", one.description())
                        .put("reason", one.obstacle()));
        ArrayNode notes = document.putArray("notes");
        candidates.forEach(one -> one.notes()
                .forEach(note -> notes.addObject().put("where", one.where()).put("note", note)));
        if (results != null) {
            document.set("results", results);
        }
        output.document(out(), document);
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
