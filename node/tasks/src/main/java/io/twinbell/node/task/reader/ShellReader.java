package io.twinbell.node.task.reader;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.twinbell.node.json.Fields;
import io.twinbell.node.task.definition.HandlerSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Reads a shell task's command: the program and a list of arguments, which are passed unchanged and not parsed by a
 * shell.
 */
final class ShellReader {
    private static final int MAX_ARGUMENTS = 200;
    private static final int MAX_VARIABLES = 100;
    private static final int MAX_CODES = 50;
    private static final int MAX_PATH = 4096;
    private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,99}");

    private ShellReader() {}

    static HandlerSpec read(Fields handler, ObjectNode normalized) {
        List<String> command = command(handler);
        Map<String, String> environment = environment(handler);
        String directory = directory(handler);
        List<Integer> codes = successCodes(handler);
        ArrayNode arguments = normalized.putArray("command");
        command.forEach(arguments::add);
        ObjectNode variables = normalized.putObject("environment");
        environment.forEach(variables::put);
        if (directory != null) {
            normalized.put("workingDirectory", directory);
        }
        ArrayNode written = normalized.putArray("successCodes");
        codes.forEach(written::add);
        return new HandlerSpec.Shell(command, environment, directory, codes);
    }

    private static List<String> command(Fields handler) {
        JsonNode given = handler.required("command");
        List<String> command = new ArrayList<>();
        if (given == null) {
            return command;
        }
        if (!given.isArray() || given.isEmpty() || given.size() > MAX_ARGUMENTS) {
            handler.error(
                    "command",
                    "must be a list of 1 to " + MAX_ARGUMENTS
                            + " strings, the program first, such as [\"/bin/date\", \"-u\"]");
            return command;
        }
        for (int i = 0; i < given.size(); i++) {
            boolean isProgram = i == 0;
            if (!given.get(i).isTextual()
                    || isProgram && given.get(i).textValue().isBlank()) {
                handler.errorBelow("/command/" + i, "must be a string" + (isProgram ? " that is not empty" : ""));
            } else {
                command.add(given.get(i).textValue());
            }
        }
        return List.copyOf(command);
    }

    private static Map<String, String> environment(Fields handler) {
        Fields given = handler.object("environment");
        Map<String, String> environment = new LinkedHashMap<>();
        if (given == null) {
            return environment;
        }
        if (given.all().size() > MAX_VARIABLES) {
            handler.error("environment", "must have at most " + MAX_VARIABLES + " members");
            return environment;
        }
        for (Map.Entry<String, JsonNode> variable : given.all()) {
            if (!VARIABLE.matcher(variable.getKey()).matches()) {
                given.error(variable.getKey(), "is not the name of a variable");
            } else if (variable.getKey().startsWith("TWINBELL_")) {
                given.error(variable.getKey(), "is set by Twinbell itself");
            } else if (!variable.getValue().isTextual()) {
                given.error(variable.getKey(), "must be a string");
            } else {
                environment.put(variable.getKey(), variable.getValue().textValue());
            }
        }
        return environment;
    }

    private static String directory(Fields handler) {
        String directory = handler.line("workingDirectory", MAX_PATH);
        return directory == null || directory.startsWith("/")
                ? directory
                : handler.error("workingDirectory", "must be an absolute path");
    }

    private static List<Integer> successCodes(Fields handler) {
        JsonNode given = handler.json("successCodes");
        if (given == null) {
            return List.of(0);
        }
        TreeSet<Integer> codes = new TreeSet<>();
        boolean valid = given.isArray() && !given.isEmpty() && given.size() <= MAX_CODES;
        for (JsonNode code : given) {
            valid &= code.isInt() && 0 <= code.intValue() && code.intValue() <= 255;
            codes.add(code.intValue());
        }
        if (!valid) {
            handler.error("successCodes", "must be a list of 1 to " + MAX_CODES + " exit codes from 0 to 255");
        }
        return List.copyOf(codes);
    }
}
