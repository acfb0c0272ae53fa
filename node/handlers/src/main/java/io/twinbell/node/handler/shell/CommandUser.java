package io.twinbell.node.handler.shell;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs commands as another operating-system user, who cannot read the node's memory, environment and files. It uses
 * setpriv if the node may change its user (as root, or with the capabilities SETUID and SETGID), otherwise sudo. The
 * choice is tested once.
 */
final class CommandUser {
    private static final Logger LOG = LoggerFactory.getLogger(CommandUser.class);
    private static final List<String> TOOLS = List.of("/usr/bin", "/bin", "/usr/sbin", "/sbin", "/usr/local/bin");
    private static final int SECONDS = 5;
    private static final int MOST_OUTPUT = 4096;

    /** Passes the environment through standard input, because every user of the machine can read arguments. */
    private static final String START = "eval \"$(cat)\" || exit 126; exec \"$@\" </dev/null";

    /** Runs as the other user, who can read the environment of that user's processes; the node cannot. */
    private static final String SIGNAL =
            "signal=$1 mark=$2; shift 2; [ $# = 0 ] || kill -s \"$signal\" \"$@\" 2>/dev/null;"
                    + " for round in 1 2 3 4 5; do"
                    + " found=$(grep -lzxF -e \"$mark\" /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3);"
                    + " [ -n \"$found\" ] || exit 0; kill -s \"$signal\" $found 2>/dev/null;"
                    + " [ \"$signal\" = KILL ] || exit 0; done";

    private final String name;
    private final Map<String, String> account;
    private final List<String> prefix;
    private final String problem;

    private CommandUser(String name, Map<String, String> account, List<String> prefix, String problem) {
        this.name = name;
        this.account = account;
        this.prefix = prefix;
        this.problem = problem;
    }

    /** Determines how to become this user; if that is impossible, {@link #problem} says why. */
    static CommandUser of(String name) {
        try {
            List<String> entry = Stream.of(
                            ask(List.of(tool("getent"), "passwd", name)).split(":", -1))
                    .toList();
            if (entry.size() < 7) {
                return unusable(name, "there is no such user on this machine");
            }
            String uid = entry.get(2);
            if (uid.equals("0")) {
                return unusable(name, "commands do not run as root");
            }
            if (uid.equals(ask(List.of(tool("id"), "-u")).strip())) {
                return unusable(name, "that is the node's own user; omit the key to run commands as that user");
            }
            Map<String, String> account = new LinkedHashMap<>();
            account.put("HOME", Files.isDirectory(Path.of(entry.get(5))) ? entry.get(5) : "/");
            account.put("USER", name);
            account.put("LOGNAME", name);
            account.put(
                    "SHELL",
                    entry.get(6).strip().isEmpty() ? "/bin/sh" : entry.get(6).strip());
            return tried(name, uid, entry.get(3), account);
        } catch (IOException e) {
            return unusable(name, e.getMessage());
        }
    }

    private static CommandUser tried(String name, String uid, String gid, Map<String, String> account) {
        List<String> reasons = new ArrayList<>();
        for (List<String> way : List.of(
                List.of(
                        "setpriv",
                        "--reuid=" + uid,
                        "--regid=" + gid,
                        "--init-groups",
                        "--inh-caps=-all",
                        "--ambient-caps=-all",
                        "--"),
                List.of("sudo", "-n", "-u", name, "--"))) {
            try {
                List<String> prefix = new ArrayList<>(way);
                prefix.set(0, tool(way.get(0)));
                List<String> probe = new ArrayList<>(prefix);
                probe.addAll(List.of(tool("env"), "-i", "/bin/sh", "-c", "id -u"));
                String answer = ask(probe).strip();
                if (answer.equals(uid)) {
                    return new CommandUser(name, account, List.copyOf(prefix), null);
                }
                reasons.add(way.get(0) + ": " + answer);
            } catch (IOException e) {
                reasons.add(way.get(0) + ": " + e.getMessage());
            }
        }
        return unusable(
                name,
                "the node may not start commands as this user, neither with setpriv nor with sudo -n ("
                        + String.join("; ", reasons) + ")");
    }

    private static CommandUser unusable(String name, String problem) {
        return new CommandUser(name, Map.of(), List.of(), problem);
    }

    /** Returns why no command can run as this user; empty if commands can run. */
    Optional<String> problem() {
        return Optional.ofNullable(problem)
                .map(reason ->
                        "shell tasks cannot run on this node: handlers.shell.user is \"" + name + "\", but " + reason);
    }

    /** Returns the command line that runs a command as this user; its standard input must be {@link #preparation}. */
    List<String> commandLine(String mark, List<String> command) {
        List<String> line = new ArrayList<>(prefix);
        line.addAll(List.of("/usr/bin/env", "-i", mark, "/bin/sh", "-c", START, "sh"));
        line.addAll(command);
        return line;
    }

    /**
     * Returns the script that sets directory and environment before the command starts.
     *
     * @param directory null for the user's home
     */
    byte[] preparation(Map<String, String> environment, String directory) {
        Map<String, String> all = new LinkedHashMap<>(account);
        all.putAll(environment);
        StringBuilder lines = new StringBuilder("umask 077\n");
        lines.append("cd -- ")
                .append(quoted(directory == null ? account.get("HOME") : directory))
                .append(" || exit 126\n");
        all.forEach((variable, value) -> lines.append("export ")
                .append(variable)
                .append('=')
                .append(quoted(value))
                .append('\n'));
        return lines.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static String quoted(String text) {
        return "'" + text.replace("'", "'\\''") + "'";
    }

    /** Signals these processes, and all processes of this user that carry the mark. */
    void signal(String signal, String mark, List<Long> processes) {
        List<String> line = new ArrayList<>(prefix);
        line.addAll(List.of("/bin/sh", "-c", SIGNAL, "sh", signal, mark));
        processes.forEach(process -> line.add(Long.toString(process)));
        try {
            ask(line);
        } catch (IOException e) {
            LOG.warn("processes of a command of {} could not be signalled: {}", name, e.getMessage());
        }
    }

    private static String tool(String tool) throws IOException {
        for (String directory : TOOLS) {
            Path found = Path.of(directory, tool);
            if (Files.isExecutable(found)) {
                return found.toString();
            }
        }
        throw new IOException("there is no " + tool + " in " + String.join(", ", TOOLS));
    }

    /** Returns the output of a short system command, including its errors. */
    private static String ask(List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .directory(Path.of("/").toFile());
        builder.environment().clear();
        builder.environment().put("PATH", String.join(":", TOOLS));
        Process process = builder.start();
        process.getOutputStream().close();
        try {
            process.onExit().orTimeout(SECONDS, TimeUnit.SECONDS).exceptionally(late -> process.destroyForcibly());
            byte[] said = process.getInputStream().readNBytes(MOST_OUTPUT);
            return new String(said, StandardCharsets.UTF_8).strip();
        } finally {
            process.destroyForcibly();
        }
    }
}
