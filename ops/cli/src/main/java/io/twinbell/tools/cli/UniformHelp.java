package io.twinbell.tools.cli;

import java.util.LinkedHashMap;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Gives every command the same help: --help, --version, exit codes and a heading above its examples. */
final class UniformHelp {
    private static final Map<String, String> EXIT_CODES = new LinkedHashMap<>();

    static {
        EXIT_CODES.put("0", "done");
        EXIT_CODES.put("1", "refused, or not found");
        EXIT_CODES.put("2", "wrong usage");
        EXIT_CODES.put("3", "no node answers");
    }

    private UniformHelp() {}

    static void complete(CommandLine line) {
        // Options added later would mix up a command method's parameters, so its annotation declares them.
        if (!line.getCommandSpec().mixinStandardHelpOptions()) {
            line.getCommandSpec().mixinStandardHelpOptions(true);
        }
        line.getCommandSpec().version("Twinbell " + version());
        UsageMessageSpec usage = line.getCommandSpec().usageMessage();
        if (usage.footer().length > 0) {
            usage.footerHeading("%nExamples:%n");
        }
        usage.exitCodeListHeading("%nExit codes:%n");
        summarize(usage);
        if (usage.exitCodeList().isEmpty()) {
            usage.exitCodeList(EXIT_CODES);
        }
        line.getSubcommands().values().stream().distinct().forEach(UniformHelp::complete);
    }

    /** Shows the first sentence in the list of commands, and the rest only in the command's own help. */
    private static void summarize(UsageMessageSpec usage) {
        String whole = String.join(" ", usage.description());
        int end = whole.indexOf(". ") + 1;
        if (usage.header().length == 0 && end > 0) {
            usage.header(whole.substring(0, end));
            usage.description(whole.substring(end + 1));
        }
    }

    private static String version() {
        String version = UniformHelp.class.getPackage().getImplementationVersion();
        return version == null ? "built from source" : version;
    }
}
