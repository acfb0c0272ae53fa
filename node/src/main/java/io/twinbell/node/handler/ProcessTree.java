package io.twinbell.node.handler;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A command's process and all that it started: its descendants, and on Linux every process that carries its mark in its
 * environment, such as a daemon that left its parents. One that left them and cleared its environment is not found.
 */
final class ProcessTree {
    private static final Logger LOG = LoggerFactory.getLogger(ProcessTree.class);
    private static final Path PROC = Path.of("/proc");
    private static final int ROUNDS = 20;

    private final Process root;
    private final String mark;

    /** @param mark a variable and its value, as no other command has them */
    ProcessTree(Process root, String mark) {
        this.root = root;
        this.mark = mark;
    }

    /** SIGTERM, once. */
    void askToEnd() {
        members().forEach(ProcessHandle::destroy);
    }

    /** SIGKILL, until nobody is left: who starts processes faster than that is found in the next round. */
    void kill() {
        Set<ProcessHandle> left = members();
        for (int round = 0; round < ROUNDS && !left.isEmpty(); round++) {
            left.forEach(ProcessHandle::destroyForcibly);
            left = members();
        }
        if (!left.isEmpty()) {
            LOG.warn(
                    "processes {} do not end",
                    left.stream().map(ProcessHandle::pid).toList());
        }
    }

    boolean isAlive() {
        return !members().isEmpty();
    }

    private Set<ProcessHandle> members() {
        Set<ProcessHandle> members = new HashSet<>();
        if (root.isAlive()) {
            members.add(root.toHandle());
        }
        root.descendants().forEach(members::add);
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
        } catch (IOException e) {
            LOG.debug("the processes cannot be listed", e);
        }
    }

    private boolean isMarked(Path process) {
        try {
            // What another user runs cannot be read, and is none of ours.
            String environment = Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1);
            return environment.contains(mark + '\0');
        } catch (IOException e) {
            return false;
        }
    }
}
