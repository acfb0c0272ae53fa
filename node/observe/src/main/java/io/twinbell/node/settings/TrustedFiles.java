package io.twinbell.node.settings;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Optional;

/** Checks whether other users of the machine could change or replace a file. */
public final class TrustedFiles {
    private static final int GROUP_WRITES = 020;
    private static final int OTHERS_READ = 004;
    private static final int OTHERS_WRITE = 002;
    private static final int STICKY = 01000;
    private static final int MOST_LINKS = 40;

    private TrustedFiles() {}

    /**
     * Returns why code must not be loaded from this path; empty if it may. A path is refused if the file, a directory
     * on the way to it, or a link belongs to another user than the node's own or root, or is writable by others. A
     * directory with the sticky bit, such as {@code /tmp}, is allowed on the way, because others cannot replace its
     * files.
     */
    public static Optional<String> changeable(Path path) throws IOException {
        return changeable(path, ownUser());
    }

    /** Does the same check for a tool that root may run: then the owner of the path counts as the node's user. */
    public static Optional<String> changeableForNode(Path path) throws IOException {
        int own = ownUser();
        boolean isRoot =
                own == 0 && path.getFileSystem().supportedFileAttributeViews().contains("unix");
        return changeable(path, isRoot ? (Integer) Files.getAttribute(path, "unix:uid") : own);
    }

    private static Optional<String> changeable(Path path, int nodeUser) throws IOException {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return Optional.empty();
        }
        Deque<Path> steps = new ArrayDeque<>();
        path.toAbsolutePath().normalize().forEach(steps::add);
        Path at = path.toAbsolutePath().getRoot();
        Optional<String> problem = problem(at, !steps.isEmpty(), nodeUser);
        int links = 0;
        while (problem.isEmpty() && !steps.isEmpty()) {
            Path step = steps.pop();
            if (step.toString().equals("..")) {
                at = at.getParent() == null ? at : at.getParent();
                continue;
            }
            Path next = at.resolve(step);
            problem = problem(next, !steps.isEmpty(), nodeUser);
            if (Files.isSymbolicLink(next)) {
                if (++links > MOST_LINKS) {
                    return Optional.of(path + " leads through too many links");
                }
                Path target = Files.readSymbolicLink(next);
                for (int i = target.getNameCount() - 1; i >= 0; i--) {
                    steps.push(target.getName(i));
                }
                at = target.isAbsolute() ? target.getRoot() : at;
            } else {
                at = next;
            }
        }
        return problem;
    }

    private static Optional<String> problem(Path path, boolean isOnTheWay, int nodeUser) throws IOException {
        Map<String, Object> found = Files.readAttributes(path, "unix:uid,mode", LinkOption.NOFOLLOW_LINKS);
        int owner = (Integer) found.get("uid");
        int mode = (Integer) found.get("mode");
        if (owner != 0 && owner != nodeUser) {
            return Optional.of(path + " belongs to another user (" + owner + ")");
        }
        boolean isSafe = isOnTheWay && (mode & STICKY) != 0 || Files.isSymbolicLink(path);
        if (isSafe || (mode & (GROUP_WRITES | OTHERS_WRITE)) == 0) {
            return Optional.empty();
        }
        return Optional.of(path + " can be written by " + ((mode & OTHERS_WRITE) != 0 ? "everybody" : "its group")
                + " (chmod go-w)");
    }

    /** Returns why a configuration file must not be trusted: everybody can write it. Empty if it can be trusted. */
    public static Optional<String> openToAll(Path path) {
        try {
            if (!path.getFileSystem().supportedFileAttributeViews().contains("unix") || !Files.exists(path)) {
                return Optional.empty();
            }
            int mode = (Integer) Files.getAttribute(path, "unix:mode");
            return (mode & OTHERS_WRITE) != 0
                    ? Optional.of(path + " can be written by everybody (chmod o-w)")
                    : Optional.empty();
        } catch (IOException e) {
            // The reader of the file reports this error.
            return Optional.empty();
        }
    }

    /**
     * Returns why a file with a secret must not be used: others can read it or change it. A group may read it, as
     * containers mount secrets.
     */
    public static Optional<String> exposed(Path path) throws IOException {
        if (!path.getFileSystem().supportedFileAttributeViews().contains("unix")) {
            return Optional.empty();
        }
        int mode = (Integer) Files.getAttribute(path, "unix:mode");
        return (mode & (OTHERS_READ | OTHERS_WRITE | GROUP_WRITES)) != 0
                ? Optional.of(path + " can be read or written by others (chmod 600)")
                : Optional.empty();
    }

    private static int ownUser() throws IOException {
        Path self = Path.of("/proc/self");
        // On other systems than Linux, the owner of a new file is the node's user.
        if (Files.exists(self)) {
            return (Integer) Files.getAttribute(self, "unix:uid");
        }
        Path probe = Files.createTempFile("twinbell", ".owner");
        try {
            return (Integer) Files.getAttribute(probe, "unix:uid");
        } finally {
            Files.delete(probe);
        }
    }
}
