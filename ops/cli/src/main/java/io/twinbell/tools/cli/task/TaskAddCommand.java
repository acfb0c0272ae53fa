package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.CommandInput;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.cli.option.TaskLines;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.manifest.Manifest;
import io.twinbell.tools.manifest.ManifestKind;
import io.twinbell.tools.terminal.CommandOutput;
import io.twinbell.tools.terminal.Progress;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine;
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
        return new TaskBatchSender().send(files.isEmpty() ? typed(parsed) : read());
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

    /** Sends new tasks in batches of a thousand, and reports each task that was not created. */
    private final class TaskBatchSender {
        private static final int BATCH_SIZE = 1000;
        private static final Duration LIMIT = Duration.ofMinutes(2);

        private int created;
        private int existing;
        private int refused;

        /** Returns the exit code: 1 if any task was refused. */
        int send(List<Manifest.Entry> tasks) throws NodeException {
            CommandLine line = spec.commandLine();
            ArrayNode answers = JsonNodeFactory.instance.arrayNode();
            boolean tellsEach = tasks.size() <= 20 && !output.isDocument();
            Progress progress = new Progress(line.getErr(), dryRun ? "checking" : "adding");
            for (int first = 0; first < tasks.size(); first += BATCH_SIZE) {
                List<Manifest.Entry> some = tasks.subList(first, Math.min(tasks.size(), first + BATCH_SIZE));
                JsonNode answer = post(some);
                for (int i = 0; i < some.size(); i++) {
                    JsonNode item = answer.path("items").path(i);
                    answers.add(item);
                    String text = count(some.get(i), item);
                    if (item.has("problem")) {
                        line.getErr().println(text);
                    } else if (tellsEach) {
                        line.getOut().println(text);
                    }
                }
                progress.at(first + some.size(), tasks.size(), "tasks");
            }
            if (output.isDocument()) {
                output.document(line.getOut(), answers);
            } else if (!tellsEach) {
                line.getOut().println(summary());
            }
            line.getOut().flush();
            return refused == 0 ? 0 : 1;
        }

        private JsonNode post(List<Manifest.Entry> tasks) throws NodeException {
            ArrayNode items = JsonNodeFactory.instance.arrayNode();
            tasks.forEach(task -> items.add(task.json()));
            String path = new QueryString("/api/v1/tasks/batch")
                    .with("ifExists", ifExists.name().toUpperCase(Locale.ROOT))
                    .with("dryRun", dryRun ? "true" : null)
                    .path();
            return nodes.once(LIMIT, node -> node.post(path, items));
        }

        private String count(Manifest.Entry task, JsonNode item) {
            if (item.has("problem")) {
                refused++;
                List<String> faults = NodeException.MemberError.allOf(item.path("problem")).stream()
                        .map(NodeException.MemberError::line)
                        .toList();
                String why = faults.isEmpty()
                        ? item.path("problem").path("detail").asText()
                        : String.join("\n " + " ", faults);
                return "refused " + task.key() + (task.where().equals(task.key()) ? "" : " (" + task.where() + ")")
                        + (faults.size() > 1 ? ":\n  " : ": ") + why;
            }
            boolean isNew = item.path("status").asInt() == 201;
            created += isNew ? 1 : 0;
            existing += isNew ? 0 : 1;
            ObjectNode checked = item.path("task") instanceof ObjectNode one ? one : null;
            String verb = isNew
                    ? verb("created", "would create")
                    : ifExists == IfExists.keep ? verb("kept", "would keep") : verb("replaced", "would replace");
            return verb + " " + task.key()
                    + (checked == null
                            ? " as " + item.path("id").asText()
                            : ", first fire time " + TaskLines.instant(item, "nextFireTime"));
        }

        private String verb(String done, String ofDryRun) {
            return dryRun ? ofDryRun : done;
        }

        private String summary() {
            return created + " created, " + existing + (ifExists == IfExists.keep ? " kept, " : " replaced, ") + refused
                    + " refused" + (dryRun ? " (nothing was stored)" : "");
        }
    }
}
