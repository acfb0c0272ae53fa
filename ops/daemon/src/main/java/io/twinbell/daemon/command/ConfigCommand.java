package io.twinbell.daemon.command;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.config.NodeConfig;
import io.twinbell.node.settings.ConfigException;
import io.twinbell.node.settings.EffectiveSetting;
import io.twinbell.tools.terminal.CommandOutput;
import java.io.PrintWriter;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/** The command {@code config}: checks and shows a node's configuration. */
@Command(
        name = "config",
        description = "Checks a node's configuration.",
        footer = "  twinbell config check --config conf/twinbell.yaml",
        subcommands = ConfigCommand.Check.class)
final class ConfigCommand implements Callable<Integer> {
    /** The same exit code as the node's own program. */
    private static final int BAD_CONFIGURATION = 78;

    private static final int USAGE = 64;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return USAGE;
    }

    /** Reads a configuration as a node would. */
    @Command(
            name = "check",
            mixinStandardHelpOptions = true,
            description = "Reads a node's configuration exactly as the node does: the file, the TWINBELL_… variables of"
                    + " this shell, and --set.",
            exitCodeList = {"0:a node accepts it", "2:wrong usage", "78:a node rejects it; each error is printed"})
    static final class Check implements Callable<Integer> {
        @Spec
        private CommandSpec spec;

        @Mixin
        private ConfigOptions options;

        @Option(
                names = "--show",
                description = "Show the effective value and the source of every key; secrets are masked.")
        private boolean show;

        @Mixin
        private CommandOutput output;

        @Override
        public Integer call() {
            PrintWriter out = spec.commandLine().getOut();
            try {
                NodeConfig config = options.read(System.getenv());
                List<EffectiveSetting> settings = show ? options.effective(System.getenv()) : List.of();
                output.println(out, json(List.of(), settings), () -> text(config, settings, options.source()));
                return 0;
            } catch (ConfigException e) {
                if (output.isDocument()) {
                    output.document(out, json(e.errors(), List.of()));
                } else {
                    e.errors().forEach(spec.commandLine().getErr()::println);
                }
                return BAD_CONFIGURATION;
            }
        }

        private static String text(NodeConfig config, List<EffectiveSetting> settings, String source) {
            if (settings.isEmpty()) {
                return "ok: node " + config.nodeId() + " of cluster " + config.cluster() + " would run with " + source;
            }
            int keys = width(settings.stream().map(EffectiveSetting::key).toList());
            int values = width(settings.stream().map(EffectiveSetting::value).toList());
            StringBuilder lines = new StringBuilder();
            for (EffectiveSetting setting : settings) {
                lines.append(lines.isEmpty() ? "" : System.lineSeparator())
                        .append(padded(setting.key(), keys))
                        .append(padded(setting.value(), values))
                        .append(setting.source());
            }
            return lines.toString();
        }

        private static int width(List<String> texts) {
            return texts.stream().mapToInt(String::length).max().orElse(0) + 2;
        }

        private static String padded(String text, int width) {
            return text + " ".repeat(width - text.length());
        }

        private static ObjectNode json(List<String> errors, List<EffectiveSetting> settings) {
            ObjectNode report = new ObjectMapper().createObjectNode();
            report.put("valid", errors.isEmpty());
            ArrayNode wrong = report.putArray("errors");
            errors.forEach(wrong::add);
            ArrayNode effective = report.putArray("settings");
            settings.forEach(setting -> effective
                    .addObject()
                    .put("key", setting.key())
                    .put("value", setting.value())
                    .put("source", setting.source()));
            return report;
        }
    }
}
