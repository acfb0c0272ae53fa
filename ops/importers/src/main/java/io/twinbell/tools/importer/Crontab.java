package io.twinbell.tools.importer;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads a crontab as Vixie cron and its descendants do: environment lines apply to the entries below them, a percent
 * sign ends the command and begins its input. A comment directly above an entry becomes its name.
 */
public final class Crontab {
    private static final Pattern VARIABLE = Pattern.compile("(\"[^\"]*\"|'[^']*'|[^\\s=\"'#@*][^\\s=]*)\\s*=\\s*(.*)");
    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]{0,99}");
    private static final String FIELD = "[-0-9A-Za-z*/,~!]+";
    private static final Pattern ENTRY = Pattern.compile("\\s*(-?" + FIELD + ")\\s+(" + FIELD + ")\\s+(" + FIELD
            + ")\\s+(" + FIELD + ")\\s+(" + FIELD + ")\\s+(\\S.*)");
    private static final Pattern NICKNAME = Pattern.compile("\\s*(@\\S+)\\s+(\\S.*)");
    /** A commented-out entry. Its first two fields must be times, so that prose is not taken for an entry. */
    private static final Pattern SILENCED =
            Pattern.compile("#\\s*([-0-9*/,]+\\s+[-0-9*/,]+\\s+\\S+\\s+\\S+\\s+\\S+\\s+\\S.*|@\\w+\\s+/.*)");

    /** A tab separates; U+2028 and the like would end the line for some programs, and not for others. */
    private static final Pattern CONTROL = Pattern.compile("[\\p{Cntrl}\\x80-\\x9f\\u2028\\u2029&&[^\t]]");

    private static final Pattern USER = Pattern.compile("(\\S+)\\s+(\\S.*)");
    /** A path is the command of an entry without a user; {@code root:wheel} names a group too. */
    private static final Pattern NO_USER = Pattern.compile("-.*|.*[/:].*");

    /**
     * cron accepts no longer lines either. The limit bounds the regular expressions, which examine some characters more
     * than once.
     */
    private static final int MAX_LINE = 4_000;

    private static final int MAX_LINES = 100_000;
    private static final int MAX_DELAY_MINUTES = 1_440;
    private static final int MAX_VARIABLES = 100;
    /** Each entry gets a copy of the environment above it. */
    private static final int MAX_ENVIRONMENTS = 16 * 1024 * 1024;

    private final Options options;
    private final UniqueNames names = new UniqueNames();
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final List<ImportCandidate> found = new ArrayList<>();
    private String zone;
    /** Whether CRON_TZ gives the zone. */
    private boolean hasOwnZone;

    private String jitter;
    private String comment;
    private boolean hasWarnedOfMail;
    private int environmentLength;
    private long environmentsLength;

    /**
     * How to read the crontab.
     *
     * @param app the app of the tasks
     * @param zone cron's local time zone
     * @param isSystem whether entries name a user, as in /etc/crontab
     * @param nodeUser the user that runs the node and needs no sudo; null if unknown
     * @param sudo whether entries of other users run through {@code sudo}
     */
    public record Options(String app, String zone, boolean isSystem, String nodeUser, boolean sudo) {}

    private Crontab(Options options) {
        this.options = options;
        zone = options.zone();
    }

    /**
     * All entries, in order, and every line that was not understood.
     *
     * @throws IllegalArgumentException if the crontab is too large; the message says why
     */
    public static List<ImportCandidate> read(String text, Options options) {
        Crontab crontab = new Crontab(options);
        // Only a line feed ends a line: every other separator belongs to the command.
        String[] lines = text.split("\n", MAX_LINES + 1);
        if (lines.length > MAX_LINES) {
            throw new IllegalArgumentException("it has more than " + MAX_LINES + " lines");
        }
        for (int i = 0; i < lines.length; i++) {
            crontab.line("line " + (i + 1), lines[i]);
        }
        return List.copyOf(crontab.found);
    }

    private void line(String where, String line) {
        String stripped = line.strip();
        if (stripped.length() > MAX_LINE) {
            found.add(ImportCandidate.left(
                    where, stripped.substring(0, 60) + "…", "is longer than " + MAX_LINE + " characters"));
            return;
        }
        if (stripped.startsWith("#")) {
            // A commented-out entry does not name the next one.
            comment = SILENCED.matcher(stripped).matches()
                    ? comment
                    : stripped.replaceFirst("^[#\\s]+", "").strip();
            return;
        }
        String named = comment;
        comment = null;
        if (stripped.isEmpty()) {
            return;
        }
        if (CONTROL.matcher(stripped).find()) {
            found.add(ImportCandidate.left(
                    where, stripped, "contains a control character, or a line separator such as U+2028"));
            return;
        }
        Matcher nickname = NICKNAME.matcher(stripped);
        Matcher entry = ENTRY.matcher(stripped);
        Matcher variable = VARIABLE.matcher(stripped);
        if (nickname.matches()) {
            nickname(where, stripped, nickname, named);
        } else if (entry.matches()) {
            fields(where, stripped, entry, named);
        } else if (variable.matches()) {
            variable(where, stripped, unquoted(variable.group(1)), unquoted(variable.group(2)));
        } else {
            found.add(ImportCandidate.left(
                    where,
                    stripped,
                    "is neither NAME=value nor an entry: five fields and a command, or @daily and a command"));
        }
    }

    private void variable(String where, String line, String name, String value) {
        switch (name) {
            case "CRON_TZ" -> {
                hasOwnZone = !value.isEmpty();
                zone = hasOwnZone ? value : options.zone();
            }
            case "RANDOM_DELAY" -> randomDelay(where, line, value);
            case "MAILTO" -> mail(where, line, value);
            case "MAILFROM", "CONTENT_TYPE", "CONTENT_TRANSFER_ENCODING" ->
                found.add(ImportCandidate.left(where, line, "configures mail, and Twinbell sends no mail"));
            default -> {
                if (NAME.matcher(name).matches() && !name.startsWith("TWINBELL_")) {
                    String before = environment.put(name, value);
                    environmentLength +=
                            before == null ? name.length() + value.length() : value.length() - before.length();
                } else {
                    found.add(ImportCandidate.left(where, line, "is not a variable name that a task may have"));
                }
            }
        }
    }

    private void randomDelay(String where, String line, String value) {
        boolean isDelay = value.matches("[1-9]\\d{0,3}") && Integer.parseInt(value) <= MAX_DELAY_MINUTES;
        jitter = isDelay ? "PT" + value + "M" : null;
        if (jitter == null && !value.matches("0*")) {
            found.add(ImportCandidate.left(
                    where,
                    line,
                    "is not a number of minutes from 0 to " + MAX_DELAY_MINUTES + ": no delay is imported"));
        }
    }

    private void mail(String where, String line, String to) {
        if (!to.isEmpty() && !hasWarnedOfMail) {
            hasWarnedOfMail = true;
            found.add(ImportCandidate.left(
                    where,
                    line,
                    "output is kept with each execution and not mailed; an alert on FAILED reports failures (twinbell"
                            + " alert)"));
        }
    }

    private void nickname(String where, String line, Matcher nickname, String named) {
        List<String> notes = new ArrayList<>();
        ObjectNode schedule = CrontabFields.ofNickname(nickname.group(1), zone);
        if (schedule != null && schedule.path("every").asText().equals("PT0S")) {
            found.add(ImportCandidate.left(where, line, "has an interval of 0 seconds"));
            return;
        }
        if (schedule == null) {
            found.add(ImportCandidate.left(
                    where,
                    line,
                    nickname.group(1).equalsIgnoreCase("@reboot")
                            ? "a pair has no reboot: use the host's init system for commands at boot"
                            : "unknown nickname " + nickname.group(1)));
            return;
        }
        task(where, line, schedule, nickname.group(2), named, notes);
    }

    private void fields(String where, String line, Matcher entry, String named) {
        List<String> notes = new ArrayList<>();
        String[] fields = new String[5];
        for (int i = 0; i < fields.length; i++) {
            fields[i] = entry.group(i + 1);
        }
        if (fields[0].startsWith("-")) {
            fields[0] = fields[0].substring(1);
            notes.add("the leading - (cron does not log the run) has no effect");
        }
        try {
            task(where, line, CrontabFields.of(fields, zone, notes), entry.group(6), named, notes);
        } catch (CrontabFields.FieldException e) {
            found.add(ImportCandidate.left(where, line, e.getMessage()));
        }
    }

    private void task(String where, String line, ObjectNode schedule, String rest, String named, List<String> notes) {
        String command = rest;
        String user = null;
        if (options.isSystem()) {
            Matcher parts = USER.matcher(rest);
            if (!parts.matches()) {
                found.add(ImportCandidate.left(where, line, "has a user and no command"));
                return;
            }
            user = parts.group(1);
            command = parts.group(2);
        }
        boolean isOther = user != null && !user.equals(options.nodeUser());
        String obstacle = obstacle(user, isOther, command);
        if (obstacle != null) {
            found.add(ImportCandidate.left(where, line, obstacle));
            return;
        }
        environmentsLength += environmentLength;
        if (environmentsLength > MAX_ENVIRONMENTS) {
            throw new IllegalArgumentException(where + ": its entries have more than " + MAX_ENVIRONMENTS
                    + " characters of environment together; import it in parts");
        }
        ObjectNode task = JsonNodeFactory.instance.objectNode();
        task.put("app", options.app());
        task.put("name", names.of(named == null || named.isBlank() ? program(command) : named));
        clockChanges(schedule, notes);
        task.set("schedule", schedule);
        if (jitter != null) {
            task.put("jitter", jitter);
        }
        task.set("handler", handler(command, isOther ? user : null, notes));
        // As in cron, a long run does not keep the next one from starting.
        task.put("overlap", "ALLOW");
        found.add(ImportCandidate.taken(where, line, task, notes));
    }

    /**
     * Cron fires the entries whose minute or hour begins with a star by the clock. It makes up for other entries when the
     * clock has jumped forward, and does not repeat them, but only on changes of its own zone.
     */
    private void clockChanges(ObjectNode schedule, List<String> notes) {
        if (!schedule.has("cron") || ImportedTimes.hours(schedule).startsWith("*")) {
            return;
        }
        boolean isByClock = ImportedTimes.minutes(schedule).startsWith("*");
        int jumpedOver = ImportedTimes.touched(schedule, true).size();
        if ((isByClock || hasOwnZone) && jumpedOver > 0) {
            schedule.put("dstGap", "SKIP");
        } else if (jumpedOver > 1) {
            notes.add("the times that the clock jumps over fire once together here, and cron runs each of them");
        }
        boolean isRepeated = !ImportedTimes.touched(schedule, false).isEmpty();
        if (isRepeated && (isByClock || hasOwnZone && !zone.equals(options.zone()))) {
            schedule.put("dstOverlap", "TWICE");
        }
    }

    /** Why no node can run the command; null if one can. */
    private String obstacle(String user, boolean isOther, String command) {
        if (user != null && NO_USER.matcher(user).matches()) {
            return "has " + user + " where the name of its user should be";
        }
        if (isOther && !options.sudo()) {
            return "runs as " + user + ", but a node runs commands as its own user: give --node-user " + user
                    + " if that is the same user, or --sudo";
        }
        if (command.startsWith("%")) {
            return "has input, which begins with %, and no command";
        }
        if (environment.getOrDefault("SHELL", "/bin/sh").isBlank()) {
            return "runs in the shell that SHELL names, and SHELL is empty";
        }
        if (environment.getOrDefault("HOME", "/").contains("\t")) {
            return "runs in the directory that HOME names, and HOME contains a tab";
        }
        int variables = environment.size() - (environment.containsKey("SHELL") ? 1 : 0);
        return variables > MAX_VARIABLES ? "has more than " + MAX_VARIABLES + " variables" : null;
    }

    private ObjectNode handler(String command, String user, List<String> notes) {
        ObjectNode handler = JsonNodeFactory.instance.objectNode().put("type", "shell");
        ArrayNode words = handler.putArray("command");
        if (user != null) {
            words.add("sudo").add("-n").add("-u").add(user).add("--");
            if (!environment.isEmpty()) {
                words.add("env");
                environment.forEach((name, value) -> words.add(name + "=" + value));
            }
        }
        words.add(environment.getOrDefault("SHELL", "/bin/sh")).add("-c").add(shellCommand(command, notes));
        ObjectNode variables = JsonNodeFactory.instance.objectNode();
        environment.forEach((name, value) -> {
            if (!name.equals("SHELL")) {
                variables.put(name, value);
            }
        });
        if (!variables.isEmpty()) {
            handler.set("environment", variables);
        }
        String home = environment.get("HOME");
        if (home != null && home.startsWith("/")) {
            handler.put("workingDirectory", home);
        }
        return handler;
    }

    /** The file name of the program, with its first argument. */
    private static String program(String command) {
        String[] words = command.strip().split("\\s+");
        String file = words[0].substring(words[0].lastIndexOf('/') + 1);
        return words.length > 1 && !words[1].matches("[<>|&;].*|\\d?>.*") ? file + " " + words[1] : file;
    }

    private static String unquoted(String text) {
        boolean isQuoted = text.length() > 1
                && (text.startsWith("\"") && text.endsWith("\"") || text.startsWith("'") && text.endsWith("'"));
        return isQuoted ? text.substring(1, text.length() - 1) : text;
    }

    /**
     * The equivalent shell command. In a crontab the first unescaped percent sign begins the standard input of the
     * command, and the others are line feeds.
     */
    private static String shellCommand(String command, List<String> notes) {
        StringBuilder whole = new StringBuilder();
        for (int i = 0; i < command.length(); i++) {
            char one = command.charAt(i);
            boolean isEscaped = one == '\\' && i + 1 < command.length() && command.charAt(i + 1) == '%';
            if (isEscaped) {
                whole.append('%');
                i++;
            } else {
                whole.append(one == '%' ? '\n' : one);
            }
        }
        int input = whole.indexOf("\n");
        if (input < 0) {
            return whole.toString().strip();
        }
        notes.add("the text after % becomes its standard input, as a here-document");
        String text = whole.substring(input + 1);
        String end = "END_OF_INPUT";
        while (text.contains(end)) {
            end += "_";
        }
        return "{ " + whole.substring(0, input).strip() + "\n} <<'" + end + "'\n" + text + "\n" + end;
    }
}
