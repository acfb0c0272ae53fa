package io.twinbell.tools.cli;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine;

/** Checks the help of all commands on the class path of a test. */
public final class HelpCheck {
    private static final Pattern WORD = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|'([^']*)'|([^\\s\"']+)");

    private HelpCheck() {}

    /** The number of examples; fails if a command has none, or one that would not be accepted. */
    public static int passedBy(CommandLine twinbell) {
        int seen = 0;
        for (CommandLine command : all(twinbell, new ArrayList<>())) {
            String name = command.getCommandSpec().qualifiedName();
            String help = command.getUsageMessage();
            assertTrue(help.contains("Exit codes:\n"), help);
            assertTrue(
                    command.getCommandSpec().usageMessage().footer().length > 0
                            || name.matches("twinbell (bench.*|config .+)"),
                    name + " has no example");
            for (String example : command.getCommandSpec().usageMessage().footer()) {
                seen++;
                List<String> words = words(example);
                int start = words.indexOf("twinbell") + 1;
                assertTrue(start > 0, example);
                // Throws if it is not right.
                twinbell.parseArgs(words.subList(start, words.size()).toArray(String[]::new));
            }
        }
        return seen;
    }

    private static List<CommandLine> all(CommandLine command, List<CommandLine> into) {
        if (!command.getCommandSpec().usageMessage().hidden()) {
            into.add(command);
        }
        command.getSubcommands().values().stream().distinct().forEach(each -> all(each, into));
        return into;
    }

    /** As a shell would take the line apart, up to what it does with the output. */
    private static List<String> words(String example) {
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(example.replace("<(", "").replaceAll("\\)$", ""));
        while (word.find()) {
            String text = word.group(1) != null ? word.group(1) : word.group(2) != null ? word.group(2) : word.group(3);
            if (word.group(3) != null && List.of(">", "|", "&&").contains(text) && words.contains("twinbell")) {
                return words;
            }
            words.add(text);
        }
        return words;
    }
}
