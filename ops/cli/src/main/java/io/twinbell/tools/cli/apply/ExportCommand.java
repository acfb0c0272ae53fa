package io.twinbell.tools.cli.apply;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.PagedList;
import io.twinbell.tools.cli.option.QueryString;
import io.twinbell.tools.cli.option.TaskFilterOptions;
import io.twinbell.tools.cli.option.TaskLines;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.manifest.DefaultsStripper;
import io.twinbell.tools.manifest.ManifestKind;
import io.twinbell.tools.manifest.TaskDefaultsIndex;
import io.twinbell.tools.terminal.Progress;
import io.twinbell.tools.terminal.Yaml;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * The command {@code twinbell export}: writes a pair's tasks and what belongs to them as a manifest, for example for
 * git.
 */
@Command(
        name = "export",
        description =
                "Writes tasks, calendars, limits, defaults and alerts as YAML: in a stable order, and only what differs"
                        + " from the defaults. A filter selects tasks, and the calendars that they use. If you apply the file"
                        + " and export again, the result is the same bytes. A paused task is exported with enabled: false,"
                        + " without its reason.",
        exitCodeList = {
            "0:all objects are written",
            "1:refused, or a task is left out because its definition cannot be read",
            "2:wrong usage",
            "3:no node answers",
        },
        footer = {
            "  twinbell export > pair.yaml",
            "  twinbell export --app shop --to shop.yaml",
            "  twinbell export --kind calendars,alerts",
        })
public final class ExportCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private TaskFilterOptions filter;

    @Option(
            names = "--kind",
            split = ",",
            paramLabel = "KIND",
            description = "Export only these kinds: tasks, calendars, limits, defaults, alerts. Default: all.")
    private List<String> kinds;

    @Option(names = "--finished", description = "Include FINISHED tasks; apply leaves out those whose time has passed.")
    private boolean finished;

    @Option(names = "--starts", description = "Include the start of tasks that started when they were created.")
    private boolean starts;

    @Option(
            names = "--versions",
            description = "Include versions, so that apply refuses objects that have changed since the export.")
    private boolean versions;

    @Option(names = "--to", paramLabel = "FILE", description = "Write to this file. Default: standard output.")
    private Path file;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FORMAT",
            defaultValue = "yaml",
            description = "Format: ${COMPLETION-CANDIDATES}. Default: ${DEFAULT-VALUE}.")
    private Format format;

    @Mixin
    private NodeAddresses nodes;

    private final Set<String> respected = new HashSet<>();
    private int unreadable;

    private enum Format {
        yaml,
        json
    }

    @Override
    public Integer call() throws NodeException {
        Set<ManifestKind> wanted = wanted();
        ObjectNode document = JsonNodeFactory.instance.objectNode();
        Progress progress = new Progress(spec.commandLine().getErr(), "exporting");
        // Tasks first, because they determine which calendars belong to them.
        ArrayNode tasks = wanted.contains(ManifestKind.TASK) ? tasks(progress) : JsonNodeFactory.instance.arrayNode();
        for (ManifestKind kind : ManifestKind.values()) {
            ArrayNode list = kind == ManifestKind.TASK ? tasks : wanted.contains(kind) ? others(kind) : null;
            if (list != null && !list.isEmpty()) {
                document.set(kind.list(), list);
            }
        }
        if (document.isEmpty()) {
            document.putArray(ManifestKind.TASK.list());
        }
        write(format == Format.yaml ? Yaml.text(document) : document.toPrettyString() + "\n");
        return unreadable == 0 ? 0 : 1;
    }

    private Set<ManifestKind> wanted() {
        Set<ManifestKind> wanted = EnumSet.noneOf(ManifestKind.class);
        for (String name : kinds == null ? List.<String>of() : kinds) {
            ManifestKind found = null;
            for (ManifestKind kind : ManifestKind.values()) {
                found = kind.list().equals(name) ? kind : found;
            }
            if (found == null) {
                throw new ParameterException(
                        spec.commandLine(),
                        "--kind takes tasks, calendars, limits, defaults or alerts, not \"" + name + "\"");
            }
            wanted.add(found);
        }
        if (kinds != null) {
            return wanted;
        }
        return filter.isGiven()
                ? EnumSet.of(ManifestKind.TASK, ManifestKind.CALENDAR)
                : EnumSet.allOf(ManifestKind.class);
    }

    private ArrayNode tasks(Progress progress) throws NodeException {
        List<ObjectNode> found = new ArrayList<>();
        List<JsonNode> defaults = new ArrayList<>();
        PagedList.read(nodes, () -> new QueryString(ManifestKind.DEFAULTS.path()), Integer.MAX_VALUE, defaults::add);
        DefaultsStripper.KeptMembers keptMembers =
                new DefaultsStripper.KeptMembers(starts, versions, new TaskDefaultsIndex(defaults));
        PagedList.read(nodes, () -> filter.of(ManifestKind.TASK.path()), Integer.MAX_VALUE, task -> {
            String error = TaskLines.unreadable(task);
            if (error != null) {
                unreadable++;
                spec.commandLine().getErr().println(error);
            } else if (finished || !task.path("state").asText().equals("FINISHED")) {
                add((ObjectNode) task, keptMembers, found, progress);
            }
        });
        return sorted(ManifestKind.TASK, found);
    }

    private void add(
            ObjectNode task, DefaultsStripper.KeptMembers keptMembers, List<ObjectNode> found, Progress progress) {
        try {
            found.add(DefaultsStripper.of(ManifestKind.TASK, task, keptMembers));
            task.path("calendars").forEach(calendar -> respected.add(calendar.asText()));
            progress.at(found.size(), 0, "tasks");
        } catch (RuntimeException e) {
            // A task that SQL stored and no node has examined yet may have any values.
            unreadable++;
            spec.commandLine().getErr().println(TaskLines.name(task) + " can't be read: " + e.getMessage());
        }
    }

    private ArrayNode others(ManifestKind kind) throws NodeException {
        List<ObjectNode> found = new ArrayList<>();
        PagedList.read(nodes, () -> new QueryString(kind.path()), Integer.MAX_VALUE, one -> {
            boolean belongs = !filter.isGiven() || kind != ManifestKind.CALENDAR || respected.contains(kind.key(one));
            if (belongs) {
                found.add(DefaultsStripper.of(
                        kind,
                        (ObjectNode) one,
                        new DefaultsStripper.KeptMembers(starts, versions, TaskDefaultsIndex.NONE)));
            }
        });
        return sorted(kind, found);
    }

    private static ArrayNode sorted(ManifestKind kind, List<ObjectNode> found) {
        Comparator<JsonNode> order = null;
        for (String member : kind.identity()) {
            Comparator<JsonNode> next =
                    Comparator.comparing(one -> one.path(member).asText());
            order = order == null ? next : order.thenComparing(next);
        }
        ArrayNode sorted = JsonNodeFactory.instance.arrayNode();
        found.stream().sorted(order).forEach(sorted::add);
        return sorted;
    }

    private void write(String text) {
        if (file == null) {
            spec.commandLine().getOut().print(text);
            spec.commandLine().getOut().flush();
            return;
        }
        try {
            Files.writeString(file, text);
        } catch (IOException e) {
            throw new ParameterException(spec.commandLine(), "Can't write " + file + ": " + e.getMessage());
        }
    }
}
