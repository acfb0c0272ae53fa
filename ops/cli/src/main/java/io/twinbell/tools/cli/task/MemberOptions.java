package io.twinbell.tools.cli.task;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Member;
import io.twinbell.node.json.MemberType;
import io.twinbell.node.task.reader.TaskMembers;
import io.twinbell.tools.cli.option.DurationConverter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import picocli.CommandLine.IModelTransformer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParseResult;

/**
 * Adds an option for each member of a task that has none of its own in the command. {@link TaskMembers} describes them.
 */
final class MemberOptions implements IModelTransformer {
    /** Other options are for these. */
    private static final Set<String> ELSEWHERE =
            Set.of("app", "name", "enabled", "schedule", "start", "end", "calendars", "handler", "data");
    /** The members of nested objects that have an option, and lists, whose option is for one item. */
    private static final Map<String, String> NAMES = Map.of(
            "tags", "--tag",
            "retry.maxAttempts", "--attempts",
            "retry.backoff", "--backoff",
            "retry.onlyOn", "--retry-only-on",
            "retry.notOn", "--retry-not-on",
            "misfire.policy", "--misfire",
            "misfire.threshold", "--misfire-after");

    private static final List<MemberOption> OPTIONS = options();

    /**
     * An option for a member.
     *
     * @param object the name of the nested object; null for a member of the task itself
     */
    private record MemberOption(String object, Member<?> member) {
        String name() {
            String path = object == null ? member.name() : object + "." + member.name();
            return NAMES.getOrDefault(path, object == null ? "--" + words(member.name()) : null);
        }

        private static String words(String name) {
            return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
        }

        OptionSpec spec() {
            OptionSpec.Builder option = OptionSpec.builder(name()).description(description());
            return switch (kind()) {
                case LIST ->
                    option.type(List.class)
                            .auxiliaryTypes(String.class)
                            .paramLabel("VALUE")
                            .build();
                case WHOLE -> option.type(Long.class).paramLabel("NUMBER").build();
                case DURATION ->
                    option.type(Duration.class)
                            .converters(new DurationConverter())
                            .paramLabel("DURATION")
                            .build();
                case CHOICE -> option.type(String.class).paramLabel("POLICY").build();
                case TEXT -> option.type(String.class).paramLabel("TEXT").build();
                case OTHER ->
                    throw new IllegalStateException("no option can be made for a member like " + member.name());
            };
        }

        private String description() {
            List<String> sentences = new ArrayList<>();
            sentences.add(member.description());
            if (kind() == MemberType.Kind.CHOICE) {
                JsonNode schema = member.type().schema().get();
                sentences.add(schema.path("description").asText());
                List<String> choices = new ArrayList<>();
                schema.findValue("enum").forEach(choice -> choices.add(choice.asText()));
                sentences.add("One of " + String.join(", ", choices) + ".");
            } else if (kind() == MemberType.Kind.LIST) {
                sentences.add("Repeatable.");
            }
            sentences.removeIf(String::isEmpty);
            return String.join(" ", sentences);
        }

        private MemberType.Kind kind() {
            return member.type().kind();
        }

        void put(Object value, ObjectNode json) {
            if (value instanceof Long number) {
                json.put(member.name(), number);
            } else if (value instanceof List<?> values) {
                ArrayNode list = json.putArray(member.name());
                values.forEach(one -> list.add(one.toString()));
            } else {
                json.put(
                        member.name(),
                        kind() == MemberType.Kind.CHOICE
                                ? value.toString().toUpperCase(Locale.ROOT)
                                : value.toString());
            }
        }
    }

    private static List<MemberOption> options() {
        List<MemberOption> options = new ArrayList<>();
        for (Member<?> member : TaskMembers.ALL) {
            if (!member.type().members().isEmpty()) {
                member.type().members().forEach(nested -> options.add(new MemberOption(member.name(), nested)));
            } else if (!ELSEWHERE.contains(member.name())) {
                options.add(new MemberOption(null, member));
            }
        }
        options.removeIf(option -> option.name() == null);
        return List.copyOf(options);
    }

    @Override
    public CommandSpec transform(CommandSpec command) {
        OPTIONS.forEach(option -> command.addOption(option.spec()));
        return command;
    }

    static boolean areGiven(ParseResult parsed) {
        return OPTIONS.stream().anyMatch(option -> parsed.hasMatchedOption(option.name()));
    }

    static void into(ObjectNode task, ParseResult parsed) {
        for (MemberOption option : OPTIONS) {
            if (parsed.hasMatchedOption(option.name())) {
                option.put(
                        parsed.matchedOptionValue(option.name(), null),
                        option.object() == null ? task : task.withObject("/" + option.object()));
            }
        }
    }
}
