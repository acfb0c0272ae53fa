package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.CommandInput;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.manifest.Manifest;
import io.twinbell.tools.manifest.ManifestKind;
import io.twinbell.tools.terminal.CommandOutput;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.Spec;

/** The command {@code twinbell task add}: creates tasks from options or files. */
@Command(
        name = "add",
        sortOptions = false,
        modelTransformer = MemberOptions.class,
        description = "Adds a task from options, or several tasks from YAML or JSON files. Omitted values get their"
                + " defaults.",
        footer = {
            "  twinbell task add shop/close-day --cron \"30 2 * * *\" --http http://127.0.0.1:9000/x",
            "  twinbell task add shop/ping --every 30s --log",
            "  twinbell task add shop/order-4711 --in 48h --http http://127.0.0.1:9000/remind --data"
                    + " '{\"order\":4711}'",
            "  twinbell task add shop/tidy --at \"2026-12-24 18:00\" --zone Europe/Berlin --shell 'rm -rf /tmp/shop/*'",
            "  twinbell task add -f tasks.yaml --if-exists keep",
        })
final class TaskAddCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(arity = "0..1", paramLabel = "APP/NAME", description = "App and name of the task.")
    private String name;

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "Tasks in YAML or JSON: one task, a list, or a list under \"tasks\"; - is standard input."
                    + " Repeatable.")
    private List<String> files = List.of();

    @Mixin
    private TimingOptions timing;

    @Mixin
    private HandlerOptions deed;

    @Option(names = "--data", paramLabel = "JSON|@FILE", description = "Data for the handler.")
    private String data;

    @Option(names = "--paused", description = "Create the task paused.")
    private boolean paused;

    @Option(
            names = "--if-exists",
            paramLabel = "ACTION",
            defaultValue = "refuse",
            description = "What to do if a task with this name exists: ${COMPLETION-CANDIDATES}. Default:"
                    + " ${DEFAULT-VALUE}.")
    private IfExists ifExists;

    @Option(names = "--dry-run", description = "Have the pair check the tasks, and store nothing.")
    private boolean dryRun;

    @Mixin
    private CommandOutput output;

    @Mixin
    private NodeAddresses nodes;

    private enum IfExists {
        refuse,
        keep,
        replace
    }

    @Override
    public Integer call() throws NodeException {
        ParseResult parsed = spec.commandLine().getParseResult();
        boolean hasFlags = name != null
                || data != null
                || paused
                || timing.isGiven()
                || deed.isGiven()
                || MemberOptions.areGiven(parsed);
        if (hasFlags != files.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    hasFlags
                            ? "Give either APP/NAME and options, or -f FILE, not both"
                            : "Give APP/NAME and options, or -f FILE");
        }
        TaskBatchSender batch = new TaskBatchSender(nodes, ifExists.name().toUpperCase(Locale.ROOT), dryRun);
        return batch.send(files.isEmpty() ? typed(parsed) : read(), spec.commandLine(), output);
    }

    private List<Manifest.Entry> typed(ParseResult parsed) {
        int slash = name == null ? -1 : name.indexOf('/');
        if (slash <= 0 || slash == name.length() - 1) {
            throw new ParameterException(
                    spec.commandLine(), "The task needs a name, as in: task add shop/close-day --cron …");
        }
        ObjectNode task = JsonNodeFactory.instance.objectNode();
        task.put("app", name.substring(0, slash)).put("name", name.substring(slash + 1));
        timing.into(task);
        deed.into(task);
        MemberOptions.into(task, parsed);
        if (paused) {
            task.put("enabled", false);
        }
        if (data != null) {
            task.set("data", new CommandInput(spec.commandLine()).json("--data", data));
        }
        return List.of(new Manifest.Entry(ManifestKind.TASK, task, name));
    }

    private List<Manifest.Entry> read() {
        Manifest manifest = new CommandInput(spec.commandLine()).manifest(files);
        for (ManifestKind kind : ManifestKind.values()) {
            if (kind != ManifestKind.TASK && !manifest.of(kind).isEmpty()) {
                throw new ParameterException(
                        spec.commandLine(),
                        "'task add' takes tasks only; use 'twinbell apply' for files with " + kind.list());
            }
        }
        return manifest.of(ManifestKind.TASK);
    }
}
