package io.twinbell.node.handler.shell;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The process of a command and all processes that it started: its descendants, and on Linux every process with the
 * command's mark in its environment, such as a daemon that left its parents. A process that left its parents and
 * cleared its environment is not found.
 */
final class ProcessTree {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessTree.class);
    private static final Path PROC = Path.of("/proc");
    private static final int ROUNDS = 20;
    private static final int LOOKS = 5000;
    private static final int VSIZE = 23;
    private static final int START_CODE = 26;
    private static final int ENV_START = 50;
    private static final int ENV_END = 51;

    private final Process root;
    private final String mark;
    private final CommandUser user;

    /**
     * @param mark an environment variable with a value that is unique to the command
     * @param user the owner of the processes, if this node may not signal them itself; null for the node's own user
     */
    ProcessTree(Process root, String mark, CommandUser user) {
        this.root = root;
        this.mark = mark;
        this.user = user;
    }

    /** Sends SIGTERM once. */
    void askToEnd() {
        Set<ProcessHandle> members = members();
        members.forEach(ProcessHandle::destroy);
        signalAsUser("TERM", members);
    }

    private void signalAsUser(String signal, Set<ProcessHandle> members) {
        if (user != null) {
            user.signal(signal, mark, members.stream().map(ProcessHandle::pid).toList());
        }
    }

    /** Sends SIGKILL until no process is left: processes that were started meanwhile are found in the next round. */
    void kill() {
        Set<ProcessHandle> left = members();
        // The node cannot see the user's other processes.
        signalAsUser("KILL", left);
        for (int round = 0; round < ROUNDS && !left.isEmpty(); round++) {
            left.forEach(ProcessHandle::destroyForcibly);
            left = members();
            if (!left.isEmpty()) {
                signalAsUser("KILL", left);
            }
        }
        if (!left.isEmpty()) {
            LOG.warn(
                    "processes {} have not ended after SIGKILL",
                    left.stream().map(ProcessHandle::pid).toList());
        }
    }

    boolean isAlive() {
        return !members().isEmpty();
    }

    private Set<ProcessHandle> members() {
        Set<ProcessHandle> members = new HashSet<>();
        // After the process has ended, its number may belong to another process.
        if (root.isAlive()) {
            members.add(root.toHandle());
            root.descendants().forEach(members::add);
        }
        if (Files.isDirectory(PROC)) {
            addMarked(members);
        }
        members.removeIf(member -> !member.isAlive());
        return members;
    }

    private void addMarked(Set<ProcessHandle> members) {
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                if (isMarked(process)) {
                    ProcessHandle.of(Long.parseLong(process.getFileName().toString()))
                            .ifPresent(members::add);
                }
            }
        } catch (IOException | DirectoryIteratorException e) {
            LOG.debug("the processes cannot be listed", e);
        }
    }

    boolean isMarked(Path process) {
        try {
            for (int look = 0; look < LOOKS; look++) {
                // Processes of other users cannot be read, and do not belong to the command.
                String environment = Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
                if (environment.contains(mark + '\0')) {
                    return true;
                }
                if (environment.endsWith("\0") || isWholeEnvironment(process, environment)) {
                    return false;
                }
                Thread.yield();
            }
        } catch (IOException e) {
            LOG.debug("{} has ended, or is another user's", process, e);
        }
        return false;
    }

    /**
     * Whether the environment was read completely. Between a fork and the end of its exec a process shows part of its
     * environment, or none. An empty environment is believed only if the start of the code is set, because an exec
     * first empties the environment and sets the start of the code last.
     */
    private static boolean isWholeEnvironment(Path process, String environment) throws IOException {
        String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
        // The name, in parentheses, may contain any character; proc(5) counts the fields after it from 3.
        String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
        boolean hasMemory = !fields[VSIZE - 3].equals("0");
        boolean hasCode = !fields[START_CODE - 3].equals("0");
        long start = Long.parseUnsignedLong(fields[ENV_START - 3]);
        long end = Long.parseUnsignedLong(fields[ENV_END - 3]);
        return !hasMemory || (hasCode && end != 0 && environment.length() == end - start);
    }
}
