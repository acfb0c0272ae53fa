package io.twinbell.tools.importer.systemd;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Translates what a service runs into a shell handler. */
final class ServiceCommand {
    private static final Pattern PREFIX = Pattern.compile("[-@:+!|]*");
    private static final Pattern SPECIFIER = Pattern.compile("%[a-zA-Z]");
    /** A word of its own, which is split at blanks. */
    private static final Pattern VARIABLE = Pattern.compile("\\$[A-Za-z_][A-Za-z0-9_]*");
    /** Anywhere in a word; every other dollar sign is left to the program. */
    private static final Pattern REFERENCE = Pattern.compile("\\$\\$|\\$\\{[A-Za-z_][A-Za-z0-9_]*}");

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

    /** One command of the service, its program first. */
    private record Step(List<String> words, boolean ignoresFailure, boolean replacesVariables) {
        /** Only a shell can replace variables. */
        boolean needsShell() {
            return ignoresFailure || arguments().stream().anyMatch(this::hasVariable);
        }

        private List<String> arguments() {
            return words.subList(1, words.size());
        }

        boolean splitsVariables() {
            return replacesVariables
                    && arguments().stream()
                            .anyMatch(word -> VARIABLE.matcher(word).matches());
        }

        private boolean hasVariable(String word) {
            return replacesVariables
                    && (VARIABLE.matcher(word).matches()
                            || REFERENCE
                                    .matcher(word)
                                    .results()
                                    .anyMatch(one -> !one.group().equals("$$")));
        }

        /** Without a shell. */
        List<String> plain() {
            List<String> plain = new ArrayList<>(List.of(words.get(0)));
            arguments().forEach(word -> plain.add(plainWord(word)));
            return plain;
        }

        String line() {
            StringBuilder line = new StringBuilder(quoted(words.get(0)));
            for (String word : arguments()) {
                line.append(' ').append(hasVariable(word) ? expanded(word) : quoted(plainWord(word)));
            }
            return ignoresFailure ? "{ " + line + " || :; }" : line.toString();
        }

        private String plainWord(String word) {
            return replacesVariables ? word.replace("$$", "$") : word;
        }
    }

    /** @throws IllegalArgumentException if a task cannot run it; the message says why */
    ObjectNode handler() {
        if (service.all("Service.ExecStart").isEmpty()) {
            throw new IllegalArgumentException("its service has no ExecStart");
        }
        List<Step> steps = new ArrayList<>();
        for (String key : List.of("Service.ExecStartPre", "Service.ExecStart", "Service.ExecStartPost")) {
            service.all(key).forEach(line -> UnitWords.commands(line).forEach(words -> steps.add(step(words))));
        }
        if (steps.isEmpty()) {
            throw new IllegalArgumentException("its service has no command in ExecStart");
        }
        Map<String, String> variables = variables();
        ObjectNode handler = JsonNodeFactory.instance.objectNode().put("type", "shell");
        ArrayNode words = handler.putArray("command");
        user(words, variables);
        if (steps.size() == 1 && !steps.get(0).needsShell()) {
            steps.get(0).plain().forEach(words::add);
        } else {
            // systemd splits a variable at blanks, and does not take what is in it for the name of files.
            String options = steps.stream().anyMatch(Step::splitsVariables) ? "set -f; " : "";
            words.add("/bin/sh")
                    .add("-c")
                    .add(options
                            + String.join(" && ", steps.stream().map(Step::line).toList()));
        }
        if (!variables.isEmpty()) {
            ObjectNode environment = handler.putObject("environment");
            variables.forEach(environment::put);
        }
        service.one("Service.WorkingDirectory").ifPresent(directory -> workingDirectory(handler, directory));
        return handler;
    }

    private String owner() {
        return withoutSpecifiers(service.one("Service.User").orElse("root"));
    }

    /** As in a crontab, sudo does not pass variables on. */
    private void user(ArrayNode words, Map<String, String> variables) {
        String user = owner();
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
        words.add("sudo")
                .add("-n")
                .add("-u")
                .add(user.matches("\\d+") ? "#" + user : user)
                .add("--");
        if (!variables.isEmpty()) {
            words.add("env");
            variables.forEach((name, value) -> words.add(name + "=" + value));
        }
    }

    private Step step(List<String> words) {
        String program = words.get(0);
        Matcher matcher = PREFIX.matcher(program);
        matcher.lookingAt();
        String prefix = matcher.group();
        if (prefix.contains("@")) {
            throw new IllegalArgumentException("its service gives the program another name (ExecStart=@)");
        }
        if (prefix.contains("|")) {
            throw new IllegalArgumentException("its service runs a command in the user's login shell (ExecStart=|)");
        }
        if (!owner().equals("root") && (prefix.contains("+") || prefix.contains("!"))) {
            throw new IllegalArgumentException(
                    "its service runs a command with other rights than its user's" + " (ExecStart=+ or ExecStart=!)");
        }
        if (program.length() == prefix.length()) {
            throw new IllegalArgumentException("its service has a command without a program: " + program);
        }
        List<String> own = new ArrayList<>(List.of(program.substring(prefix.length())));
        own.addAll(words.subList(1, words.size()));
        return new Step(
                own.stream().map(ServiceCommand::withoutSpecifiers).toList(),
                prefix.contains("-"),
                !prefix.contains(":"));
    }

    private static String withoutSpecifiers(String word) {
        if (SPECIFIER.matcher(word.replace("%%", "")).find()) {
            throw new IllegalArgumentException("its service uses specifiers such as %i, which only systemd replaces");
        }
        return word.replace("%%", "%");
    }

    private static String quoted(String word) {
        return word.matches("[-A-Za-z0-9_./:=@,+]+") ? word : "'" + word.replace("'", "'\\''") + "'";
    }

    /** The shell replaces what systemd would, and nothing else. */
    private static String expanded(String word) {
        if (VARIABLE.matcher(word).matches()) {
            return word;
        }
        StringBuilder text = new StringBuilder("\"");
        Matcher reference = REFERENCE.matcher(word);
        int end = 0;
        while (reference.find()) {
            text.append(inDoubleQuotes(word.substring(end, reference.start())));
            text.append(reference.group().equals("$$") ? "\\$" : reference.group());
            end = reference.end();
        }
        return text.append(inDoubleQuotes(word.substring(end))).append('"').toString();
    }

    private static String inDoubleQuotes(String text) {
        return text.replaceAll("[\"`\\\\$]", "\\\\$0");
    }

    private Map<String, String> variables() {
        Map<String, String> variables = new LinkedHashMap<>();
        for (String line : service.all("Service.Environment")) {
            for (String word : UnitWords.of(line)) {
                String assignment = withoutSpecifiers(word);
                int equals = assignment.indexOf('=');
                if (equals > 0) {
                    variables.put(assignment.substring(0, equals), assignment.substring(equals + 1));
                } else {
                    notes.add("Environment has " + assignment + ", which is not NAME=value, so it is left out");
                }
            }
        }
        service.all("Service.EnvironmentFile")
                .forEach(
                        file -> notes.add("EnvironmentFile=" + file + " is not read: put its variables into the task"));
        return variables;
    }

    private void workingDirectory(ObjectNode handler, String written) {
        String directory = withoutSpecifiers(written);
        if (directory.startsWith("/")) {
            handler.put("workingDirectory", directory);
        } else {
            notes.add("WorkingDirectory=" + directory + " is not an absolute path, so it is left out");
        }
    }
}
