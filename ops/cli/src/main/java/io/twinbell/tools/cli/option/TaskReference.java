package io.twinbell.tools.cli.option;

import com.fasterxml.jackson.databind.JsonNode;
import io.twinbell.tools.client.NodeException;
import java.time.Duration;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * A task as typed: its id, or {@code app/name}. The app ends at the first slash, so a task whose app contains a slash
 * is addressed by its id.
 */
public record TaskReference(String typed, String path) {
    private static final String TASKS = "/api/v1/tasks/";
    private static final Duration LIMIT = Duration.ofSeconds(10);

    /** Converts an argument for picocli. */
    public static final class Reader implements ITypeConverter<TaskReference> {
        @Override
        public TaskReference convert(String text) {
            int slash = text.indexOf('/');
            if (text.matches("\\d{1,18}")) {
                return new TaskReference(text, TASKS + text);
            }
            if (slash <= 0 || slash == text.length() - 1) {
                throw new TypeConversionException("a task is named by its id or as APP/NAME, not \"" + text + "\"");
            }
            return named(text.substring(0, slash), text.substring(slash + 1));
        }
    }

    static TaskReference named(String app, String name) {
        return new TaskReference(
                app + "/" + name, "/api/v1/apps/" + QueryString.encoded(app) + "/tasks/" + QueryString.encoded(name));
    }

    /** The task as the pair shows it. */
    public JsonNode find(NodeAddresses nodes) throws NodeException {
        return nodes.repeatable(LIMIT, node -> node.get(path));
    }

    /** The task's path by id, which every operation accepts. */
    public String pathById(NodeAddresses nodes) throws NodeException {
        return path.startsWith(TASKS) ? path : TASKS + find(nodes).path("id").asLong();
    }
}
