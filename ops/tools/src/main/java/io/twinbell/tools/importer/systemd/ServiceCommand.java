package io.twinbell.tools.importer.systemd;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Translates what a service runs into a shell handler. */
final class ServiceCommand {
    private static final Pattern PREFIX = Pattern.compile("[-@:+!]*");
    private static final Pattern WORD = Pattern.compile("\"((?:[^\"\\\\]|\\\\.)*)\"|'([^']*)'|(\\S+)");
    private static final Pattern SPECIFIER = Pattern.compile("%[a-zA-Z]");

    private final UnitFile service;
    private final String nodeUser;
    private final boolean sudo;
    private final List<String> notes;

    ServiceCommand(UnitFile service, String nodeUser, boolean sudo, List<String> notes) {
        this.service = service;
        this.nodeUser = nodeUser;
        this.sudo = sudo;
        this.notes = notes;
    }

    /** @throws IllegalArgumentException if a task cannot run it; the message says why */
    ObjectNode handler() {
        List<String> commands = new ArrayList<>(service.all("Service.ExecStartPre"));
        commands.addAll(service.all("Service.ExecStart"));
        commands.addAll(service.all("Service.ExecStartPost"));
        if (service.all("Service.ExecStart").isEmpty()) {
            throw new IllegalArgumentException("its service has no ExecStart");
        }
        ObjectNode handler = JsonNodeFactory.instance.objectNode().put("type", "shell");
        ArrayNode words = handler.putArray("command");
        user(words);
        if (commands.size() == 1 && !commands.get(0).contains("$") && !ignoresFailure(commands.get(0))) {
            words(commands.get(0)).forEach(words::add);
        } else {
            words.add("/bin/sh").add("-c").add(script(commands));
        }
        environment(handler);
        service.one("Service.WorkingDirectory").ifPresent(directory -> workingDirectory(handler, directory));
        return handler;
    }

    private void user(ArrayNode words) {
        String user = service.one("Service.User").orElse("root");
        if (service.is("Service.DynamicUser")) {
            throw new IllegalArgumentException("its service has DynamicUser, which only systemd can give");
        }
        if (user.equals(nodeUser)) {
            return;
        }
        if (!sudo) {
            throw new IllegalArgumentException(
                    "its service runs as " + user + ", but a node runs commands as its own user:" + " give --node-user "
                            + user + " if that is the same user, or --sudo");
        }
        words.add("sudo").add("-n").add("-u").add(user).add("--");
    }

    private static boolean ignoresFailure(String command) {
        Matcher prefix = PREFIX.matcher(command);
        return prefix.lookingAt() && prefix.group().contains("-");
    }

    /** Each command runs if those before it succeeded, or may fail. */
    private static String script(List<String> commands) {
        List<String> lines = new ArrayList<>();
        for (String command : commands) {
            StringBuilder line = new StringBuilder();
            for (String word : words(command)) {
                line.append(line.isEmpty() ? "" : " ").append(quoted(word));
            }
            lines.add(ignoresFailure(command) ? "{ " + line + " || :; }" : line.toString());
        }
        return String.join(" && ", lines);
    }

    /** Variables stay outside of quotes, so that the shell replaces them as systemd would. */
    private static String quoted(String word) {
        if (word.matches("[-A-Za-z0-9_./:=@,+]+") || word.matches("\\$\\{?[A-Za-z_][A-Za-z0-9_]*}?")) {
            return word;
        }
        if (word.contains("$")) {
            return "\"" + word.replaceAll("([\"`\\\\])", "\\\\$1") + "\"";
        }
        return "'" + word.replace("'", "'\\''") + "'";
    }

    private static List<String> words(String command) {
        Matcher prefix = PREFIX.matcher(command);
        prefix.lookingAt();
        if (prefix.group().contains("@")) {
            throw new IllegalArgumentException("its service gives the program another name (ExecStart=@)");
        }
        if (SPECIFIER.matcher(command.replace("%%", "")).find()) {
            throw new IllegalArgumentException("its service uses specifiers such as %i, which only systemd replaces");
        }
        List<String> words = new ArrayList<>();
        Matcher word = WORD.matcher(command.substring(prefix.end()).replace("%%", "%"));
        while (word.find()) {
            String plain = word.group(3);
            words.add(
                    plain != null
                            ? plain
                            : word.group(1) != null ? word.group(1).replaceAll("\\\\(.)", "$1") : word.group(2));
        }
        return words;
    }

    private void environment(ObjectNode handler) {
        ObjectNode variables = JsonNodeFactory.instance.objectNode();
        for (String line : service.all("Service.Environment")) {
            for (String assignment : words(line)) {
                int equals = assignment.indexOf('=');
                if (equals > 0) {
                    variables.put(assignment.substring(0, equals), assignment.substring(equals + 1));
                }
            }
        }
        if (!variables.isEmpty()) {
            handler.set("environment", variables);
        }
        service.all("Service.EnvironmentFile")
                .forEach(
                        file -> notes.add("EnvironmentFile=" + file + " is not read: put its variables into the task"));
    }

    private void workingDirectory(ObjectNode handler, String directory) {
        if (directory.startsWith("/")) {
            handler.put("workingDirectory", directory);
        } else {
            notes.add("WorkingDirectory=" + directory + " is not an absolute path, so it is left out");
        }
    }
}
