package io.twinbell.tools.cli.catalog;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.tools.cli.option.NodeAddresses;
import io.twinbell.tools.cli.option.ReasonOption;
import io.twinbell.tools.client.NodeException;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** The command {@code twinbell defaults}: defaults for members that tasks do not have. */
@Command(
        name = "defaults",
        description = "Lists and changes the defaults of tasks: of the cluster, and with --app of an app.",
        footer = {"  twinbell defaults list", "  twinbell defaults put --app shop defaults.json"})
public final class DefaultsCommand {
    /** The limit is long because every task that has values from defaults is changed before the node answers. */
    private static final Duration WRITE = Duration.ofMinutes(2);

    private static final NamedObjects DEFAULTS = new NamedObjects("/api/v1/defaults", "defaults", WRITE);

    private static final String APP = "The app. Default: the cluster.";

    @Spec
    private CommandSpec spec;

    @Command(
            name = "list",
            mixinStandardHelpOptions = true,
            description = "Lists the defaults of the cluster and of all apps.",
            footer = {"  twinbell defaults list", "  twinbell defaults list -o yaml"})
    int list(@Mixin CommandOutput output, @Mixin NodeAddresses nodes) throws NodeException {
        return DEFAULTS.list(spec, output, nodes, DefaultsCommand::line);
    }

    private static String line(JsonNode defaults) {
        return String.format(
                Locale.ROOT,
                "%s version=%d %s",
                defaults.path("key").asText(),
                defaults.path("version").asLong(),
                members(defaults));
    }

    private static ObjectNode members(JsonNode defaults) {
        return ((ObjectNode) defaults.deepCopy()).remove(List.of("key", "version", "createdAt", "updatedAt"));
    }

    @Command(
            name = "show",
            mixinStandardHelpOptions = true,
            description = "Prints defaults as JSON, in the form that 'defaults put' accepts.",
            footer = {"  twinbell defaults show --app shop > defaults.json"})
    int show(@Mixin NodeAddresses nodes, @Option(names = "--app", description = APP) String app) throws NodeException {
        ObjectNode defaults = (ObjectNode) nodes.get(path(app));
        defaults.remove(List.of("createdAt", "updatedAt"));
        out().println(defaults.toPrettyString());
        return 0;
    }

    @Command(
            name = "put",
            mixinStandardHelpOptions = true,
            description =
                    "Creates or replaces defaults from a JSON file, and changes the tasks whose values come from them.",
            footer = {"  twinbell defaults put defaults.json", "  twinbell defaults put --app shop defaults.json"})
    int put(
            @Mixin NodeAddresses nodes,
            @Option(names = "--app", description = APP) String app,
            @Parameters(paramLabel = "FILE") Path file)
            throws NodeException {
        String json = NamedObjects.read(spec, file);
        out().println(line(DEFAULTS.put(nodes, path(app), "application/json", json)));
        return 0;
    }

    @Command(
            name = "rm",
            mixinStandardHelpOptions = true,
            description = "Removes defaults. Tasks with values from them get the other defaults.",
            footer = {"  twinbell defaults rm --app shop"})
    int remove(
            @Mixin NodeAddresses nodes,
            @Mixin ReasonOption reason,
            @Option(names = "--app", description = APP) String app)
            throws NodeException {
        return DEFAULTS.remove(nodes, key(app), reason);
    }

    private static String path(String app) {
        return DEFAULTS.path(key(app));
    }

    private static String key(String app) {
        return app == null ? "cluster" : "app:" + app;
    }

    private PrintWriter out() {
        return spec.commandLine().getOut();
    }
}
